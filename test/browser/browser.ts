import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import {
  emptyFolder,
  runCommand,
  type Server,
  program as source,
  startServer,
} from '../serverProcess'
import { afterAll, afterEach, expect } from '../test'

/** Browsers that can install pages as apps. */
export const fullBrowsers: readonly string[] = ['chromium', 'google-chrome']

/** All browsers; the first is Chromium without windows and needs half the CPU time. */
const anyBrowsers = ['chromium-headless-shell', ...fullBrowsers]

/** The built executable, so that the tests run what is released. */
const built = join(import.meta.dir, '../../dist/multitude')

/** Falls back to the source; `npm run test:browser` builds first. */
const program = existsSync(built) ? [built] : source

export const sizes = {
  phone: { width: 390, height: 844 },
  desk: { width: 1200, height: 860 },
} as const

export type Size = keyof typeof sizes

/**
 * Contexts of the current test. They are closed after it, so that none slows down the next tests.
 */
const openContexts = new Set<BrowserContext>()

/** Starts the first of these browsers that is installed, and closes it after the tests. */
export async function startBrowser(names: readonly string[] = anyBrowsers): Promise<Browser> {
  const executablePath = names.map((name) => Bun.which(name)).find((path) => path !== null)
  if (!executablePath) throw new Error('No Chromium is installed: apt-get install chromium')
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  afterEach(async () => {
    await Promise.all([...openContexts].map((context) => context.close()))
    openContexts.clear()
  })
  afterAll(() => browser.close())
  return browser
}

export interface TestServer {
  readonly server: Server
  /** Kills the server, as a power failure would. */
  stop(): Promise<void>
  restart(): Promise<void>
  readonly token: string
  readonly hid: string
  /** Runs a command of the operator and parses the JSON that it prints. */
  operate<T>(...args: string[]): Promise<T>
  /** Runs a command and returns its output. */
  run(...args: string[]): Promise<string>
  ask<T>(line: string, body?: unknown, token?: string): Promise<T>
}

