import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { said, toast, undo } from './acts'
import { isHeldBack } from './client'
import { areKeysShown } from './keys'
import { Icon, type IconName } from './parts/icon'
import { Mark } from './parts/mark'
import { Sheet } from './parts/sheet'
import { route } from './route'
import { isAway, link, preferences, system } from './store'
import { capitalize, words } from './words'

/** What stays where it is: the places, whether it is live, what was just done. */
export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <div class="frame">
      <button
        type="button"
        class="skip"
        onClick={() => document.querySelector<HTMLElement>('h1')?.focus()}
      >
        {words.skip}
      </button>
      <Places />
      <div class="middle">
        <div role="status" class="banner">
          {isAway.value && <p>{words.notConnected}</p>}
          {isHeldBack.value && <p>{words.heldBack}</p>}
        </div>
        {children}
      </div>
      <Toaster />
      <div role="status" class="unseen" id="said">
        {said.value}
      </div>
      {areKeysShown.value && <Keys />}
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

function Places() {
  const { page } = route.value
  const places: [IconName, string, string, boolean][] = [
    ['now', '#/now', words.now, page === 'now'],
    ['members', '#/members', capitalize(preferences.value.word), inMembers.includes(page)],
    ['history', '#/history', words.history, page === 'history'],
    ['insights', '#/insights', words.insights, page === 'insights'],
    ['more', '#/more', words.more, inMore.includes(page)],
  ]
  const state = link.value
  const name = state === 'live' ? words.live : state === 'off' ? words.off : words.connecting
  return (
    <nav class="places" aria-label={words.places}>
      <p class="home">
        <Mark />
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
      <p class={`link link-${state}`}>{isAway.value ? words.off : name}</p>
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
    <section class="toast" aria-label={words.undo}>
      <p>{now.text}</p>
      {now.undo && (
        <button type="button" onClick={() => undo(now)}>
          {words.undo}
        </button>
      )}
    </section>
  )
}

function Keys() {
  const close = () => {
    areKeysShown.value = false
  }
  return (
    <Sheet heading={words.keysTitle} onClose={close}>
      <dl class="keys">
        {words.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{words.keysMore}</p>
    </Sheet>
  )
}
