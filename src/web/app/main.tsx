import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { fetchFonts } from './fonts'
import { Frame } from './frame'
import { comeHome, keepHome, presence } from './home'
import { listenToKeys } from './keys'
import { applyLook } from './look'
import { Login } from './pages/login'
import { Members } from './pages/members'
import { Now } from './pages/now'
import { Watch } from './pages/watch'
import { Door } from './parts/door'
import { Page, Waiting } from './parts/page'
import { route } from './route'
import { isLoaded, preferences } from './store'
import { capitalize, words } from './words'

function App() {
  const now = route.value
  if (now.page === 'watch') return <Watch key={now.token} token={now.token} />
  if (now.page === 'login') return <Login key={now.code} code={now.code} />
  return <Home />
}

/** Who is in gets their place; everybody else the door. */
function Home() {
  const state = presence.value
  useEffect(() => {
    if (presence.value === 'asking') comeHome()
  }, [])
  if (state === 'out') return <Login code="" />
  if (state === 'away')
    return (
      <Door heading={words.title}>
        <p role="alert">{words.away}</p>
        <button type="button" onClick={comeHome}>
          {words.tryAgain}
        </button>
      </Door>
    )
  return (
    <Frame>
      <Place key={route.value.page} />
    </Frame>
  )
}

function Place() {
  const now = route.value
  if (now.page === 'members')
    return isLoaded.value ? <Members /> : <Loading place={capitalize(preferences.value.word)} />
  if (now.page === 'history') return <Later place={words.history} load={loadHistory} />
  if (now.page === 'insights') return <Later place={words.insights} load={loadInsights} />
  if (now.page === 'import') return <Later place={words.import} load={loadImport} />
  if (now.page === 'more') return <Later place={words.more} load={loadMore} />
  if (now.page === 'devices') return <Later place={words.devices} load={loadDevices} />
  if (now.page === 'look') return <Later place={words.look} load={loadLook} />
  return isLoaded.value ? <Now /> : <Loading place={words.now} />
}

function Loading({ place }: { place: string }) {
  return (
    <Page place={place}>
      <Waiting blocks={['card', 'tiles']} />
    </Page>
  )
}

const loadHistory = async () => (await import('./pages/history')).History
const loadInsights = async () => (await import('./pages/insights')).Insights
const loadImport = async () => (await import('./pages/import')).Import
const loadMore = async () => (await import('./pages/more')).More
const loadDevices = async () => (await import('./pages/devices')).Devices
const loadLook = async () => (await import('./pages/look')).LookPage

/** A part of the page that is fetched when it is first opened. */
function Later({ place, load }: { place: string; load: () => Promise<ComponentType> }) {
  const [part, setPart] = useState<{ Part: ComponentType } | null>(null)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    load().then(
      (Part) => setPart({ Part }),
      () => setMissing(true),
    )
  }, [load])
  if (isMissing)
    return (
      <Page place={place}>
        <p role="alert">{words.away}</p>
      </Page>
    )
  if (!part || !isLoaded.value) return <Loading place={place} />
  return <part.Part />
}

applyLook()
fetchFonts()
keepHome()
listenToKeys()
const place = document.getElementById('app')
if (place) render(<App />, place)
