import font from '@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2'
import { render } from 'preact'
import { Home } from './pages/home'
import { Login } from './pages/login'
import { Watch } from './pages/watch'
import { route } from './route'

function App() {
  const now = route.value
  if (now.page === 'watch') return <Watch key={now.token} token={now.token} />
  if (now.page === 'login') return <Login key={now.code} code={now.code} />
  return <Home />
}

// Never in the way of the page: it is drawn with what the device has until this arrives.
new FontFace('Atkinson Hyperlegible Next', `url("${new URL(font, import.meta.url)}")`, {
  weight: '200 800',
})
  .load()
  .then((loaded) => document.fonts.add(loaded))
  .catch(() => {})

const place = document.getElementById('app')
if (place) render(<App />, place)
