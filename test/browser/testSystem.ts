import type { Browser, Page } from 'playwright-core'
import { type TestServer, type Visitor, visit } from './browser'

const HOUR = 3_600_000

interface Logged {
  id: string
  timestamp: string
  members: string[]
}

/** A system with a few members, whose front is put in order before each story. */
export interface SeededSystem {
  readonly token: string
  readonly hid: string
  ask<T>(line: string, body?: unknown): Promise<T>
  /** Whose short ID is whose. */
  idOf(name: string): string
  /** Forgets all switches and logs these: hours ago, and who. */
  begin(...front: [hoursAgo: number, ...names: string[]][]): Promise<void>
  log(hoursAgo: number, ...names: string[]): Promise<Logged>
  /** The history as the server has it, newest first, by name. */
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
  for (const [called, pronouns, color] of people) {
    const made = await ask<{ id: string }>('POST /v2/members', { name: called, pronouns, color })
    ids.set(called, made.id)
  }
  const idOf = (called: string) => ids.get(called) ?? called
  const log = (hoursAgo: number, ...names: string[]) =>
    ask<Logged>('POST /v2/systems/@me/switches', {
      timestamp: new Date(Date.now() - hoursAgo * HOUR).toISOString(),
      members: names.map(idOf),
    })
  const list = () => ask<Logged[]>('GET /v2/systems/@me/switches')
  return {
    token,
    hid,
    ask,
    idOf,
    log,
    async begin(...front) {
      for (const { id } of await list()) await ask(`DELETE /v2/systems/@me/switches/${id}`)
      for (const [hoursAgo, ...names] of front) await log(hoursAgo, ...names)
    },
    async history() {
      const names = new Map([...ids].map(([called, id]) => [id, called]))
      return (await list()).map(({ timestamp, members }) => ({
        at: Date.parse(timestamp),
        names: members.map((id) => names.get(id) ?? id),
      }))
    },
  }
}

/** Somebody of the family, with a browser in which they are in. */
export async function openDashboard(
  browser: Browser,
  testServer: TestServer,
  family: SeededSystem,
  how: Parameters<typeof visit>[1] = 'phone',
  scheme: 'light' | 'dark' = 'light',
): Promise<Visitor> {
  const visitor = await visit(browser, how, scheme)
  const { page } = visitor
  await logIn(page, testServer, family.token)
  await page.getByRole('heading', { name: 'Here now' }).waitFor()
  return visitor
}

export async function logIn(page: Page, testServer: TestServer, token: string): Promise<void> {
  await page.goto(testServer.server.address)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Come in' }).click()
}
