import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { events, groups, members, switches, systems } from '../../src/db/tables'
import { formatInstant, SECOND } from '../../src/model/core/time'
import { insertToken } from '../../src/store/access/tokenRows'
import { type BotFixture, createBotFixtures, type Json, type Step } from '../http/bot/botFixture'
import { anySystem, insertGeneratedSystem } from '../service/anySystem'
import { drizzleOn } from '../tools/drizzle'
import { rounds } from '../tools/rounds'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestApp } from '../tools/testApp'

const LIMITS = { numRuns: rounds(30) }

describe('responses of both engines', () => {
  let at = 1_700_000_000 * SECOND
  const settings = { RATE_LIMIT: 'off', now: () => at }
  const DATABASE_URL = `file:${join(emptyFolder(), 'test.db')}`
  const apps: [TestApp, TestApp] = [
    createTestApp({ ...settings, DATABASE_URL }),
    createTestApp(settings),
  ]

  test('answers the same on both engines for a random system', async () => {
    await fc.assert(
      fc.asyncProperty(anySystem, async (random) => {
        const collected = apps.map(async (testApp) =>
          responsesOf(testApp, await insertGeneratedSystem(testApp, random)),
        )
        const [onFile, onServer] = await Promise.all(collected)
        expect(onServer).toEqual(onFile)
      }),
      LIMITS,
    )
  })

  test('answers the same on both engines for random requests', async () => {
    const fixtureFactories = apps.map(createBotFixtures)
    await fc.assert(
      fc.asyncProperty(fc.array(randomStep, { minLength: 8, maxLength: 25 }), async (steps) => {
        const fixtures = await Promise.all(fixtureFactories.map((make) => make()))
        const created = new CreatedEntities()
        const compare = async ([line, body]: Step) => {
          const answers = await Promise.all(fixtures.map((fixture) => fixture.ask(line, body)))
          const name = created.recordCreated(line, answers)
          const [onFile, onServer] = fixtures.map((fixture, index) => {
            const answer = answers[index]
            if (name !== null && answer) setNames(fixture, name, answer.json)
            return [answer?.status, replaceIds(exactJson(answer?.text), fixture.names)]
          })
          expect(onServer, `${line} ${JSON.stringify(body)}`).toEqual(onFile)
        }
        for (const draw of steps) {
          at += SECOND
          await compare(draw(created))
        }
        for (const line of [...readsOf(created), 'GET /v2/systems/@me/export'])
          await compare([line])
        const recorded = apps.map((testApp, index) => eventsOf(testApp, fixtures[index]))
        const [onFile, onServer] = await Promise.all(recorded)
        expect(onServer).toEqual(onFile)
      }),
      LIMITS,
    )
  })
})

