import type { JsonObject } from '../../../src/model/core/entity'
import { insertGroup } from '../../../src/service/groups/groups'
import { insertMember } from '../../../src/service/members/members'
import { fixture } from '../../formats/fixture'
import { importInto, pluralkit } from '../../service/transfer/importFixture'
import { execute, readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ IMPORT_LIMIT: '20KiB' })
const importRequest = 'POST /v2/systems/@me/import'
const pluralkitFile = textOf('pluralkit.json')

interface Report {
  system: string
  dry_run: boolean
  format: string
  members: { added: number; left_out: number }
  groups: { added: number; left_out: number }
  switches: { added: number; left_out: number }
}

describe('an import by the owner', () => {
  test.each([
    ['pluralkit', 'pluralkit.json', 2, 1, 3],
    ['tupperbox', 'tupperbox.json', 2, 2, 0],
    ['simplyplural', 'simplyplural.json', 3, 2, 5],
  ])(
    'an import recognizes the format %s by the content',
    async (format, name, members, groups, switches) => {
      const as = await testApp.makeSystem()
      const { status, json } = await testApp.ask<Report>(importRequest, { as, body: textOf(name) })
      expect(status).toBe(200)
      expect(json).toMatchObject({
        format,
        dry_run: false,
        system: as.hid,
        members: { added: members },
        groups: { added: groups },
        switches: { added: switches },
      })
      expect(json).not.toHaveProperty('token')
      const { json: list } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
      expect(list).toHaveLength(members)
    },
  )

  test('an import accepts any content type, a path without /v2 and a Bearer token', async () => {
    const as = await testApp.makeSystem()
    const headers = { 'content-type': 'image/png', authorization: `Bearer ${as.token}` }
    const { status } = await testApp.ask('POST /systems/@me/import', {
      body: pluralkitFile,
      headers,
    })
    expect(status).toBe(200)
  })

  const queries: [query: string, expected: object][] = [
    ['?dry_run=true', { dry_run: true, members: { added: 2 } }],
    ['?dry_run=0', { dry_run: false, members: { added: 2 } }],
    [
      '?only=members',
      { members: { added: 2 }, groups: { left_out: 1 }, switches: { left_out: 3 } },
    ],
    ['?only=groups,switches', { members: { left_out: 2 }, groups: { added: 1 } }],
    ['?unknown=1', { members: { added: 2 } }],
  ]

  test.each(queries)('an import follows the query %s', async (query, expected) => {
    const as = await testApp.makeSystem()
    const before = await readAllRows(testApp.deps.db)
    const { status, json } = await testApp.ask(`${importRequest}${query}`, {
      as,
      body: pluralkitFile,
    })
    expect(status).toBe(200)
    expect(json).toMatchObject(expected)
    expect(Bun.deepEquals(await readAllRows(testApp.deps.db), before)).toBe(
      query === '?dry_run=true',
    )
  })

  test.each([
    ['', 'private'],
    ['?public=true', 'public'],
  ])(
    'an import from Simply Plural with the query "%s" makes members that friends saw %s',
    async (query, level) => {
      const as = await testApp.makeSystem()
      const body = textOf('simplyplural.json')
      await testApp.ask(`${importRequest}${query}`, { as, body })
      const { json } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
      expect(json.find(({ name }) => name === 'Wren')?.privacy).toMatchObject({ visibility: level })
      expect(json.find(({ name }) => name === 'Ash')?.privacy).toMatchObject({
        visibility: 'private',
      })
    },
  )
})

