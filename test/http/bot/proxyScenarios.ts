import { expect, test } from 'bun:test'
import type { IgnoreReason, RefuseReason } from '../../../src/model/proxy/decide'
import { versionOf } from '../../rawSql'
import type { TestApp } from '../../testApp'
import type { BotFixture, Json, Step } from './botFixture'

/** One message, and what is decided about it. */
export interface ProxyScenario {
  /** What was done before. */
  given?: Step[]
  /** The text, or the text with what comes along with it. */
  say: string | Json
  /** The whole decision, or what a proxy has among others. */
  is: Json
  /** What is so afterwards: "/path" of a GET, and what it has among others. */
  leaves?: [path: string, has: Json]
  /** What is told; only the backslash commands have anything to tell. */
  events?: string[]
}

export type ProxyScenarios = Record<string, ProxyScenario>

/** One test for each scene, on a stage of its own. Its name is a sentence of the domain. */
export function runProxyScenarios(
  home: TestApp,
  makeStage: () => Promise<BotFixture>,
  scenes: ProxyScenarios,
): void {
  for (const [sentence, { given, say, is, leaves, events = [] }] of Object.entries(scenes))
    test(sentence, async () => {
      const stage = await makeStage()
      await stage.doAll(given)
      await stage.told()
      const before = await versionOf(home.deps.db)
      const decision = await sendMessage(stage, say)
      if (is.action === 'proxy') expect(decision).toMatchObject(stage.fill(is))
      else expect(decision).toEqual(stage.fill(is))
      expect(await stage.told()).toEqual(events)
      if (events.length === 0) expect(await versionOf(home.deps.db)).toEqual(before)
      if (leaves) expect(await stage.do(`GET ${leaves[0]}`)).toMatchObject(stage.fill(leaves[1]))
    })
}

export function sendMessage(stage: BotFixture, say: string | Json): Promise<Json> {
  const place = { account_id: '<account>', guild_id: '<guild>', channel_id: '<channel>' }
  const said = typeof say === 'string' ? { content: say } : say
  return stage.do('POST /bot/proxy', { ...place, ...said })
}

/** Spoken by a member: by tags, or by a mode of autoproxy; with what the message has. */
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

/** A member has spoken: the record of a message. */
export const spoke = (name: string, timestamp?: string): Step => [
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
