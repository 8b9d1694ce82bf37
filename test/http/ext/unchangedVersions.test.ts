import {
  type BaseSystem,
  createBaseSystem,
  type Named,
  type Send,
  useAllExtensions,
} from '../../tools/allExtensions'
import { execute } from '../../tools/rawSql'
import { beforeAll, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

/** Versions 1 and 2 show a system that uses every extension like one that uses none. */

const testApp = createTestApp({ RATE_LIMIT: 'off', now: () => Date.UTC(2026, 0, 2) * 1000 })

interface Twin extends BaseSystem {
  readonly system: TestSystem
}

let plain: Twin
let extended: Twin

const sendAs =
  (as: TestSystem): Send =>
  async <T>(line: string, body?: unknown) => {
    const { status, text, json } = await testApp.ask<T>(line, { as, body })
    if (status >= 400) throw new Error(`${line}: ${text}`)
    return json
  }

/** Creates a system whose members have IDs in their order, because some lists are sorted by them. */
async function createTwin(first: string): Promise<Twin> {
  const system = await testApp.makeSystem('Hill')
  const base = await createBaseSystem(sendAs(system))
  const members: Named[] = []
  for (const [at, { id, uuid }] of base.members.entries()) {
    const chosen = {
      id: `${first}${'bcdf'.charAt(at)}${id.slice(2)}`,
      uuid: `${first}${at}${uuid.slice(2)}`,
    }
    const set = 'update members set hid = :id, uuid = :uuid where uuid = :before'
    await testApp.deps.transact('new', (tx) => execute(tx, set, { ...chosen, before: uuid }))
    members.push(chosen)
  }
  return { ...base, system, members }
}

beforeAll(async () => {
  plain = await createTwin('a')
  extended = await createTwin('b')
  await useAllExtensions(sendAs(extended.system), extended)
})

const subjects = ['wren', 'ash', 'elm', 'asleep'] as const

const reads = [
  'GET /v2/systems/@me',
  'GET /v2/systems/<own>',
  'GET /v2/systems/@me/settings',
  'GET /v2/systems/<own>/members',
  'GET /v2/systems/<own>/groups',
  'GET /v2/systems/<own>/groups?with_members=true',
  'GET /v2/systems/<own>/switches',
  'GET /v2/systems/<own>/switches/<current>',
  'GET /v2/systems/<own>/fronters',
  'GET /v2/systems/@me/webhook',
  'GET /v2/systems/<own>/fronting/totals',
  'GET /v2/systems/<own>/fronting/days',
  'GET /v2/systems/<own>/fronting/hours',
  'GET /v2/systems/<own>/fronting/pairs',
  'GET /v2/systems/<own>/fronting/stints',
  'GET /v2/systems/<own>/fronting.ics',
  ...['keepers', 'lamps', 'guests'].flatMap((group) => [
    `GET /v2/groups/<${group}>`,
    `GET /v2/groups/<${group}>/members`,
  ]),
  ...subjects.flatMap((member) => [
    `GET /v2/members/<${member}>`,
    `GET /v2/members/<${member}>/groups`,
    `GET /v1/m/<${member}>`,
  ]),
  'GET /v1/s',
  'GET /v1/s/<own>',
  'GET /v1/s/<own>/members',
  'GET /v1/s/<own>/switches',
  'GET /v1/s/<own>/fronters',
]

const writes: [line: string, body?: unknown][] = [
  ['PATCH /v2/members/<wren>', { pronouns: 'she/her' }],
  ['PATCH /v2/members/<wren>', { description: 'A new description' }],
  ['PATCH /v1/m/<elm>', { name: 'Elm', pronouns: 'they/them' }],
  ['PATCH /v2/groups/<lamps>', { description: 'Those who keep them lit' }],
  ['POST /v2/groups/<lamps>/members/remove', ['<elm>']],
  ['POST /v2/members/<asleep>/groups/overwrite', ['<guests>']],
  ['PATCH /v2/systems/@me/switches/<current>', { timestamp: '2026-01-01T11:00:00Z' }],
  ['PATCH /v2/systems/@me/switches/<current>/members', ['<asleep>', '<elm>']],
  ['DELETE /v2/systems/@me/switches/<current>'],
  ['POST /v1/s/switches', { members: ['<elm>'] }],
  ['DELETE /v2/groups/<lamps>'],
  ['DELETE /v2/members/<wren>'],
]

describe('v1 and v2 of a system that uses all extensions', () => {
  test.each(reads)('%s has the bytes of a system that uses none', async (line) => {
    await compare(line)
  })

  test('an export is the same without the key multitude.ext', async () => {
    const [one, other] = await Promise.all(
      [plain, extended].map(async (twin) => {
        const { text } = await send(twin, 'GET /v2/systems/@me/export', 'own')
        const { multitude, ...file } = JSON.parse(text)
        const { ext: _, ...rest } = multitude ?? {}
        return { ...file, ...rest }
      }),
    )
    expect(other).toEqual(one)
  })

  test('writes have the same responses, and leave the same data', async () => {
    for (const [line, body] of writes) {
      await compare(line, body)
      for (const read of ['members', 'groups?with_members=true', 'fronters'])
        await compare(`GET /v2/systems/<own>/${read}`)
    }
    await compare('GET /v2/systems/<own>/switches?limit=2')
  })
})

/** Sends a request to both systems, as the owner and for reads as an anonymous caller. */
async function compare(line: string, body?: unknown): Promise<void> {
  const callers = line.startsWith('GET') ? (['own', 'anonymous'] as const) : (['own'] as const)
  for (const as of callers) {
    const expected = await send(plain, line, as, body)
    expect(await send(extended, line, as, body)).toEqual(expected)
  }
}

/** Sends a request, and returns status and text with placeholders for the IDs of the system. */
async function send(twin: Twin, line: string, as: 'own' | 'anonymous', body?: unknown) {
  const named = namesOf(twin)
  const fill = (text: string) =>
    text.replace(/<(\w+)>/g, (_, name: string) => named[name]?.[0] ?? 'missing')
  const given = body === undefined ? undefined : fill(JSON.stringify(body))
  const { status, text } = await testApp.ask(fill(line), {
    as: as === 'own' ? twin.system : null,
    ...(given !== undefined && { body: given }),
  })
  let shown = text
  for (const [name, ids] of Object.entries(named))
    for (const id of ids) shown = shown.replaceAll(id, `<${name}>`)
  // IDs of switches that a request created.
  return { status, text: shown.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>') }
}

/** IDs by name; the first one is used in requests. */
function namesOf({ system, members, groups, current }: Twin): Record<string, string[]> {
  const entries: [string, string[]][] = [
    ['own', [system.hid, system.uuid]],
    ['current', [current]],
    ...members.map(({ id, uuid }, at): [string, string[]] => [subjects[at] ?? '', [id, uuid]]),
    ...groups.map(({ id, uuid }, at): [string, string[]] => [
      ['keepers', 'lamps', 'guests'][at] ?? '',
      [id, uuid],
    ]),
  ]
  return Object.fromEntries(entries)
}
