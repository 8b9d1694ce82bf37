import type { IgnoreReason, RefuseReason } from '../../../src/model/proxy/decide'
import { versionOf } from '../../tools/rawSql'
import { expect, test } from '../../tools/test'
import type { TestApp } from '../../tools/testApp'
import type { BotFixture, Json, Step } from './botFixture'

/** One message and the expected decision about it. */
export interface ProxyScenario {
  /** Requests that prepare the test. */
  given?: Step[]
  /** Text of the message, or further keys of the request with it. */
  message: string | Json
  /** The whole decision, or some keys of it if the action is `proxy`. */
  decision: Json
  /** Path of a GET afterwards, and some keys of its response. */
  after?: [path: string, has: Json]
  /** Types of the recorded events; only backslash commands record any. */
  events?: string[]
}

export type ProxyScenarios = Record<string, ProxyScenario>

/** Registers one test per scenario, each with a new fixture. The key is the title of the test. */
export function runProxyScenarios(
  testApp: TestApp,
  createBotFixture: () => Promise<BotFixture>,
  scenarios: ProxyScenarios,
): void {
  for (const [title, { given, message, decision, after, events = [] }] of Object.entries(scenarios))
    test(title, async () => {
      const fixture = await createBotFixture()
      await fixture.doAll(given)
      await fixture.takeEvents()
      const before = await versionOf(testApp.deps.db)
      const actual = await sendMessage(fixture, message)
      if (decision.action === 'proxy') expect(actual).toMatchObject(fixture.fill(decision))
      else expect(actual).toEqual(fixture.fill(decision))
      expect(await fixture.takeEvents()).toEqual(events)
      if (events.length === 0) expect(await versionOf(testApp.deps.db)).toEqual(before)
      if (after) expect(await fixture.do(`GET ${after[0]}`)).toMatchObject(fixture.fill(after[1]))
    })
}

export function sendMessage(fixture: BotFixture, message: string | Json): Promise<Json> {
  const ids = { account_id: '<account>', guild_id: '<guild>', channel_id: '<channel>' }
  const content = typeof message === 'string' ? { content: message } : message
  return fixture.do('POST /bot/proxy', { ...ids, ...content })
}

/** Expected decision to proxy as a member, matched by tags or by a mode of autoproxy. */
export function proxied(member: string, by: string, message: Json = {}): Json {
  const matched =
    by === 'tags' ? { by, mode: null } : { by: 'autoproxy', tag: null, mode: by as unknown }
  return { action: 'proxy', system: '<system>', member: { id: `<${member}>` }, matched, message }
}

export function ignored(reason: IgnoreReason): Json {
  return { action: 'ignore', reason }
}

export function refused(reason: RefuseReason, notify = true): Json {
  return { action: 'refuse', reason, notify, text: expect.stringMatching(/^This|^The/) }
}

export const member = (name: string, patch: Json): Step => [`PATCH /v2/members/<${name}>`, patch]
export const inGuild = (name: string, patch: Json): Step => [
  `PATCH /bot/members/<${name}>/guilds/<guild>`,
  patch,
]
export const system = (patch: Json): Step => ['PATCH /v2/systems/<system>', patch]
export const systemInGuild = (patch: Json): Step => [
  'PATCH /bot/systems/<system>/guilds/<guild>',
  patch,
]
export const settings = (patch: Json): Step => ['PATCH /v2/systems/@me/settings', patch]
export const guild = (patch: Json): Step => ['PATCH /bot/guilds/<guild>', patch]
export const account = (patch: Json): Step => ['PATCH /bot/accounts/<account>', patch]

export const AUTOPROXY = '/v2/systems/@me/autoproxy?guild_id=<guild>'
export const autoproxy = (autoproxy_mode: string, who?: string): Step => [
  `PATCH ${AUTOPROXY}`,
  { autoproxy_mode, ...(who && { autoproxy_member: `<${who}>` }) },
]
export const fronting = (...names: string[]): Step => [
  'POST /v2/systems/@me/switches',
  { members: names.map((name) => `<${name}>`) },
]
export const customFront = (name: string): Step => [
  `PATCH /ext/v1/members/<${name}>`,
  { kind: 'custom_front' },
]

/** Records a message of a member. */
export const recordMessageStep = (name: string, timestamp?: string): Step => [
  'POST /bot/messages',
  {
    id: '<sent>',
    original: '<said>',
    sender: '<account>',
    channel: '<channel>',
    guild: '<guild>',
    member: `<${name}>`,
    ...(timestamp && { timestamp }),
  },
]