/** Starts the executable in an empty folder and creates a system, unless its name is null. */
export async function startTestServer(
  name: string | null,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<TestServer> {
  const cwd = emptyFolder('browser-')
  let server = await startServer(program, args, { cwd, env })
  const run = async (...given: string[]): Promise<string> => {
    const { code, out, err } = await runCommand([...program, ...given], { cwd, env })
    if (code !== 0) throw new Error(`${given.join(' ')}: ${err}`)
    return out
  }
  const operate = async <T>(...given: string[]): Promise<T> =>
    JSON.parse(await run(...given, '--json'))
  const system =
    name === null
      ? { id: '', token: '' }
      : await operate<{ id: string; token: string }>('system', 'create', '--name', name)
  return {
    get server() {
      return server
    },
    async stop() {
      server.kill('SIGKILL')
      await server.end()
    },
    async restart() {
      server = await startServer(program, args, { cwd, env })
    },
    token: system.token,
    hid: system.id,
    operate,
    run,
    async ask<T>(line: string, body?: unknown, token = system.token) {
      const [method = 'GET', path = '/'] = line.split(' ')
      const response = await fetch(`${server.address}${path}`, {
        method,
        headers: { authorization: token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${line}: ${response.status} ${text}`)
      return (text === '' ? null : JSON.parse(text)) as T
    },
  }
}

/** Opens a page in its own browser context; contexts share nothing. */
export async function visit(
  browser: Browser,
  size: Size = 'phone',
  scheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: scheme })
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const consoleMessages: string[] = []
  context.on('console', (message) => {
    // The browser logs every error response; these are expected in the tests.
    if (!/Failed to load resource/.test(message.text())) consoleMessages.push(message.text())
  })
  context.on('weberror', (failure) => consoleMessages.push(String(failure.error())))
  openContexts.add(context)
  return { page, context, consoleMessages }
}

export interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** Console messages and errors of all pages of the context. Expected to be empty. */
  readonly consoleMessages: string[]
}

/**
 * Takes the network from the page. The event is repeated when requests fail, because a stream that
 * the page opened before that stays connected.
 */
export async function cutNetwork(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await waitForTrue(page, `fetch('health/live').then(() => false, () => true)`)
  await page.evaluate(`dispatchEvent(new Event('offline'))`)
}

/** Disconnects the page and waits until it shows that. */
export async function disconnect(page: Page): Promise<void> {
  await cutNetwork(page)
  await page
    .getByText(
      'You’re offline. You can look around; switches can’t be logged until you’re back online.',
    )
    .first()
    .waitFor()
}

/** Expects no violation of accessibility rules and an empty console. */
export async function expectAccessible({ page, consoleMessages }: Visitor): Promise<void> {
  expect(await findViolations(page)).toEqual([])
  expect(consoleMessages).toEqual([])
}

/** Returns the violations of all accessibility rules, or of these. */
export async function findViolations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Evaluated through the debugger, because the content security policy allows no foreign script.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  // Text that is being faded in has too little contrast for a moment.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => {})`)
  return await page.evaluate(
    async (runOnly) => {
      const { run } = (globalThis as unknown as { axe: typeof axe }).axe
      const { violations } = await (runOnly.length === 0 ? run() : run({ runOnly }))
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    [...rules],
  )
}

/** Expects no horizontal scrolling at 320 px and with text of twice the size. */
export async function expectNoHorizontalScroll({ page }: Visitor): Promise<void> {
  const before = page.viewportSize() ?? sizes.phone
  const enlarge = (times: number) =>
    page.evaluate(`document.documentElement.style.setProperty('--text', '${times}')`)
  const narrow = [
    { width: 320, times: 1 },
    { width: 390, times: 2 },
    { width: 320, times: 2 },
  ]
  for (const { width, times } of narrow) {
    await page.setViewportSize({ width, height: before.height })
    await enlarge(times)
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect({ width, times, overflow }).toEqual({ width, times, overflow: 0 })
  }
  await enlarge(1)
  await page.setViewportSize(before)
}

/** Expects that no text is cut off on a phone with text of twice the size. */
export async function expectNoClippedText({ page }: Visitor): Promise<void> {
  const before = page.viewportSize() ?? sizes.phone
  await page.setViewportSize({ width: 390, height: before.height })
  await page.evaluate(`document.documentElement.style.setProperty('--text', '2')`)
  const cut = await page.evaluate(`
    [...document.querySelectorAll('h1, h2, h3, p, dt, dd, label, button, nav span, td, th')]
      .filter((one) => one.checkVisibility() && !one.closest('.unseen, .tile') && !one.matches('.unseen'))
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map((one) => one.outerHTML.slice(0, 160))
  `)
  expect(cut).toEqual([])
  await page.evaluate(`document.documentElement.style.setProperty('--text', '1')`)
  await page.setViewportSize(before)
}

/** Expects that everything that can be tapped is at least 44 px high and wide. */
export async function expectLargeTargets({ page }: Visitor): Promise<void> {
  const small = await page.evaluate(`
    [...document.querySelectorAll('button:not(.skip), nav a, a.beside')]
      .map((one) => ({ box: one.getBoundingClientRect(), text: one.textContent }))
      .filter(({ box }) => box.width < 44 || box.height < 44)
      .map(({ box, text }) => text + ' ' + box.width + ' × ' + box.height)
  `)
  expect(small).toEqual([])
}

/** Waits until the server has answered a change that the page already shows. */
export const waitForChange = (page: Page): Promise<unknown> =>
  page.waitForResponse((response) => response.request().method() !== 'GET')

/** Waits until the title of the page contains a text; it is set after the page is drawn. */
export const waitForTitle = (page: Page, part: string): Promise<void> =>
  waitForTrue(page, `document.title.includes(${JSON.stringify(part)})`)

/**
 * Waits until an expression is true in the page. `waitForFunction` evaluates a text in the page
 * itself, where the content security policy forbids it.
 */
export async function waitForTrue(page: Page, expression: string): Promise<void> {
  for (const end = Date.now() + 100_000; Date.now() < end; await Bun.sleep(30))
    if (await page.evaluate(expression)) return
  throw new Error(`not true in time: ${expression}`)
}
