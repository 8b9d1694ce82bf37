import { expect } from 'bun:test'
import { gt, max } from 'drizzle-orm'
import { events } from '../../../src/db/tables'
import { createBot } from '../../operatorActions'
import type { Answer, TestApp } from '../../testApp'

/** An answer, as far as a test looks into it. */
export type Json = Record<string, unknown>

/** Something that was done before: "METHOD /path" and its body. */
export type Step = [line: string, body?: unknown]

/**
 * A system that came into being through a bot, in a guild of its own: the members wren (`w:`),
 * finch (`[` `]`) and heron (without tags), and nobody fronting.
 */
export interface BotFixture {
  readonly names: Record<string, string>
  /** Asks as the bot, on v2 on behalf of the system; `<wren>` and the like are filled in. */
  ask<T = Json>(line: string, body?: unknown, headers?: Headed): Promise<Answer<T>>
  /** The same for what must succeed: gives the answer's JSON. */
  do<T = Json>(line: string, body?: unknown): Promise<T>
  doAll(steps?: readonly Step[]): Promise<void>
  /** Puts in what a test cannot know before: `<wren>`, `<wren.uuid>`, `<account>`, `<guild>` … */
  fill<T>(value: T): T
  /** The types of all events since the last time it was asked. */
  told(): Promise<string[]>
}

export type Headed = Record<string, string>

let fixtures = 0

/** Everything that a bot has made in a home. */
export function createBotFixtures(home: TestApp) {
  const key = createBot(home.deps, 'discord')

  return async function makeStage(): Promise<BotFixture> {
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
    let lastTold = 0

    const stage: BotFixture = {
      names,
      fill,
      async ask(line, body, headers = {}) {
        const actsAs = line.includes(' /v2/') && names.system ? { 'x-system': names.system } : {}
        return home.ask(fill(line), {
          headers: { authorization: `Bot ${names.key}`, ...actsAs, ...fill(headers) },
          ...(body !== undefined && { body: fill(body) }),
        })
      },
      async do<T>(line: string, body?: unknown) {
        const { status, text, json } = await stage.ask<T>(line, body)
        expect(status, `${line}: ${text}`).toBeLessThan(300)
        return json
      },
      async doAll(steps = []) {
        for (const [line, body] of steps) await stage.do(line, body)
      },
      async told() {
        const rows = await home.deps.db
          .select()
          .from(events)
          .where(gt(events.id, lastTold))
          .orderBy(events.id)
          .all()
        lastTold = await lastEvent(home)
        return rows.map(({ type }) => type)
      },
    }

    const made = await stage.do<{ system: Named; token: string }>('POST /bot/systems', {
      account_id: '<account>',
      name: 'Lantern Hill',
    })
    Object.assign(names, formsOf('system', made.system), { token: made.token })
    for (const [name, proxy_tags] of Object.entries(tagsOf)) {
      const member = await stage.do<Named>('POST /v2/members', { name, proxy_tags })
      Object.assign(names, formsOf(name.toLowerCase(), member))
    }
    lastTold = await lastEvent(home)
    return stage
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
  const row = await deps.db
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
      if (found === undefined) throw new Error(`nothing is called <${name}>`)
      return found
    }) as T
  if (Array.isArray(value)) return value.map((item) => fillIn(item, names)) as T
  // What is not plain, such as an expectation, has nothing to fill in.
  if (typeof value !== 'object' || Object.getPrototypeOf(value ?? '') !== Object.prototype)
    return value
  const entries = Object.entries(value as Json).map(([key, item]) => [key, fillIn(item, names)])
  return Object.fromEntries(entries) as T
}