/** Collects all responses about a system, for its owner and for an anonymous caller. */
async function responsesOf(testApp: TestApp, id: number): Promise<unknown> {
  const { db } = testApp.deps
  const token = await testApp.deps.transact('new', (tx) =>
    insertToken(testApp.deps, tx, id, 'test'),
  )
  const [system] = await drizzleOn(db).select().from(systems).where(eq(systems.id, id)).all()
  const names: Record<string, string> = {}
  const lines: string[] = []
  const setNames = (name: string, { hid, uuid }: { hid?: string; uuid: string }) => {
    if (hid !== undefined) names[name] = hid
    names[`${name}.uuid`] = uuid
  }
  if (system) setNames('system', system)
  const memberRows = await drizzleOn(db)
    .select()
    .from(members)
    .where(eq(members.system_id, id))
    .all()
  for (const [nth, row] of memberRows.sort(byNumber).entries()) {
    setNames(`m${nth}`, row)
    lines.push(`/v2/members/${row.hid}`, `/v2/members/${row.hid}/groups`, `/v1/m/${row.hid}`)
  }
  const groupRows = await drizzleOn(db).select().from(groups).where(eq(groups.system_id, id)).all()
  for (const [nth, row] of groupRows.sort(byNumber).entries()) {
    setNames(`g${nth}`, row)
    lines.push(`/v2/groups/${row.hid}`, `/v2/groups/${row.hid}/members`)
  }
  const switchRows = await drizzleOn(db)
    .select()
    .from(switches)
    .where(eq(switches.system_id, id))
    .all()
  for (const [nth, row] of switchRows.sort(byNumber).entries()) {
    setNames(`s${nth}`, row)
    const before = encodeURIComponent(formatInstant(row.timestamp))
    lines.push(
      `/v2/systems/${system?.hid}/switches/${row.uuid}`,
      `/v2/systems/${system?.hid}/switches?before=${before}&limit=2`,
    )
  }
  for (const path of ['', '/settings', '/members', '/groups?with_members=true', '/fronters'])
    lines.push(`/v2/systems/${system?.hid}${path}`)
  for (const path of ['/switches', '/export', '/export/front-history?format=csv'])
    lines.push(`/v2/systems/${system?.hid}${path}`)
  lines.push(
    `/v1/s/${system?.hid}`,
    `/v1/s/${system?.hid}/members`,
    `/v1/s/${system?.hid}/switches`,
  )
  const answers: unknown[] = []
  for (const line of lines)
    for (const headers of [{ authorization: token }, {}]) {
      const { status, json, text } = await testApp.ask<unknown>(`GET ${line}`, { headers })
      answers.push([replaceIds(line, names), status, replaceIds(json ?? text, names)])
    }
  return answers
}

/** Entities created so far, by the names that they have in both fixtures. */
class CreatedEntities {
  readonly members = ['wren', 'finch', 'heron']
  readonly groups: string[] = []
  readonly switches: string[] = []
  #count = 0

  pick(kind: 'members' | 'groups' | 'switches', at: number): string {
    const all = this[kind]
    return all.length === 0 ? '<system>' : `<${all[at % all.length]}>`
  }

  /** Returns a name for the entity that the request created, or null. */
  recordCreated(line: string, [onFile, onServer]: { status: number }[]): string | null {
    const kind = /^POST \/v2\/(?:systems\/@me\/)?(members|groups|switches)$/.exec(line)?.[1]
    if (!kind || onFile?.status !== 200 || onServer?.status !== 200) return null
    const name = `made.${letters(this.#count++)}`
    this[kind as 'members' | 'groups' | 'switches'].push(name)
    return name
  }
}

function letters(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
}

type Draw = (created: CreatedEntities) => Step

const nth = fc.nat({ max: 20 })
const some = fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 4 })
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'Wren',
    'w:',
    '[',
    ']',
    ' ',
    "it's",
    '\\',
    '"',
    '%',
    '_',
    '🏮',
    'Ä',
    'ä',
    '?',
    '$1',
  ),
)
const value = fc.oneof(word, fc.constant(null), fc.boolean(), fc.integer())
const level = fc.constantFrom('public', 'private', null)
const time = fc.nat({ max: 400 }).map((n) => formatInstant((1_699_999_900 + n) * SECOND + (n % 3)))
const tags = fc.array(
  fc.record({ prefix: fc.option(word), suffix: fc.option(word) }, { requiredKeys: [] }),
  { maxLength: 3 },
)

