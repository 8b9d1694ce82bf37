import { gt, max } from 'drizzle-orm'
import { events } from '../../../src/db/tables'
import { drizzleOn } from '../../tools/drizzle'
import { createBot } from '../../tools/operatorActions'
import { expect } from '../../tools/test'
import type { TestApp, TestResponse } from '../../tools/testApp'

/** JSON of a response. */
export type Json = Record<string, unknown>

/** Request that prepares a test: "METHOD /path" and its body. */
export type Step = [line: string, body?: unknown]

/**
 * System that a bot created, with a guild of its own: the members wren (`w:`), finch (`[` `]`) and
 * heron (without tags), and no switch.
 */
export interface BotFixture {
  readonly names: Record<string, string>
  /** Sends a request as the bot, on v2 and the extension API as the system; placeholders such as `<wren>` are filled in. */
  ask<T = Json>(line: string, body?: unknown, headers?: ExtraHeaders): Promise<TestResponse<T>>
  /** Sends a request that must succeed, and returns the JSON of the response. */
  do<T = Json>(line: string, body?: unknown): Promise<T>
  doAll(steps?: readonly Step[]): Promise<void>
  /** Replaces placeholders by generated IDs: `<wren>`, `<wren.uuid>`, `<account>`, `<guild>` … */
  fill<T>(value: T): T
  /** Returns the types of all events since the last call. */
  takeEvents(): Promise<string[]>
}

export type ExtraHeaders = Record<string, string>

let fixtures = 0

/** Returns a function that creates a fixture, with a bot key that all of them share. */
export function createBotFixtures(testApp: TestApp) {
  const key = createBot(testApp.deps, 'discord')

  return async function createBotFixture(): Promise<BotFixture> {
    const number = String(++fixtures).padStart(5, '0')
    const names: Record<string, string> = {
      account: `1000000000000${number}`,
      guild: `2000000000000${number}`,
      channel: `3000000000000${number}`,
      said: `4000000000000${number}`,
      sent: `5000000000000${number}`,
      key: await key,
    }
    const fill = <T>(value: T) => fillIn(value, names)
    let lastTaken = 0

    const fixture: BotFixture = {
      names,
      fill,
      async ask(line, body, headers = {}) {
        const isOfSystem = / \/(v2|ext\/v1)\//.test(line) && names.system
        const actsAs = isOfSystem ? { 'x-system': isOfSystem } : {}
        return testApp.ask(fill(line), {
          headers: { authorization: `Bot ${names.key}`, ...actsAs, ...fill(headers) },
          ...(body !== undefined && { body: fill(body) }),
        })
      },
      async do<T>(line: string, body?: unknown) {
        const { status, text, json } = await fixture.ask<T>(line, body)
        expect(status, `${line}: ${text}`).toBeLessThan(300)
        return json
      },
      async doAll(steps = []) {
        for (const [line, body] of steps) await fixture.do(line, body)
      },
      async takeEvents() {
        const rows = await drizzleOn(testApp.deps.db)
          .select()
          .from(events)
          .where(gt(events.id, lastTaken))
          .orderBy(events.id)
          .all()
        lastTaken = await lastEvent(testApp)
        return rows.map(({ type }) => type)
      },
    }

    const created = await fixture.do<{ system: Named; token: string }>('POST /bot/systems', {
      account_id: '<account>',
      name: 'Lantern Hill',
    })
    Object.assign(names, formsOf('system', created.system), { token: created.token })
    for (const [name, proxy_tags] of Object.entries(tagsOf)) {
      const member = await fixture.do<Named>('POST /v2/members', { name, proxy_tags })
      Object.assign(names, formsOf(name.toLowerCase(), member))
    }
    lastTaken = await lastEvent(testApp)
    return fixture
  }
}

interface Named {
  id: string
  uuid: string
}

const tagsOf = {
  Wren: [{ prefix: 'w:', suffix: null }],
  Finch: [{ prefix: '[', suffix: ']' }],
  Heron: [],
}

async function lastEvent({ deps }: TestApp): Promise<number> {
  const row = await drizzleOn(deps.db)
    .select({ last: max(events.id) })
    .from(events)
    .get()
  return row?.last ?? 0
}

function formsOf(name: string, { id, uuid }: Named): Record<string, string> {
  return { [name]: id, [`${name}.uuid`]: uuid }
}

function fillIn<T>(value: T, names: Record<string, string>): T {
  if (typeof value === 'string')
    return value.replace(/<([a-z][a-z.]*)>/g, (_, name: string) => {
      const found = names[name]
      if (found === undefined) throw new Error(`unknown placeholder <${name}>`)
      return found
    }) as T
  if (Array.isArray(value)) return value.map((item) => fillIn(item, names)) as T
  // Other objects, such as matchers, contain no placeholders.
  if (typeof value !== 'object' || Object.getPrototypeOf(value ?? '') !== Object.prototype)
    return value
  const entries = Object.entries(value as Json).map(([key, item]) => [key, fillIn(item, names)])
  return Object.fromEntries(entries) as T
}
