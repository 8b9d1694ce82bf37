import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe } from '../../tools/test'
import { type Size, storySizes, type Visitor, visit } from './browser'
import type { TestServer } from './testServer'

type Scheme = 'light' | 'dark'

const HOUR = 3_600_000

interface LoggedSwitch {
  id: string
  timestamp: string
  members: string[]
}

/** System with a few members, whose switches each test sets up. */
export interface SeededSystem {
  readonly token: string
  readonly hid: string
  ask<T>(line: string, body?: unknown): Promise<T>
  /** Returns the short ID of a member. */
  idOf(name: string): string
  /** Deletes all switches and logs these: hours ago, and members. */
  setSwitches(...front: [hoursAgo: number, ...names: string[]][]): Promise<void>
  log(hoursAgo: number, ...names: string[]): Promise<LoggedSwitch>
  /** Returns the server's history, newest first, with names. */
  history(): Promise<{ at: number; names: string[] }[]>
}

const people = [
  ['Wren', 'she/her', 'd88b4a'],
  ['Iris', 'she/her', '8e62d6'],
  ['Moss', 'he/they', '6f9e5e'],
  ['Juno', 'they/them', '5a7fc8'],
  ['Atlas', 'he/him', null],
  ['Ember', 'she/they', '000000'],
  ['Jün', null, 'f2d15e'],
] as const

export async function seedSystem(testServer: TestServer, name: string): Promise<SeededSystem> {
  const { id: hid, token } = await testServer.operate<{ id: string; token: string }>(
    'system',
    'create',
    '--name',
    name,
  )
  const ask = <T>(line: string, body?: unknown) => testServer.ask<T>(line, body, token)
  const ids = new Map<string, string>()
  for (const [memberName, pronouns, color] of people) {
    const created = await ask<{ id: string }>('POST /v2/members', {
      name: memberName,
      pronouns,
      color,
    })
    ids.set(memberName, created.id)
  }
  const idOf = (memberName: string) => ids.get(memberName) ?? memberName
  const log = (hoursAgo: number, ...names: string[]) =>
    ask<LoggedSwitch>('POST /v2/systems/@me/switches', {
      timestamp: new Date(Date.now() - hoursAgo * HOUR).toISOString(),
      members: names.map(idOf),
    })
  const list = () => ask<LoggedSwitch[]>('GET /v2/systems/@me/switches')
  return {
    token,
    hid,
    ask,
    idOf,
    log,
    async setSwitches(...front) {
      for (const { id } of await list()) await ask(`DELETE /v2/systems/@me/switches/${id}`)
      for (const [hoursAgo, ...names] of front) await log(hoursAgo, ...names)
    },
    async history() {
      const names = new Map([...ids].map(([memberName, id]) => [id, memberName]))
      return (await list()).map(({ timestamp, members }) => ({
        at: Date.parse(timestamp),
        names: members.map((id) => names.get(id) ?? id),
      }))
    },
  }
}

interface DashboardTools {
  readonly size: Size
  readonly system: SeededSystem
  /** Opens the page Now in a session of the system. */
  openNow(scheme?: Scheme): Promise<Visitor>
  /** Opens the page with this path in a session of the system. */
  openPath(path: string, scheme?: Scheme): Promise<Visitor>
}

/** Runs tests of the dashboard in the size that they are designed for, with a system of their own. */
export function describeDashboard(
  browser: Browser,
  testServer: TestServer,
  define: (tools: DashboardTools) => void | Promise<void>,
  designedFor: Size = 'phone',
): void {
  describe.each(storySizes(designedFor))('on a %s', async (size) => {
    const system = await seedSystem(testServer, 'Lantern Hill')
    await define({
      size,
      system,
      openNow: (scheme) => openDashboard(browser, testServer, system, size, scheme),
      openPath: (path, scheme) => openPage(browser, testServer, system, path, size, scheme),
    })
  })
}

/** Opens the page Now in a new browser context and in a session of the system. */
export async function openDashboard(
  browser: Browser,
  testServer: TestServer,
  system: SeededSystem,
  size: Size = 'phone',
  scheme: Scheme = 'light',
): Promise<Visitor> {
  const visitor = await visit(browser, size, scheme)
  await startSession(visitor.context, testServer, system.token)
  await visitor.page.goto(testServer.server.address)
  await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
  await waitForStream(visitor.page)
  return visitor
}

/** Opens a page in a session of the system, and waits until it is loaded. */
export async function openPage(
  browser: Browser,
  testServer: TestServer,
  system: SeededSystem,
  path: string,
  size: Size = 'phone',
  scheme: Scheme = 'light',
): Promise<Visitor> {
  const visitor = await visit(browser, size, scheme)
  await startSession(visitor.context, testServer, system.token)
  await visitor.page.goto(`${testServer.server.address}/#/${path}`)
  await waitForPage(visitor.page)
  await waitForStream(visitor.page)
  return visitor
}

/** Gives a browser context the cookie of a new session, as the login page does. */
export async function startSession(
  context: BrowserContext,
  { server: { address } }: { readonly server: { readonly address: string } },
  token: string,
): Promise<void> {
  const response = await context.request.post(`${address}/web/session`, {
    data: JSON.stringify({ token }),
  })
  if (!response.ok()) throw new Error(`no session: ${response.status()}`)
}

/** Waits until the page learns of changes by others. Pages without a session need no navigation. */
async function waitForStream(page: Page): Promise<void> {
  await page.locator('.places:not(:has(.link-live))').waitFor({ state: 'detached' })
}

/** Waits until a page is drawn, and then until its data is loaded. */
export async function waitForPage(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/**
 * Logs in. A device that is remembered keeps a copy and a queue of switches, which the tests of
 * offline use are about; other tests do without.
 */
export async function logIn(
  page: Page,
  { server: { address } }: { readonly server: { readonly address: string } },
  token: string,
  isRemembered = false,
): Promise<void> {
  await page.goto(address)
  await page.getByLabel('Token').fill(token)
  await page.getByLabel('Remember this device').setChecked(isRemembered)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/**
 * Goes to a page by its shortcut. The keys are pressed again if the page does not appear, because a
 * busy browser can be slower than the pause that a shortcut allows.
 */
export async function goByKeys(page: Page, key: string, title: string): Promise<void> {
  const heading = page.getByRole('heading', { name: title, level: 1 })
  for (let tries = 0; tries < 20; tries++) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    const isThere = await heading.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    )
    if (isThere) return
  }
  throw new Error(`the shortcut did not open ${title}`)
}