const memberBody = fc.record(
  {
    name: fc.oneof({ weight: 6, arbitrary: word }, value),
    display_name: fc.option(word),
    description: fc.option(word),
    color: fc.constantFrom('00ff00', 'ABCDEF', null, 'red'),
    birthday: fc.constantFrom('1990-12-31', '0004-02-29', null, '1990-13-01'),
    proxy_tags: tags,
    keep_proxy: fc.boolean(),
    autoproxy_enabled: fc.boolean(),
    privacy: fc.record(
      { visibility: level, name_privacy: level, metadata_privacy: level, proxy_privacy: level },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['name'] },
)
const groupBody = fc.record(
  {
    name: word,
    display_name: fc.option(word),
    color: fc.constantFrom('00ff00', null),
    privacy: fc.record({ list_privacy: level, visibility: level }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
)
const systemBody = fc.record(
  {
    name: fc.option(word),
    tag: fc.option(word),
    description: value,
    privacy: fc.record(
      { front_privacy: level, member_list_privacy: level, front_history_privacy: level },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
const settingsBody = fc.record(
  {
    timezone: fc.constantFrom('UTC', 'Europe/Oslo', 'Nowhere'),
    latch_timeout: fc.option(fc.nat()),
    member_default_private: fc.boolean(),
    case_sensitive_proxy_tags: fc.boolean(),
    proxy_switch: fc.constantFrom('off', 'new', 'add'),
    description_templates: fc.array(word, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const mode = fc.constantFrom('off', 'front', 'latch', 'member')
let sent = 0

/** Random request about an entity that may or may not exist. */
const randomStep: fc.Arbitrary<Draw> = fc.oneof(
  memberBody.map(
    (body): Draw =>
      () => ['POST /v2/members', body],
  ),
  fc.tuple(nth, memberBody).map(
    ([at, body]): Draw =>
      (created) => [`PATCH /v2/members/${created.pick('members', at)}`, body],
  ),
  nth.map(
    (at): Draw =>
      (created) => [`DELETE /v2/members/${created.pick('members', at)}`],
  ),
  groupBody.map(
    (body): Draw =>
      () => ['POST /v2/groups', body],
  ),
  fc.tuple(nth, groupBody).map(
    ([at, body]): Draw =>
      (created) => [`PATCH /v2/groups/${created.pick('groups', at)}`, body],
  ),
  fc.tuple(nth, fc.constantFrom('add', 'remove', 'overwrite'), some).map(
    ([at, how, who]): Draw =>
      (created) => [
        `POST /v2/groups/${created.pick('groups', at)}/members/${how}`,
        who.map((one) => created.pick('members', one)),
      ],
  ),
  fc.tuple(nth, fc.constantFrom('add', 'remove', 'overwrite'), some).map(
    ([at, how, which]): Draw =>
      (created) => [
        `POST /v2/members/${created.pick('members', at)}/groups/${how}`,
        which.map((one) => created.pick('groups', one)),
      ],
  ),
  fc.tuple(some, fc.option(time, { nil: undefined })).map(
    ([who, timestamp]): Draw =>
      (created) => [
        'POST /v2/systems/@me/switches',
        { members: who.map((one) => created.pick('members', one)), timestamp },
      ],
  ),
  fc.tuple(nth, time).map(
    ([at, timestamp]): Draw =>
      (created) => [
        `PATCH /v2/systems/@me/switches/${created.pick('switches', at)}`,
        { timestamp },
      ],
  ),
  fc.tuple(nth, some).map(
    ([at, who]): Draw =>
      (created) => [
        `PATCH /v2/systems/@me/switches/${created.pick('switches', at)}/members`,
        who.map((one) => created.pick('members', one)),
      ],
  ),
  nth.map(
    (at): Draw =>
      (created) => [`DELETE /v2/systems/@me/switches/${created.pick('switches', at)}`],
  ),
  systemBody.map(
    (body): Draw =>
      () => ['PATCH /v2/systems/@me', body],
  ),
  settingsBody.map(
    (body): Draw =>
      () => ['PATCH /v2/systems/@me/settings', body],
  ),
  fc.tuple(mode, fc.option(nth)).map(
    ([autoproxy_mode, at]): Draw =>
      (created) => [
        'PATCH /v2/systems/@me/autoproxy?guild_id=<guild>',
        { autoproxy_mode, ...(at !== null && { autoproxy_member: created.pick('members', at) }) },
      ],
  ),
  fc.tuple(nth, fc.option(word), fc.option(fc.boolean())).map(
    ([at, display_name, keep_proxy]): Draw =>
      (created) => [
        `PATCH /bot/members/${created.pick('members', at)}/guilds/<guild>`,
        { display_name, keep_proxy },
      ],
  ),
  fc.tuple(fc.option(word), fc.boolean()).map(
    ([tag, proxying_enabled]): Draw =>
      () => ['PATCH /bot/systems/<system>/guilds/<guild>', { tag, proxying_enabled }],
  ),
  fc.tuple(fc.constantFrom('', 'w:', '[', 'x'), word, fc.constantFrom('', ']')).map(
    ([before, said, after]): Draw =>
      () => [
        'POST /bot/proxy',
        {
          account_id: '<account>',
          guild_id: '<guild>',
          channel_id: '<channel>',
          content: `${before}${said}${after}`,
        },
      ],
  ),
  fc.tuple(nth, fc.boolean()).map(
    ([at, isAgain]): Draw =>
      (created) => {
        if (!isAgain) sent++
        return [
          'POST /bot/messages',
          {
            id: String(60_000_000_000_000_000n + BigInt(sent)),
            original: String(70_000_000_000_000_000n + BigInt(sent)),
            sender: '<account>',
            channel: '<channel>',
            guild: '<guild>',
            member: created.pick('members', at),
          },
        ]
      },
  ),
  nth.map(
    (at): Draw =>
      (created) => {
        const lines = readsOf(created)
        return [lines[at % lines.length] ?? '']
      },
  ),
)

function readsOf(created: CreatedEntities): string[] {
  return [
    'GET /v2/systems/@me',
    'GET /v2/systems/@me/settings',
    'GET /v2/systems/@me/members',
    'GET /v2/systems/@me/groups?with_members=true',
    'GET /v2/systems/@me/switches',
    'GET /v2/systems/@me/switches?limit=2&before=2023-11-14T22:13:00Z',
    'GET /v2/systems/@me/fronters',
    'GET /v2/systems/@me/autoproxy?guild_id=<guild>',
    'GET /v2/systems/@me/guilds/<guild>',
    ...created.members.map((name) => `GET /v2/members/<${name}>`),
    ...created.groups.map((name) => `GET /v2/groups/<${name}>/members`),
    ...created.switches.map((name) => `GET /v2/systems/@me/switches/<${name}>`),
  ]
}

/** Sets the IDs of a created entity, which differ between the fixtures. */
function setNames({ names }: BotFixture, name: string, { id, uuid }: Json): void {
  names[name] = String(id)
  if (uuid !== undefined) names[`${name}.uuid`] = String(uuid)
}

/** Parses JSON with account IDs as strings, because they exceed the precision of a double. */
function exactJson(text = ''): unknown {
  return text === '' ? null : JSON.parse(text.replaceAll(/([[,:])(\d{17,})/g, '$1"$2"'))
}

/** Lists the events of a fixture's system. */
async function eventsOf({ deps }: TestApp, fixture: BotFixture | undefined): Promise<unknown> {
  const all = await drizzleOn(deps.db)
    .select({ uuid: systems.uuid, type: events.type, subject: events.subject, data: events.data })
    .from(events)
    .innerJoin(systems, eq(systems.id, events.system_id))
    .orderBy(events.id)
    .all()
  const ofSystem = all.filter(({ uuid }) => uuid === fixture?.names['system.uuid'])
  return replaceIds(ofSystem, fixture?.names ?? {})
}

/** Replaces the IDs in a value by names. */
function replaceIds(value: unknown, names: Record<string, string>): unknown {
  const nameOf = new Map(Object.entries(names).map(([name, id]) => [id, `<${name}>`]))
  // Entities that a request created indirectly, such as the switch after a message, have no name.
  const unnamed: string[] = []
  const numberOf = (text: string) => {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(text)) return text
    if (!unnamed.includes(text)) unnamed.push(text)
    return `<nameless ${unnamed.indexOf(text)}>`
  }
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const known = nameOf.get(part)
      if (known) return known
      // IDs inside a path or a file that is not JSON.
      return part.replaceAll(
        /[\w-]+/g,
        (text) => (text.length > 4 ? nameOf.get(text) : null) ?? numberOf(text),
      )
    }
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [walk(key), walk(item)]))
  }
  return walk(value)
}

function byNumber(a: { id: number }, b: { id: number }): number {
  return a.id - b.id
}
