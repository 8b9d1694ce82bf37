import { createBot } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { ask, makeSystem, deps } = createTestApp()
const me = await makeSystem()
const bot = { authorization: `Bot ${await createBot(deps, 'keys')}` }

/** Builds the JSON of an object with this many unknown keys. */
function objectOf(keys: number, prefix = ''): string {
  return `{${prefix}${Array.from({ length: keys }, (_, at) => `"${at}:{":0`).join()}}`
}

const listOf = (items: number, keys: number) =>
  `[${Array<string>(items).fill(objectOf(keys)).join()}]`

/** Builds the JSON of an object with this many levels, which are never read. */
const nested = (levels: number) =>
  `{"name":"Wren","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

describe('limits on JSON bodies', () => {
  const ONE = '400: Bad Request (an object of the body has more than 1,000 keys)'
  const ALL = '400: Bad Request (the body has more than 64,000 keys)'
  const DEEP = '400: Bad Request (the body is nested deeper than 32 levels)'
  const BROKEN = '400: Bad Request (the body is not valid JSON)'
  const NO_IDS = 'Error parsing JSON model'
  const name = '"name":"Wren",'
  const member = 'POST /v2/members'
  const members = 'PATCH /v2/systems/@me/members'
  const colons = JSON.stringify({ name: 'Wren', x: '":{'.repeat(9000) })

  const accepted: [line: string, title: string, body: string][] = [
    [member, '1,000 keys', objectOf(999, name)],
    [member, 'colons and braces in a text', colons],
    [member, '32 levels', nested(32)],
    [member, 'brackets in a text', JSON.stringify({ name: 'Wren', x: '['.repeat(1000) })],
  ]

  test.each(accepted)('%s accepts a body with %s', async (line, _, body) => {
    expect((await ask(line, { as: me, body })).status).toBe(200)
  })

  const refused: [line: string, title: string, message: string, body: string][] = [
    [member, '1,001 keys', ONE, objectOf(1000, name)],
    [member, 'an object of 1,001 keys', ONE, `{"x":${objectOf(1001)}}`],
    [members, '64,000 keys', NO_IDS, listOf(64, 1000)],
    [members, '64,001 keys', ALL, `[{"a":0},${listOf(64, 1000).slice(1)}`],
    ['POST /v1/m', '1,001 keys', ONE, objectOf(1000, name)],
    ['POST /bot/proxy', '1,001 keys', ONE, objectOf(1001)],
    [member, 'objects that are not closed', BROKEN, '{"a":0,'.repeat(32)],
    [member, '33 levels', DEEP, nested(33)],
    [member, 'a million open lists', DEEP, '['.repeat(1_000_000)],
    [member, 'a million open objects', DEEP, '{"":'.repeat(250_000)],
    ['POST /v1/m', '33 levels', DEEP, nested(33)],
    ['POST /bot/proxy', '33 levels', DEEP, nested(33)],
    ['POST /web/session', '33 levels', DEEP, nested(33)],
    ['POST /ext/v1/systems/@me/notes', '33 levels', DEEP, nested(33)],
  ]

  test.each(refused)('%s with %s returns %s', async (line, _, message, body) => {
    const caller = line.includes('/bot') ? { headers: bot } : { as: me }
    const { status, json } = await ask(line, { ...caller, body })
    expect([status, json.message]).toEqual([400, message])
  })

  test('accepts a body that changes 1,000 members with 30 keys each', async () => {
    const as = await makeSystem()
    const ids: string[] = []
    for (let at = 0; at < 1000; at++) {
      const { json } = await ask('POST /v2/members', { as, body: { name: `Member ${at}` } })
      ids.push(String(json.id))
    }
    const rest = Array.from({ length: 28 }, (_, at) => [`key ${at}`, at])
    const body = ids.map((id) => ({ id, color: 'aabbcc', ...Object.fromEntries(rest) }))
    const { status, json } = await ask<unknown[]>('PATCH /v2/systems/@me/members', { as, body })
    expect([status, json.length]).toEqual([200, 1000])
  })
})
