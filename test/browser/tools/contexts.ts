import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/**
 * Browser contexts that tests use one after another. Each keeps a page open, and with it the process
 * of its pages, which has compiled the scripts of the dashboard and of the checks. A new process
 * takes several times as long for the first page and its first check.
 */
interface KeptContext {
  readonly context: BrowserContext
  readonly keeper: Page
  /** Origins that pages were opened at since the last reset. */
  readonly origins: Set<string>
  /** True after a change that no reset undoes. */
  isChanged: boolean
}

const free = new Map<string, KeptContext[]>()

const inUse = new Map<BrowserContext, { readonly kept: KeptContext; readonly key: string }>()

/** Numbers of the browsers, because contexts belong to one of them. */
const browserNumbers = new Map<Browser, number>()

/** Returns a context without cookies, stored data and pages. */
export async function acquireContext(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const number = browserNumbers.get(browser) ?? browserNumbers.size
  browserNumbers.set(browser, number)
  const key = JSON.stringify([number, options])
  const kept = free.get(key)?.pop() ?? (await createContext(browser, options))
  inUse.set(kept.context, { kept, key })
  return kept.context
}

/** Resets all contexts in use for later tests, and closes those that cannot be reset. */
export async function releaseContexts(): Promise<void> {
  const released = [...inUse.values()]
  inUse.clear()
  await Promise.all(
    released.map(async ({ kept, key }) => {
      // Workers outlive their pages.
      if (kept.isChanged || kept.context.serviceWorkers().length > 0) return kept.context.close()
      await reset(kept)
      free.set(key, [...(free.get(key) ?? []), kept])
    }),
  )
}

async function createContext(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<KeptContext> {
  const context = await browser.newContext(options)
  const keeper = await context.newPage()
  const kept: KeptContext = { context, keeper, origins: new Set(), isChanged: false }
  context.on('request', (request) => {
    if (request.isNavigationRequest()) kept.origins.add(new URL(request.url()).origin)
  })
  const markChanged = () => {
    kept.isChanged = true
  }
  beforeCall(context, ['addInitScript'], markChanged)
  // The clock of a page is that of its context.
  beforeCall(context.clock, ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'], markChanged)
  return kept
}

function beforeCall<T extends object>(target: T, names: (keyof T)[], run: () => void): void {
  for (const name of names) {
    const method = target[name] as (...args: unknown[]) => unknown
    const replaced = (...args: unknown[]) => {
      run()
      return method.apply(target, args)
    }
    Object.assign(target, { [name]: replaced })
  }
}

async function reset({ context, keeper, origins }: KeptContext): Promise<void> {
  await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())))
  context.removeAllListeners('console')
  context.removeAllListeners('weberror')
  await Promise.all([
    context.unrouteAll({ behavior: 'ignoreErrors' }),
    context.setOffline(false),
    context.clearPermissions(),
    context.clearCookies(),
  ])
  const debug = await context.newCDPSession(keeper)
  for (const origin of origins)
    await debug.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await debug.detach()
  origins.clear()
}
