import type axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterEach, expect } from '../../tools/test'
import { until } from '../../tools/until'
import { acquireContext, releaseContexts } from './contexts'
import { processFolder } from './testProcess'

/** Browsers that can install pages as apps. */
export const fullBrowsers: readonly string[] = ['chromium', 'google-chrome']

/** All browsers; the first is Chromium without windows and needs half the CPU time. */
const anyBrowsers = ['chromium-headless-shell', ...fullBrowsers]

export const sizes = {
  phone: { width: 390, height: 844 },
  desk: { width: 1200, height: 860 },
} as const

export type Size = keyof typeof sizes

/** Sizes on which a story runs: the one that it is designed for, or all with `--sizes all`. */
export const storySizes = (designedFor: Size = 'phone'): readonly Size[] =>
  process.env.STORY_SIZES === 'all' ? ['phone', 'desk'] : [designedFor]

const browsers = new Map<string, Promise<Browser>>()

/** Returns the first of these browsers that is installed. All test files of this process share it. */
export async function startBrowser(names: readonly string[] = anyBrowsers): Promise<Browser> {
  const executablePath = names.map((name) => Bun.which(name)).find((path) => path !== null)
  if (!executablePath) throw new Error('No Chromium is installed: apt-get install chromium')
  afterEach(releaseContexts)
  const started = browsers.get(executablePath) ?? launchBrowser(executablePath)
  browsers.set(executablePath, started)
  return await started
}

/** Starts a browser. It ends with this process, whose end closes the pipe that controls it. */
function launchBrowser(executablePath: string): Promise<Browser> {
  processFolder()
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages of a context share a process, which `contexts.ts` keeps.
      '--renderer-process-limit=1',
      // Documents live for seconds, so compiling their scripts for speed takes longer than it saves.
      '--js-flags=--no-maglev,--no-turbofan,--always-sparkplug,--no-flush-bytecode',
    ],
  })
}

/** Opens a page in a browser context of the current test; contexts share nothing. */
export async function visit(
  browser: Browser,
  size: Size = 'phone',
  scheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const context = await acquireContext(browser, {
    viewport: sizes[size],
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const consoleMessages: string[] = []
  context.on('console', (message) => {
    // The browser logs every error response; these are expected in the tests.
    if (!/Failed to load resource/.test(message.text())) consoleMessages.push(message.text())
  })
  context.on('weberror', (failure) => consoleMessages.push(String(failure.error())))
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

/** Gives the network back. The event is repeated when requests succeed, for pages that missed it. */
export async function restoreNetwork(context: BrowserContext): Promise<void> {
  await context.setOffline(false)
  const pages = context.pages().filter((page) => page.url().startsWith('http'))
  await Promise.all(
    pages.map((page) =>
      page
        .evaluate(`(async () => {
          while (!(await fetch('health/live').then(() => true, () => false)));
          dispatchEvent(new Event('online'))
        })()`)
        // A page that loads itself again knows its state.
        .catch(() => {}),
    ),
  )
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

/** Expects no violation of accessibility rules in both sizes, and an empty console. */
export async function expectAccessible(
  { page, consoleMessages }: Visitor,
  { inDark = false } = {},
): Promise<void> {
  const problems = await checkSizes(page, async () => [
    ...(await findViolations(page)),
    ...(inDark ? await findViolationsInDark(page) : []),
  ])
  expect(problems).toEqual([])
  expect(consoleMessages).toEqual([])
}

/** Returns the violations that depend on colours, in dark mode. */
export async function findViolationsInDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const violations = await findViolations(page, ['color-contrast', 'link-in-text-block'])
  await page.emulateMedia({ colorScheme: 'light' })
  return violations.map((one) => `dark: ${one}`)
}

/** Checks the page in its size and then in the other one, and returns what is wrong in each. */
export async function checkSizes(
  page: Page,
  check: () => Promise<readonly string[]>,
): Promise<string[]> {
  const own = page.viewportSize() ?? sizes.phone
  const other = own.width < sizes.desk.width ? sizes.desk : sizes.phone
  const problems = [...(await check())]
  await page.setViewportSize(other)
  for (const problem of await check()) problems.push(`${other.width} px: ${problem}`)
  await page.setViewportSize(own)
  return problems
}

/** The minified script, because every document compiles it anew. */
const axeSource = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text()

/** Returns the violations of all accessibility rules, or of these. */
export async function findViolations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // Evaluated through the debugger, because the content security policy allows no foreign script.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axeSource)
  // Text that is being faded in has too little contrast for a moment.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => {})`)
  return await page.evaluate(
    async (runOnly) => {
      const { run } = (globalThis as unknown as { axe: typeof axe }).axe
      const { violations } = await run({
        resultTypes: ['violations'],
        // Style sheets and media, which only rules for other kinds of pages read.
        preload: false,
        ...(runOnly.length > 0 && { runOnly }),
      })
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

/** Expects that everything that can be tapped is at least 44 px high and wide in both sizes. */
export async function expectLargeTargets({ page }: Visitor): Promise<void> {
  expect(await checkSizes(page, () => findSmallTargets(page))).toEqual([])
}

/** Returns what can be tapped and is less than 44 px high or wide. */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`
    [...document.querySelectorAll('button:not(.skip), nav a, a.beside')]
      .map((one) => ({ box: one.getBoundingClientRect(), text: one.textContent }))
      .filter(({ box }) => box.width < 44 || box.height < 44)
      .map(({ box, text }) => text + ' ' + box.width + ' × ' + box.height)
  `)
}

/** Waits until the server has answered a change that the page already shows. */
export const waitForChange = (page: Page): Promise<unknown> =>
  page.waitForResponse((response) => response.request().method() !== 'GET')

/** Waits two frames, after which the page has drawn the effects of an earlier event. */
export const waitForDraw = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')

/**
 * Waits until the entry of a closed sheet is left, which happens a moment later. Before that, the
 * browser would merge a step back with it.
 */
export const waitForClosedSheet = (page: Page): Promise<void> =>
  waitForTrue(page, 'history.state?.isSheet !== true')

/** Waits until the title of the page contains a text; it is set after the page is drawn. */
export const waitForTitle = (page: Page, part: string): Promise<void> =>
  waitForTrue(page, `document.title.includes(${JSON.stringify(part)})`)

/**
 * Waits until an expression is true in the page. `waitForFunction` evaluates a text in the page
 * itself, where the content security policy forbids it.
 */
export async function waitForTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<unknown>(expression))
}
