import type { Browser, Page } from 'playwright-core'
import { type Visitor, visit } from './browser'
import type { createStates, DashboardState } from './dashboardStates'
import type { TestServer } from './testServer'
import { startSession, waitForPage } from './testSystem'

/** Address of a page that is opened between two others, some of which would stay the same page. */
const BETWEEN = 'more'

/**
 * Shows every state in a language and returns what a check finds wrong, by state. States that are an
 * address and nothing else come first, one after another in the same page. The others have a page of
 * their own each, because of what their step leaves behind.
 */
export async function checkStates(
  browser: Browser,
  testServer: TestServer,
  { system, states }: Awaited<ReturnType<typeof createStates>>,
  language: string,
  check: (visitor: Visitor) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const inside = await openIn(browser, testServer, system.token, language)
  const outside = await openIn(browser, testServer, system.token, language)
  await outside.context.clearCookies()
  const root = `${testServer.server.address}/#/`
  const checkState = async (
    [name, , step]: DashboardState,
    visitor: Visitor,
    open: () => Promise<unknown>,
  ) => {
    const { page } = visitor
    const show = async (): Promise<string[]> => {
      await open()
      await waitForPage(page)
      await step?.(page)
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
      return await check(visitor)
    }
    const problems = await show().catch((cause) => [String(cause)])
    problems.push(...visitor.consoleMessages.splice(0))
    if (problems.length > 0) found[name] = [...(found[name] ?? []), ...problems]
  }
  const isOutside = ([, address]: DashboardState) => /^(login|setup|create|http)/.test(address)
  const isPlain = (state: DashboardState) =>
    !isOutside(state) && state.length === 2 && state[1] !== BETWEEN
  await inside.page.goto(`${root}${BETWEEN}`)
  await waitForPage(inside.page)
  for (const state of states.filter(isPlain))
    await checkState(state, inside, async () => {
      await goToOtherPage(inside.page, `${root}${BETWEEN}`)
      // Its heading must not be replaced any more.
      await waitForPage(inside.page)
      await goToOtherPage(inside.page, `${root}${state[1]}`)
    })
  await inside.page.close()
  for (const state of states.filter((one) => !isPlain(one))) {
    const [, address, , refused] = state
    const visitor = isOutside(state) ? outside : inside
    const page = await visitor.context.newPage()
    await checkState(state, { ...visitor, page }, async () => {
      if (refused !== undefined) await page.route(refused, (route) => route.abort())
      await page.goto(address.startsWith('http') ? address : `${root}${address}`)
    })
    await page.close()
  }
  return found
}

/** Goes to another page of the same document, unless it is shown, and waits until it is drawn. */
async function goToOtherPage(page: Page, url: string): Promise<void> {
  if (page.url() === url) return
  const before = await page.locator('h1').elementHandle()
  await page.goto(url)
  await before?.waitForElementState('hidden')
}

/** Opens a session; pages are in this language. */
async function openIn(
  browser: Browser,
  testServer: TestServer,
  token: string,
  language: string,
): Promise<Visitor> {
  const visitor = await visit(browser)
  await startSession(visitor.context, testServer, token)
  await visitor.context.addInitScript(
    `if (location.protocol !== 'about:')
       localStorage.setItem('multitude-appearance', '${JSON.stringify({ language })}')`,
  )
  return visitor
}
