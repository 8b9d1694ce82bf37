import type { JsonObject } from '../../../src/model/core/entity'
import { customFieldTypes } from '../../../src/model/members/customField'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { fixture } from '../../formats/fixture'
import { findPluralportProblems } from '../../service/pluralportRules'
import { readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const nasty = fixture('pluralport-nasty.json').toString()

const importFile = (as: TestSystem, body: string, query = '') =>
  testApp.ask<ImportReport & { message?: string }>(`POST /v2/systems/@me/import${query}`, {
    as,
    body,
  })

async function exportFile(as: TestSystem, query: string): Promise<JsonObject> {
  const { status, json } = await testApp.ask<JsonObject>(`GET /v2/systems/@me/export${query}`, {
    as,
  })
  expect(status).toBe(200)
  return json
}

describe('import of a PluralPort file', () => {
  test('adds its rows once, and a dry run predicts it', async () => {
    const as = await testApp.makeSystem()
    const { json: planned } = await importFile(as, nasty, '?dry_run=true')
    const { status, json: report } = await importFile(as, nasty)
    expect(status).toBe(200)
    expect(report).toMatchObject({
      format: 'pluralport',
      members: { added: 3, left_out: 3 },
      groups: { added: 5 },
      switches: { added: 6 },
      skipped: { pluralportAssets: 1 },
      ext: {
        fields: { added: 5 },
        values: { added: 3 },
        notes: { added: 2 },
        rooms: { added: 2 },
        posts: { added: 4 },
      },
    })
    expect({ ...planned, dry_run: false, renamed: [] }).toEqual({ ...report, renamed: [] })
    const { json: again } = await importFile(as, nasty)
    const tallies = [again.members, again.groups, again.switches, ...Object.values(again.ext ?? {})]
    for (const { added, changed } of tallies) expect([added, changed]).toEqual([0, 0])
  })

  test('stores the choices of members by the options of their fields', async () => {
    const as = await testApp.makeSystem()
    await importFile(as, nasty)
    const path = 'GET /ext/v1/systems/@me'
    const { json: fields } = await testApp.ask<JsonObject[]>(`${path}/fields`, { as })
    const { json: members } = await testApp.ask<JsonObject[]>(`${path}/members`, { as })
    const role = fields.find(({ name }) => name === 'Role')
    const keeper = ((role?.options ?? []) as JsonObject[]).find(({ name }) => name === 'Keeper')
    const chosen = members.map((one) => (one.fields as JsonObject)[String(role?.id)])
    expect(chosen.filter((value) => value !== undefined)).toEqual([String(keeper?.id)])
  })

  test('finds renamed rows of an earlier import again, and those of their source', async () => {
    const as = await testApp.makeSystem()
    const source = '64a000000000000000000001'
    const simplyPlural = { members: [{ _id: source, name: 'Wren' }], frontStatuses: [] }
    await importFile(as, JSON.stringify(simplyPlural))
    const { json: members } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
    const body = { name: 'Raven' }
    await testApp.ask(`PATCH /v2/members/${members[0]?.id}`, { as, body })
    const { json } = await importFile(as, nasty)
    expect(json.members).toMatchObject({ added: 2, changed: 1 })
  })

  test('shows nothing of a file to other callers that it does not mark as public', async () => {
    const as = await testApp.makeSystem()
    await importFile(as, nasty)
    const { json: own } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
    for (const { id, name, privacy } of own)
      expect([id, privacy]).toEqual([
        id,
        expect.objectContaining({ visibility: name === 'Wren' ? 'public' : 'private' }),
      ])
  })

  test('changes nothing of another system whose IDs are in a file of ours', async () => {
    const owner = await testApp.makeSystem()
    await importFile(owner, nasty)
    const body = { text: 'Only mine.' }
    await testApp.ask('POST /ext/v1/systems/@me/notes', { as: owner, body })
    const file = await exportFile(owner, '?format=pluralport')
    const ownIds = (await exportFile(owner, '')).members as JsonObject[]
    const as = await testApp.makeSystem()
    const renamed = JSON.stringify(file)
      .replaceAll('Wren', 'Taken')
      .replaceAll('Only mine.', 'Taken.')
    const { status, json: report } = await importFile(as, renamed)
    expect([status, report.ext?.notes.added]).toEqual([200, 3])
    const after = await exportFile(owner, '?format=pluralport')
    expect({ ...after, exported_at: null }).toEqual({ ...file, exported_at: null })
    const theirIds = (await exportFile(as, '')).members as JsonObject[]
    const uuids = new Set(ownIds.map(({ uuid }) => uuid))
    expect(theirIds.filter(({ uuid }) => uuids.has(uuid))).toEqual([])
  })

  test('writes nothing of a file that it refuses, and quotes nothing of it', async () => {
    const as = await testApp.makeSystem()
    const before = await readAllRows(testApp.deps.db)
    const secret = 'hunter2'
    const files = [
      { pluralport_version: '0.2', members: [{ name: secret }] },
      { pluralport_version: secret },
      { pluralport_version: '0.1', members: secret, groups: { secret }, chat: [secret] },
      { pluralport_version: '0.1', front_events: secret },
    ]
    for (const file of files) {
      const { status, json } = await importFile(as, JSON.stringify(file))
      expect([status, JSON.stringify(json).includes(secret)]).toEqual([400, false])
    }
    expect(await readAllRows(testApp.deps.db)).toEqual(before)
  })
})

describe('export of a PluralPort file', () => {
  /** A value of each type of custom field. */
  const values: Record<(typeof customFieldTypes)[number], unknown> = {
    text: ' tea ',
    markdown: '**tea**',
    color: '88c0a8',
    date: '2026-01-02',
    month: '05',
    year: '1999',
    month_year: '2026-03',
    month_day: '11-02',
    moment: '2026-01-02T03:04',
    number: 4.5,
    flag: false,
    url: 'https://example.org/tea',
    choice: 'Keeper',
    choices: ['Host', 'Keeper'],
  }

  test('keeps every type of custom field, polls, reminders, buckets and settings', async () => {
    const as = await testApp.makeSystem()
    const ask = async (line: string, body?: unknown) => {
      const { status, json } = await testApp.ask<JsonObject>(line, { as, body: body as JsonObject })
      expect([line, status < 300]).toEqual([line, true])
      return json
    }
    const wren = await ask('POST /v2/members', { name: 'Wren' })
    const stored: JsonObject = {}
    for (const type of customFieldTypes) {
      const hasOptions = type === 'choice' || type === 'choices'
      const options = [{ name: 'Keeper', color: '88c0a8' }, { name: 'Host' }]
      const field = await ask('POST /ext/v1/systems/@me/fields', {
        name: type,
        type,
        ...(hasOptions && { options }),
      })
      const idOf = (name: unknown) =>
        (field.options as JsonObject[]).find((one) => one.name === name)?.id
      const value = values[type]
      stored[String(field.id)] = !hasOptions
        ? value
        : Array.isArray(value)
          ? value.map(idOf)
          : idOf(value)
    }
    await ask(`PATCH /ext/v1/members/${wren.id}`, { fields: stored, about: 'lamp '.repeat(500) })
    const at = '2026-01-01T10:00:00Z'
    await ask('POST /v2/systems/@me/switches', { members: [wren.id], timestamp: at })
    const status = { kind: 'status', member: wren.id, at, text: 'at work' }
    await ask('POST /ext/v1/systems/@me/front/notes', status)
    const later = { ...status, at: '2026-01-01T11:00:00Z', text: 'at home' }
    await ask('POST /ext/v1/systems/@me/front/notes', later)
    const habits = { pluralport_version: '0.1', habits: [{ id: 'h1' }, { id: 'h2' }] }
    await ask('POST /v2/systems/@me/import', habits)
    await ask('POST /ext/v1/systems/@me/polls', { name: 'Move?', options: [{ name: 'yes' }] })
    await ask('POST /ext/v1/systems/@me/reminders', {
      name: 'Tea',
      kind: 'after_switch',
      after: 600,
      on: 'any',
    })
    const bucket = await ask('POST /ext/v1/buckets', { name: 'Close', default_for: ['groups'] })
    const icon = 'https://img.example.org/keepers.png'
    const group = await ask('POST /v2/groups', { name: 'Keepers', icon })
    await ask(`PUT /ext/v1/buckets/${bucket.id}/contents`, {
      members: [wren.id],
      groups: [group.id],
      fields: Object.keys(stored).slice(0, 2),
    })
    await ask('PATCH /ext/v1/systems/@me/settings', { front_status_privacy: 'public' })

    const file = await exportFile(as, '?format=pluralport')
    expect(findPluralportProblems(file)).toEqual([])
    expect(file.front_events).toMatchObject([{ assignments: [{ note: 'at work' }] }])
    const warnings = file.warnings as JsonObject[]
    expect(warnings.map(({ code, record_type, count }) => [code, record_type, count])).toEqual([
      ['field_type_changed', 'custom_fields', 1],
      ['extension_only', 'groups', 1],
      ['extension_only', 'polls', 1],
      ['extension_only', 'reminders', 1],
      ['extension_only', 'buckets', 1],
      ['extension_only', 'front_notes', 1],
      ['extension_only', null, 2],
    ])

    const native = (await exportFile(as, '')).multitude as JsonObject
    const other = createTestApp({ RATE_LIMIT: 'off' })
    const target = await other.makeSystem()
    const { json: report } = await other.ask<ImportReport>('POST /v2/systems/@me/import', {
      as: target,
      body: JSON.stringify(file),
    })
    expect(report.repairs).toEqual([])
    const { json: copy } = await other.ask<JsonObject>('GET /v2/systems/@me/export', { as: target })
    // Reminders arrive turned off.
    const comparable = (ext: unknown) =>
      JSON.parse(JSON.stringify(ext).replaceAll('"enabled":true', '"enabled":false'))
    expect(comparable((copy.multitude as JsonObject).ext)).toEqual(comparable(native.ext))
  })

  test('is an attachment with its own name', async () => {
    const as = await testApp.makeSystem()
    const { headers } = await testApp.ask('GET /v2/systems/@me/export?format=pluralport', { as })
    expect(headers.get('content-disposition')).toBe('attachment; filename="pluralport.json"')
  })

  test('is refused for another format', async () => {
    const as = await testApp.makeSystem()
    const { status } = await testApp.ask('GET /v2/systems/@me/export?format=xml', { as })
    expect(status).toBe(400)
  })

  test('contains only the chosen members', async () => {
    const as = await testApp.makeSystem()
    await importFile(as, nasty)
    const { json } = await testApp.ask<JsonObject[]>('GET /v2/systems/@me/members', { as })
    const wren = json.find(({ name }) => name === 'Wren')
    const file = await exportFile(as, `?format=pluralport&members=${wren?.id}`)
    expect(findPluralportProblems(file)).toEqual([])
    expect(file.members).toMatchObject([{ name: 'Wren' }])
    expect(file.notes).toEqual([])
  })
})

describe('front notes of the same moment', () => {
  const at = '2026-01-01T10:00:00Z'

  test.each([
    'comment',
    'status comment',
    'comment status',
    'comment status comment status comment comment',
    'status status comment comment',
    'comment comment status comment status',
  ])('keep their order in a round trip: %s', async (order) => {
    const kinds = order.split(' ')
    const owner = await testApp.makeSystem()
    const send = async (line: string, body: unknown, as = owner) => {
      const { status, json, text } = await testApp.ask<JsonObject>(line, { as, body })
      expect(status, text).toBeLessThan(300)
      return json
    }
    const members: string[] = []
    for (const name of ['Wren', 'Finch'])
      members.push(String((await send('POST /v2/members', { name })).id))
    await send('POST /v2/systems/@me/switches', { members, timestamp: at })
    const fronters = [...members]
    for (const [index, kind] of kinds.entries()) {
      const member = kind === 'status' ? fronters.shift() : null
      const note = { kind, member, at, text: `${index}` }
      await send('POST /ext/v1/systems/@me/front/notes', note)
    }
    const textsOf = async (as: TestSystem) => {
      const { json } = await testApp.ask<JsonObject[]>('GET /ext/v1/systems/@me/front/notes', {
        as,
      })
      return json.map(({ text }) => text)
    }
    const texts = await textsOf(owner)
    expect(texts).toEqual(kinds.map((_, index) => `${index}`).toReversed())
    for (const query of ['?format=pluralport', '']) {
      const as = await testApp.makeSystem()
      await importFile(as, JSON.stringify(await exportFile(owner, query)))
      expect(await textsOf(as)).toEqual(texts)
    }
  })
})
