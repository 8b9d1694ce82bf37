import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { applyAppearance } from './appearance'
import { CenteredPage } from './components/centeredPage'
import { lazy } from './components/lazy'
import { Page, Skeleton } from './components/page'
import { fetchFonts } from './fonts'
import { Layout } from './layout'
import { Login } from './pages/login'
import { Members } from './pages/members'
import { Now } from './pages/now'
import { Watch } from './pages/watch'
import { route } from './route'
import { restoreSession, sessionState, startSync } from './session'
import { listenForShortcuts } from './shortcuts'
import { isLoaded, preferences } from './store'
import { capitalize, strings } from './strings'

function App() {
  const now = route.value
  if (now.page === 'watch') return <Watch key={now.token} token={now.token} />
  if (now.page === 'systems') return <PublicPage key={now.ref} of={now.ref} />
  if (now.page === 'login') return <Login key={now.code} code={now.code} />
  return <Home />
}

/** Public page of a system; works without login. */
function PublicPage({ of }: { of: string }) {
  const Part = lazy(loadPublic)
  return Part && <Part of={of} />
}

/** Shows the dashboard when logged in, otherwise the login page. */
function Home() {
  const state = sessionState.value
  const now = route.value
  useEffect(() => {
    if (sessionState.value === 'loading') restoreSession()
  }, [])
  if (state === 'out') return <Login code="" />
  if (state === 'away')
    return (
      <CenteredPage heading={strings.title}>
        <p role="alert">{strings.away}</p>
        <button type="button" onClick={restoreSession}>
          {strings.tryAgain}
        </button>
      </CenteredPage>
    )
  return (
    <Layout>
      <CurrentPage key={'id' in now ? `${now.page} ${now.id}` : now.page} />
    </Layout>
  )
}

function CurrentPage() {
  const now = route.value
  const people = capitalize(preferences.value.word)
  if (now.page === 'members') return isLoaded.value ? <Members /> : <Loading title={people} />
  if (now.page === 'member') return <LazyPage title={people} load={loadMember} />
  if (now.page === 'memberEdit') return <LazyPage title={people} load={loadMemberEdit} />
  if (now.page === 'groups') return <LazyPage title={strings.groups} load={loadGroups} />
  if (now.page === 'group') return <LazyPage title={strings.groups} load={loadGroup} />
  if (now.page === 'groupEdit') return <LazyPage title={strings.groups} load={loadGroupEdit} />
  if (now.page === 'history') return <LazyPage title={strings.history} load={loadHistory} />
  if (now.page === 'insights') return <LazyPage title={strings.insights} load={loadInsights} />
  if (now.page === 'import') return <LazyPage title={strings.import} load={loadImport} />
  if (now.page === 'more') return <LazyPage title={strings.more} load={loadMore} />
  if (now.page === 'devices') return <LazyPage title={strings.devices} load={loadDevices} />
  if (now.page === 'privacy') return <LazyPage title={strings.privacy} load={loadPrivacy} />
  if (now.page === 'system') return <LazyPage title={strings.system} load={loadSystem} />
  if (now.page === 'systemEdit') return <LazyPage title={strings.system} load={loadSystemEdit} />
  if (now.page === 'settings') return <LazyPage title={strings.system} load={loadSettings} />
  if (now.page === 'friends') return <LazyPage title={strings.friends} load={loadFriends} />
  if (now.page === 'look') return <LazyPage title={strings.appearance} load={loadAppearancePage} />
  return isLoaded.value ? <Now /> : <Loading title={strings.now} />
}

function Loading({ title }: { title: string }) {
  return (
    <Page title={title}>
      <Skeleton blocks={['card', 'tiles']} />
    </Page>
  )
}

const loadHistory = async () => (await import('./pages/history')).History
const loadMember = async () => (await import('./pages/member')).MemberPage
const loadMemberEdit = async () => (await import('./pages/edit/member')).MemberEdit
const loadGroups = async () => (await import('./pages/groups')).Groups
const loadGroup = async () => (await import('./pages/group')).GroupPage
const loadGroupEdit = async () => (await import('./pages/edit/group')).GroupEdit
const loadInsights = async () => (await import('./pages/insights')).Insights
const loadImport = async () => (await import('./pages/import')).Import
const loadMore = async () => (await import('./pages/more')).More
const loadDevices = async () => (await import('./pages/devices')).Devices
const loadFriends = async () => (await import('./pages/friends')).Friends
const loadPrivacy = async () => (await import('./pages/privacy')).Privacy
const loadSystem = async () => (await import('./pages/system')).SystemPage
const loadSystemEdit = async () => (await import('./pages/edit/system')).SystemEdit
const loadSettings = async () => (await import('./pages/edit/settings')).SettingsPage
const loadPublic = async () => (await import('./pages/public')).Public
const loadAppearancePage = async () => (await import('./pages/appearance')).AppearancePage

/** Page whose code is loaded when it is first opened. */
function LazyPage({ title, load }: { title: string; load: () => Promise<ComponentType> }) {
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
      <Page title={title}>
        <p role="alert">{strings.away}</p>
      </Page>
    )
  if (!part || !isLoaded.value) return <Loading title={title} />
  return <part.Part />
}

applyAppearance()
fetchFonts()
startSync()
listenForShortcuts()
const root = document.getElementById('app')
if (root) render(<App />, root)
