import { afterAll, afterEach, expect } from 'bun:test'
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

/** A real browser, if one is installed. */
export const executable = Bun.which('chromium') ?? Bun.which('google-chrome')

/** The program as people get it: the tests of the page run on what was built. */
const built = join(import.meta.dir, '../../dist/multitude')

/** Without it, as it is in the source: `npm run test:browser` builds first. */
const program = existsSync(built) ? [built] : source

export const sizes = {
  phone: { width: 390, height: 844 },
  desk: { width: 1200, height: 860 },
} as const

export type Size = keyof typeof sizes

/** Visitors of the story that is told; they leave with its end, so that none keeps the next ones waiting. */
const visiting = new Set<BrowserContext>()

/** Starts the browser. It never outlives the tests. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: executable ?? '',
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
    await Promise.all([...visiting].map((context) => context.close()))
    visiting.clear()
  })
  afterAll(() => browser.close())
  return browser
}

export interface TestServer {
  readonly server: Server
  /** As when the power goes. */
  stop(): Promise<void>
  startAgain(): Promise<void>
  readonly token: string
  readonly hid: string
  /** Runs a command of the operator's and gives what it printed as JSON. */
  operate<T>(...args: string[]): Promise<T>
  /** The same, as it was printed. */
  run(...args: string[]): Promise<string>
  ask<T>(line: string, body?: unknown, token?: string): Promise<T>
}

/** The executable, alone in a folder, with a system of a few members. */
export async function startTestServer(name: string, args: string[] = []): Promise<TestServer> {
  const cwd = emptyFolder('browser-')
  let server = await startServer(program, args, { cwd })
  const run = async (...given: string[]): Promise<string> => {
    const { code, out, err } = await runCommand([...program, ...given], { cwd })
    if (code !== 0) throw new Error(`${given.join(' ')}: ${err}`)
    return out
  }
  const operate = async <T>(...given: string[]): Promise<T> =>
    JSON.parse(await run(...given, '--json'))
  const made = await operate<{ id: string; token: string }>('system', 'create', '--name', name)
  return {
    get server() {
      return server
    },
    async stop() {
      server.kill('SIGKILL')
      await server.end()
    },
    async startAgain() {
      server = await startServer(program, args, { cwd })
    },
    token: made.token,
    hid: made.id,
    operate,
    run,
    async ask<T>(line: string, body?: unknown, token = made.token) {
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

/** A visitor with a browser of their own: nothing is shared between two of them. */
export async function visit(
  browser: Browser,
  size: Size = 'phone',
  scheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: scheme })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const noise: string[] = []
  page.on('console', (message) => {
    // The browser itself tells of every answer that is a refusal; those are part of the stories.
    if (!/Failed to load resource/.test(message.text())) noise.push(message.text())
  })
  page.on('pageerror', (failure) => noise.push(String(failure)))
  visiting.add(context)
  return { page, context, noise }
}

export interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** What the console said. Nothing should. */
  readonly noise: string[]
}

/** The line is gone, and the page says so; a stream that slipped through in that moment is lost, too. */
export async function loseServer(page: Page): Promise<void> {
  await page.context().setOffline(true)
  const told = page.getByText('Not connected. Changes wait until it is back.').first()
  await told.waitFor({ timeout: 3000 }).catch(async () => {
    await page.evaluate(`dispatchEvent(new Event('offline'))`)
    await told.waitFor()
  })
}

/** Nothing that a screen reader, a keyboard or tired eyes would stumble over. */
export async function expectAccessible({ page, noise }: Visitor): Promise<void> {
  // Through the debugger, because the page's own policy lets no foreign script in.
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
  expect(found).toEqual([])
  expect(noise).toEqual([])
}

/** At 320 px, and with text of twice the size, everything still fits. */
export async function expectNoSideways({ page }: Visitor): Promise<void> {
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

/** With text of twice the size on a phone, every word of a heading, a control or a place is whole. */
export async function expectNothingCut({ page }: Visitor): Promise<void> {
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

/** Everything that can be tapped is at least 44 px high and wide. */
export async function expectLargeTargets({ page }: Visitor): Promise<void> {
  const small = await page.evaluate(`
    [...document.querySelectorAll('button:not(.skip), nav a, a.beside')]
      .map((one) => ({ box: one.getBoundingClientRect(), text: one.textContent }))
      .filter(({ box }) => box.width < 44 || box.height < 44)
      .map(({ box, text }) => text + ' ' + box.width + ' × ' + box.height)
  `)
  expect(small).toEqual([])
}