describe('refused imports', () => {
  const refused: [name: string, query: string, body: string | undefined, reason: RegExp][] = [
    ['an empty body', '', undefined, /not valid JSON/],
    ['a text', '', 'hello', /not valid JSON/],
    ['a truncated file', '', pluralkitFile.slice(0, -20), /not valid JSON/],
    ['a list', '', '[]', /not an export of PluralKit, Tupperbox or Simply Plural/],
    ['an unknown object', '', '{"members":[{"id":"abcde"}]}', /not an export/],
    ['a ZIP archive', '', 'PK\u0003\u0004', /ZIP archive/],
    [
      'a file whose members are not a list',
      '',
      '{"switches":[],"members":{}}',
      /"members" is not a list/,
    ],
    [
      'a file with an invalid dry_run',
      '?dry_run=maybe',
      pluralkitFile,
      /dry_run must be true or false/,
    ],
    ['a file with an empty only', '?only=', pluralkitFile, /only must have one value/],
    [
      'a file with an unknown only',
      '?only=members,tokens',
      pluralkitFile,
      /only must be members or groups/,
    ],
    ['a file with an invalid public', '?public=yes', pluralkitFile, /public must be true or false/],
  ]

  test.each(refused)(
    'an import of %s returns 400 with the reason and changes nothing',
    async (_, query, body, reason) => {
      const as = await testApp.makeSystem()
      const before = await readAllRows(testApp.deps.db)
      const { status, json } = await testApp.ask(`${importRequest}${query}`, { as, body })
      expect([status, json.code]).toEqual([400, 0])
      expect(json.message).toMatch(/^400: Bad Request \(/)
      expect(json.message).toMatch(reason)
      expect(await readAllRows(testApp.deps.db)).toEqual(before)
    },
  )

  test('an import of too large a file returns 413, with and without a content length', async () => {
    const as = await testApp.makeSystem()
    const before = await readAllRows(testApp.deps.db)
    const body = `${pluralkitFile}${' '.repeat(20 * 1024)}`
    const withLength = await testApp.ask(importRequest, { as, body })
    const withoutLength = await testApp.app.handle(
      new Request('http://localhost/v2/systems/@me/import', {
        method: 'POST',
        headers: { authorization: as.token },
        body: new Blob([body]).stream(),
      }),
      '127.0.0.1',
    )
    expect([withLength.status, withoutLength.status]).toEqual([413, 413])
    expect(withLength.json).toMatchObject({ code: 0, message: expect.stringContaining('413') })
    expect(await readAllRows(testApp.deps.db)).toEqual(before)
  })

  test('an import of more than 100,000 switches returns 400', async () => {
    const unlimited = createTestApp()
    const as = await unlimited.makeSystem()
    const body = `{"switches":[${Array(100_001).fill('{}').join()}]}`
    const { status, json } = await unlimited.ask(importRequest, { as, body })
    expect([status, json.message]).toEqual([400, expect.stringContaining('100,000 switches')])
  })

  test.each([
    ['member', 40007],
    ['group', 40008],
  ])('an import beyond the %s limit returns 400 and changes nothing', async (kind, code) => {
    const as = await testApp.makeSystem('Before')
    const limit = `update settings set ${kind}_limit = 0 where system_id = :id`
    await testApp.deps.transact('new', (tx) => execute(tx, limit, { id: as.id }))
    const before = await readAllRows(testApp.deps.db)
    const { status, json } = await testApp.ask(importRequest, { as, body: pluralkitFile })
    expect([status, json.code]).toEqual([400, code])
    expect(await readAllRows(testApp.deps.db)).toEqual(before)
  })

  test.each([
    ['an anonymous caller', importRequest, 401],
    ['an anonymous caller', 'GET /v2/systems/@me/export', 401],
    ['an anonymous caller', 'GET /v2/systems/@me/export/front-history?format=csv', 401],
    ['another system', 'POST /v2/systems/OWNER/import', 404],
    ['another system', 'GET /v2/systems/OWNER/export', 404],
  ])('%s that sends %s gets %i', async (who, line, status) => {
    const owner = await testApp.makeSystem()
    const as = who === 'an anonymous caller' ? null : await testApp.makeSystem()
    const body = line.startsWith('POST') ? pluralkitFile : undefined
    const before = await readAllRows(testApp.deps.db)
    expect((await testApp.ask(line.replace('OWNER', owner.hid), { as, body })).status).toBe(status)
    expect(await readAllRows(testApp.deps.db)).toEqual(before)
  })
})

interface Exported {
  members: { id: string }[]
  groups: { id: string; members: string[] }[]
  switches: { timestamp: string; members: string[] }[]
  multitude: { member_guilds: object[]; autoproxy: { guild_id: string }[]; kept: object }
}

describe('an export', async () => {
  const as = await testApp.makeSystem()
  const guild = (guild_id: string) => ({ guild_id, autoproxy_mode: 'member' })
  await importInto(
    testApp,
    as,
    pluralkit({
      name: 'Hill',
      members: ['wrenab', 'ashcd', 'finchx'].map((id) => ({ id, name: id })),
      groups: [
        { id: 'grpef', name: 'Keepers', members: ['wrenab', 'ashcd'] },
        { id: 'empty', name: 'Nobody', members: [] },
      ],
      switches: [
        { timestamp: '2026-01-01T12:00:00Z', members: ['finchx'] },
        { timestamp: '2026-01-01T10:00:00.5Z', members: ['finchx', 'ashcd', 'wrenab'] },
        { timestamp: '2026-01-01T09:00:00Z', members: [] },
      ],
      multitude: {
        member_guilds: [
          { guild_id: '1', member: 'wrenab' },
          { guild_id: '1', member: 'finchx' },
        ],
        autoproxy: [
          { ...guild('1'), autoproxy_member: 'wrenab' },
          { ...guild('2'), autoproxy_member: 'finchx' },
        ],
        kept: { notes: [{ text: 'kept' }] },
      },
    }),
  )
  const other = await testApp.makeSystem()
  await testApp.deps.transact('new', async (tx) => {
    await insertMember(tx, other.id, { name: 'Theirs' }, { hid: 'theirm' })
    await insertGroup(tx, other.id, { name: 'Theirs' }, { hid: 'theirg' })
  })

  test('an export is a JSON attachment', async () => {
    const { status, headers, text, json } = await testApp.ask('GET /v2/systems/@me/export', { as })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-disposition')).toBe('attachment; filename="system.json"')
    expect(json).toMatchObject({ version: 2, id: as.hid, uuid: as.uuid, name: 'Hill' })
    const head = await testApp.ask('HEAD /v2/systems/@me/export', { as })
    expect([head.status, head.text]).toEqual([200, ''])
    // The time of the export is written without trailing zeros, so its length varies.
    const length = Number(head.headers.get('content-length'))
    expect(Math.abs(length - Buffer.byteLength(text))).toBeLessThanOrEqual('.123456'.length)
  })

  const chosen: [query: string, members: string, groups: string, switches: string][] = [
    ['', 'wrenab ashcd finchx', 'grpef(wrenab,ashcd) empty()', 'finchx|finchx,ashcd,wrenab|'],
    ['?members=WRE-NAB', 'wrenab', '', '|wrenab|'],
    ['?members=finchx,wrenab,finchx', 'wrenab finchx', '', 'finchx|finchx,wrenab|'],
    ['?groups=grpef', 'wrenab ashcd', 'grpef(wrenab,ashcd)', '|ashcd,wrenab|'],
    ['?groups=empty', '', 'empty()', '||'],
    ['?groups=empty&members=ashcd', 'ashcd', 'empty()', '|ashcd|'],
  ]

  test.each(chosen)(
    'an export with the query "%s" contains exactly that part',
    async (query, members, groups, switches) => {
      const { json } = await testApp.ask<Exported>(`GET /v2/systems/@me/export${query}`, { as })
      expect(json.members.map(({ id }) => id).join(' ')).toBe(members)
      expect(json.groups.map((group) => `${group.id}(${group.members})`).join(' ')).toBe(groups)
      expect(json.switches.map((entry) => entry.members.join()).join('|')).toBe(switches)
    },
  )

  test('a partial export contains nothing of other members and is imported without repairs', async () => {
    const { text, json } = await testApp.ask<Exported>(
      'GET /v2/systems/@me/export?members=wrenab',
      {
        as,
      },
    )
    expect(text).not.toMatch(/finchx|ashcd/)
    expect(json.multitude).toMatchObject({ member_guilds: [{ member: 'wrenab' }], kept: {} })
    expect(json.multitude.autoproxy.map(({ guild_id }) => guild_id)).toEqual(['1'])
    const { repairs } = await importInto(testApp, await testApp.makeSystem(), Buffer.from(text))
    expect(repairs).toEqual([])
  })

  const invalid: [query: string, status: number, code: number, message: string][] = [
    ['?members=nobody', 404, 20003, "Member 'nobody' not found."],
    ['?members=wrenab,1', 404, 20003, "Member '1' not found."],
    ['?groups=wrenab', 404, 20005, "Group 'wrenab' not found."],
    ['?members=theirm', 403, 30008, "Member 'theirm' is not part of your system."],
    ['?groups=theirg', 403, 30009, "Group 'theirg' is not part of your system."],
    ['?members=', 400, 0, '400: Bad Request (members must have one value)'],
  ]

  test.each(invalid)(
    'an export with the query "%s" returns %i',
    async (query, status, code, message) => {
      const answer = await testApp.ask(`GET /v2/systems/@me/export${query}`, { as })
      expect([answer.status, answer.json.code, answer.json.message]).toEqual([
        status,
        code,
        message,
      ])
    },
  )

  const history = 'GET /v2/systems/@me/export/front-history'

  test('the front history is exported as CSV', async () => {
    const { status, headers, text } = await testApp.ask(`${history}?format=csv`, { as })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe('attachment; filename="front-history.csv"')
    expect(text.split('\r\n')).toEqual([
      'start,end,seconds,member_id,member',
      '2026-01-01T10:00:00.5Z,,,finchx,finchx',
      '2026-01-01T10:00:00.5Z,2026-01-01T12:00:00Z,7199.5,ashcd,ashcd',
      '2026-01-01T10:00:00.5Z,2026-01-01T12:00:00Z,7199.5,wrenab,wrenab',
      '',
    ])
  })

  test('the front history is exported as a calendar', async () => {
    const { headers, text } = await testApp.ask(`${history}?format=ics`, { as })
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="front-history.ics"')
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n.*\r\nX-WR-CALNAME:Hill\r\n.*END:VCALENDAR\r\n$/s)
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(3)
  })

  test.each(['', '?format=', '?format=xml', '?format=csv&format=ics'])(
    'the front history export refuses the query "%s"',
    async (query) => {
      expect((await testApp.ask(`${history}${query}`, { as })).status).toBe(400)
    },
  )
})

