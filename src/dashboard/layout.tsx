import type { ComponentChildren } from 'preact'
import { isShortcutHelpOpen } from './actions/shortcuts'
import { isThrottled } from './api/client'
import { announcement } from './core/actions'
import { route } from './core/route'
import { connectionState, isOffline, memberWord, offlineReason, system } from './core/store'
import { strings } from './texts/texts'
import { Icon, type IconName } from './ui/icon'
import { lazy } from './ui/lazy'
import { Logo } from './ui/logo'
import { openSheets } from './ui/sheet'
import { Toaster } from './ui/toaster'

/** Permanent parts of the page: navigation, connection state, toast. */
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
          {isOffline.value && <p>{offlineReason()}</p>}
          {isThrottled.value && <p>{strings.serverBusy}</p>}
        </div>
        {children}
      </div>
      {openSheets.value.length === 0 && <Toaster />}
      <div role="status" class="unseen" id="said">
        {announcement.value}
      </div>
      {isShortcutHelpOpen.value && <ShortcutHelp />}
    </div>
  )
}

const memberPages = ['members', 'member', 'memberEdit']

function Navigation() {
  const { page } = route.value
  // All other pages are opened from More.
  const isOther = !['now', 'history', 'insights', ...memberPages].includes(page)
  const pages: [IconName, string, string, boolean][] = [
    ['now', '#/now', strings.now, page === 'now'],
    ['members', '#/members', memberWord.value.title, memberPages.includes(page)],
    ['history', '#/history', strings.history, page === 'history'],
    ['insights', '#/insights', strings.insights, page === 'insights'],
    ['more', '#/more', strings.more, isOther],
  ]
  const state = connectionState.value
  const name =
    state === 'live' ? strings.live : state === 'off' ? strings.offline : strings.connecting
  return (
    <nav class="places" aria-label={strings.navigation}>
      <p class="home">
        <Logo />
        <bdi>{system.value?.name ?? ''}</bdi>
      </p>
      <ul>
        {pages.map(([icon, href, title, isCurrent]) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class={`link link-${state}`}>{isOffline.value ? strings.offline : name}</p>
    </nav>
  )
}

const ShortcutHelp = lazy(async () => (await import('./ui/shortcutHelp')).ShortcutHelp)
