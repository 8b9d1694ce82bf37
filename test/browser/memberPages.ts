import type { Browser, Page } from 'playwright-core'
import { expect } from '../test'
import type { Size, TestServer, Visitor } from './browser'
import { openDashboard, type SeededSystem } from './testSystem'

export interface MemberJson {
  id: string
  uuid: string
  name: string
  description: string | null
  privacy: Record<string, string>
}

/** Logs in, opens a page, and waits until it is loaded. */
export async function openPage(
  browser: Browser,
  testServer: TestServer,
  system: SeededSystem,
  path: string,
  size: Size = 'phone',
  scheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const visitor = await openDashboard(browser, testServer, system, size, scheme)
  await visitor.page.goto(`${testServer.server.address}/#/${path}`)
  // Until then Now is still shown and could be taken for the page.
  await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor({ state: 'detached' })
  await waitForPage(visitor.page)
  return visitor
}

export async function waitForPage(page: Page): Promise<void> {
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.locator('h1').waitFor()
}

/** Returns the listed names in their order. */
export function listedNames(page: Page): Promise<string[]> {
  return page.locator('.members .name').allTextContents()
}

/** Waits until exactly these names are listed. */
export async function expectListed(page: Page, names: readonly string[]): Promise<void> {
  await waitUntil(async () => (await listedNames(page)).join() === names.join())
  expect(await listedNames(page)).toEqual([...names])
}

const TIMEOUT_MS = 15_000

/** Waits until a condition is true, or for the timeout. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end && !(await condition()); )
    await Bun.sleep(30)
}
