import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { announcement, toast, undo } from './actions'
import { isThrottled } from './api'
import { Icon, type IconName } from './components/icon'
import { Logo } from './components/logo'
import { Sheet } from './components/sheet'
import { route } from './route'
import { isShortcutHelpOpen } from './shortcuts'
import { connectionState, isOffline, preferences, system } from './store'
import { capitalize, strings } from './strings'

/** What stays where it is: the places, whether it is live, what was just done. */
export function Layout({ children }: { children: ComponentChildren }) {
  return (
    <div class="frame">
      <button
        type="button"
        class="skip"
        onClick={() => document.querySelector<HTMLElement>('h1')?.focus()}
      >
        {strings.skip}
      </button>
      <Navigation />
      <div class="middle">
        <div role="status" class="banner">
          {isOffline.value && <p>{strings.notConnected}</p>}
          {isThrottled.value && <p>{strings.heldBack}</p>}
        </div>
        {children}
      </div>
      <Toaster />
      <div role="status" class="unseen" id="said">
        {announcement.value}
      </div>
      {isShortcutHelpOpen.value && <ShortcutHelp />}
    </div>
  )
}

const inMembers = ['members', 'member', 'memberEdit']
const inMore = [
  'more',
  'groups',
  'group',
  'groupEdit',
  'privacy',
  'friends',
  'import',
  'devices',
  'look',
  'system',
  'systemEdit',
  'settings',
]

function Navigation() {
  const { page } = route.value
  const places: [IconName, string, string, boolean][] = [
    ['now', '#/now', strings.now, page === 'now'],
    ['members', '#/members', capitalize(preferences.value.word), inMembers.includes(page)],
    ['history', '#/history', strings.history, page === 'history'],
    ['insights', '#/insights', strings.insights, page === 'insights'],
    ['more', '#/more', strings.more, inMore.includes(page)],
  ]
  const state = connectionState.value
  const name = state === 'live' ? strings.live : state === 'off' ? strings.off : strings.connecting
  return (
    <nav class="places" aria-label={strings.places}>
      <p class="home">
        <Logo />
        <span>{system.value?.name ?? ''}</span>
      </p>
      <ul>
        {places.map(([icon, href, title, isHere]) => (
          <li key={href}>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class={`link link-${state}`}>{isOffline.value ? strings.off : name}</p>
    </nav>
  )
}

const TOAST_MS = 10_000

function Toaster() {
  const now = toast.value
  useEffect(() => {
    if (!now) return
    const timer = setTimeout(() => {
      if (toast.value === now) toast.value = null
    }, TOAST_MS)
    return () => clearTimeout(timer)
  }, [now])
  if (!now) return null
  return (
    <section class="toast" aria-label={strings.undo}>
      <p>{now.text}</p>
      {now.undo && (
        <button type="button" onClick={() => undo(now)}>
          {strings.undo}
        </button>
      )}
    </section>
  )
}

function ShortcutHelp() {
  const close = () => {
    isShortcutHelpOpen.value = false
  }
  return (
    <Sheet heading={strings.keysTitle} onClose={close}>
      <dl class="keys">
        {strings.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{strings.keysMore}</p>
    </Sheet>
  )
}