describe('large responses', async () => {
  const large = createTestApp({ PORT: '0' })
  const as = await large.makeSystem('Hill')
  const address = large.app.listen()
  const count = 2500
  const description = 'ü'.repeat(900)
  await importInto(
    large,
    as,
    pluralkit({
      members: ['wrenab', 'ashcd', ...hidsOf(60)].map((id) => ({ id, name: id, description })),
      switches: Array.from({ length: count }, (_, n) => ({
        timestamp: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
        members: [n % 2 ? 'wrenab' : 'ashcd'],
      })),
    }),
  )

  const parts: [path: string, part: RegExp, times: number][] = [
    ['members', /"uuid":"[^"]+"[^{}]*"description":"ü{900}"/g, 62],
    ['export', /{"timestamp":"[^"]+","members":\["\w+"\]}/g, count],
    ['export', /{"timestamp":"[^"]+","uuid":"[^"]+"}/g, count],
    ['export/front-history?format=csv', /^2026-.*,(wrenab|ashcd)\r$/gm, count],
    ['export/front-history?format=ics', /^UID:.+\r$/gm, count],
  ]

  test.each(parts)(
    'concurrent requests for %s all get the complete response',
    async (path, part, times) => {
      const requests = Array.from({ length: 5 }, async () => {
        const response = await fetch(`${address}/v2/systems/@me/${path}`, {
          headers: { authorization: as.token },
        })
        const bytes = await response.bytes()
        // A chunked response has no content length, but cannot be truncated unnoticed.
        expect(bytes).toHaveLength(Number(response.headers.get('content-length') ?? bytes.length))
        return new TextDecoder().decode(bytes)
      })
      for (const text of await Promise.all(requests))
        expect(new Set(text.match(part)).size).toBe(times)
    },
  )
})

function hidsOf(length: number): string[] {
  return Array.from({ length }, (_, n) => `x${'abcdefgh'[n >> 3]}${'abcdefgh'[n & 7]}yz`)
}

function textOf(name: string): string {
  return Buffer.from(fixture(name)).toString()
}
