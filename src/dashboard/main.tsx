import { type ComponentType, options, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { listenForShortcuts } from './actions/shortcuts'
import type { Route } from './core/address'
import { applyAppearance } from './core/appearance'
import { fetchFonts } from './core/fonts'
import { startLanguage } from './core/language'
import { route } from './core/route'
import { loadProblem, loadSession, sessionState } from './core/session'
import { isFromCopy, isLoaded, isOffline, memberWord } from './core/store'
import { restoreSession } from './features/access/startSession'
import { Layout } from './layout'
import { useLazy } from './lib/useLazy'
import { Login } from './pages/login'
import { Members } from './pages/members'
import { Now } from './pages/now'
import { startSync } from './sync'
import { findText, strings } from './texts/texts'
import { Unreachable } from './ui/centeredPage'
import { lazy } from './ui/lazy'
import { LoadProblem } from './ui/loadProblem'
import { Page, Skeleton } from './ui/page'

function App() {
  const now = route.value
  if (now.page === 'watch') return <WatchPage key={now.token} token={now.token} />
  if (now.page === 'systems') return <PublicPage key={now.ref} of={now.ref} />
  if (now.page === 'setup') return <SetupPage key={now.code} code={now.code} />
  if (now.page === 'create') return <CreatePage />
  if (now.page === 'login') return <Login key={now.code} code={now.code} />
  return <Home page={now.page} id={'id' in now ? now.id : ''} />
}

/** Pages that work without login. */
const WatchPage = lazy(async () => (await import('./pages/watch')).Watch, Unreachable)
const PublicPage = lazy(async () => (await import('./pages/public')).Public, Unreachable)
const SetupPage = lazy(async () => (await import('./pages/createSystem')).Setup, Unreachable)
const CreatePage = lazy(async () => (await import('./pages/createSystem')).Create, Unreachable)

/** Shows the dashboard when logged in, otherwise the login page. */
function Home({ page, id }: { page: DashboardPage; id: string }) {
  const state = sessionState.value
  useEffect(() => {
    if (sessionState.value === 'loading') restoreSession()
  }, [])
  if (state === 'out') return <Login code="" />
  if (state === 'away') return <Unreachable onRetry={restoreSession} />
  return (
    <Layout>
      <CurrentPage key={`${page} ${id}`} page={page} />
    </Layout>
  )
}

type DashboardPage = Exclude<Route['page'], 'watch' | 'systems' | 'login' | 'setup' | 'create'>

/** Returns the title while the page is loading. */
type Title = () => string

const ofMembers: Title = () => memberWord.value.title
const ofGroups: Title = () => strings.groups
const ofSystem: Title = () => strings.system

/**
 * Now and Members are in the first script; the code of other pages is loaded when they are opened. A
 * page without a title has the text of its name.
 */
const pages: Record<DashboardPage, [() => ComponentType | Promise<ComponentType>, Title?]> = {
  now: [() => Now],
  members: [() => Members, ofMembers],
  member: [async () => (await import('./pages/member')).MemberPage, ofMembers],
  memberEdit: [async () => (await import('./pages/memberEdit')).MemberEdit, ofMembers],
  groups: [async () => (await import('./pages/groups')).Groups],
  group: [async () => (await import('./pages/group')).GroupPage, ofGroups],
  groupEdit: [async () => (await import('./pages/groupEdit')).GroupEdit, ofGroups],
  notes: [async () => (await import('./pages/notes')).Notes],
  chat: [async () => (await import('./pages/chat')).Chat],
  reminders: [async () => (await import('./pages/reminders')).Reminders],
  fields: [async () => (await import('./pages/fields')).FieldsPage],
  archive: [async () => (await import('./pages/transfer')).Archive, () => strings.archivedData],
  history: [async () => (await import('./pages/history')).History],
  insights: [async () => (await import('./pages/insights')).Insights],
  import: [async () => (await import('./pages/transfer')).Import],
  more: [async () => (await import('./pages/more')).More],
  devices: [async () => (await import('./pages/devices')).Devices],
  privacy: [async () => (await import('./pages/privacy')).Privacy],
  system: [async () => (await import('./pages/system')).SystemPage],
  systemEdit: [async () => (await import('./pages/systemEdit')).SystemEdit, ofSystem],
  settings: [async () => (await import('./pages/settings')).SettingsPage, ofSystem],
  friends: [async () => (await import('./pages/friends')).Friends],
  friend: [async () => (await import('./pages/friends')).Invitation, () => strings.friends],
  appearance: [async () => (await import('./pages/appearance')).AppearancePage],
}

/** Pages that show only what the page keeps in memory, or in the copy on the device. */
const readable: readonly DashboardPage[] = [
  'now',
  'members',
  'member',
  'history',
  'more',
  'appearance',
]

function CurrentPage({ page }: { page: DashboardPage }) {
  const [load, title] = pages[page]
  const { Content, hasFailed, retry } = useLazy(load)
  const wasShown = useRef(false)
  const isUnavailable =
    (isOffline.value || isFromCopy.value) && !wasShown.current && !readable.includes(page)
  if (Content && isLoaded.value && !isUnavailable) {
    wasShown.current = true
    return <Content />
  }
  const problem = isLoaded.value ? '' : loadProblem.value
  return (
    <Page title={title?.() ?? findText(strings, page) ?? ''}>
      {isLoaded.value && isUnavailable ? (
        <p role="status">{strings.needsServer(memberWord.value)}</p>
      ) : hasFailed ? (
        <LoadProblem onRetry={retry} />
      ) : problem !== '' ? (
        <LoadProblem text={problem} onRetry={loadSession} />
      ) : (
        <Skeleton blocks={['card', 'tiles']} />
      )}
    </Page>
  )
}

// Effects run before the browser delivers another event: what is shown must react at once, and an effect
// that comes later would undo what its reader has done meanwhile.
options.requestAnimationFrame = queueMicrotask

applyAppearance()
fetchFonts()
startSync()
listenForShortcuts()
const root = document.getElementById('app')
startLanguage().then(() => root && render(<App />, root))
