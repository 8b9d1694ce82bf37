import { hiddenIdentity } from '../../../src/db/visible'
import { removeAbandoned } from '../../../src/service/systems/staging'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { insertSystem } from '../../../src/store/systems/systemRows'
import { type AppFile, importAsBefore, toBytes } from '../../service/transfer/earlierImport'
import { createEventReader, exportParts, importInto } from '../../service/transfer/importFixture'
import { execute, insert, readAllRows, rows } from '../../tools/rawSql'
import type { Json } from '../../tools/scenarios'
import { generateFile } from '../../tools/simplyplural/generateFile'
import { readFacts, sorted } from '../../tools/simplyplural/readFacts'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'
import { archiveRows } from './archiveRows'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const AT = 1_700_000_000
const LONG = 'Keeps the lamps. '.repeat(100)

/** ID of a row that was created in this second. */
const idOf = (second: number, number: number) =>
  (AT + second).toString(16) + String(number).padStart(16, '0')

const wren = idOf(0, 1)
const ash = idOf(60, 2)
const asleep = idOf(120, 3)
const lamps = idOf(180, 4)
const night = idOf(240, 5)

const file: AppFile = {
  members: [
    {
      _id: wren,
      name: 'Wren',
      desc: LONG,
      info: { c1: 'Keeper' },
      buckets: ['b1'],
      frame: { a: 1 },
    },
    { _id: ash, name: 'Ash', archived: true, archivedReason: 'resting', uid: 'x' },
  ],
  frontStatuses: [{ _id: asleep, name: 'Asleep', desc: 'zzz' }],
  groups: [
    { _id: lamps, name: 'Lamps', parent: 'root', emoji: '💡', members: [wren] },
    { _id: night, name: 'Night', parent: lamps, members: [ash] },
  ],
  customFields: [{ _id: 'c1', name: 'Role', type: 0, order: '0|a:', supportMarkdown: true }],
  frontHistory: [
    { _id: 'h1', member: wren, startTime: AT * 1000, live: true, customStatus: 'at work' },
    { _id: 'h2', member: asleep, startTime: (AT + 9) * 1000, endTime: (AT + 99) * 1000 },
    { _id: 'h3', member: ash, startTime: (AT + 50) * 1000, endTime: (AT + 99) * 1000 },
  ],
  comments: [
    {
      _id: 'k1',
      documentId: 'h1',
      collection: 'frontHistory',
      text: 'quiet',
      time: (AT + 5) * 1000,
    },
    { _id: 'k2', documentId: 'gone', collection: 'frontHistory', text: 'lost', time: AT * 1000 },
  ],
  notes: [
    { _id: 'n1', member: wren, title: 'Oil', note: 'Buy more', date: AT * 1000, color: '#88c0a8' },
    { _id: 'n2', member: ash, title: '', note: '', date: AT * 1000 },
  ],
  channels: [{ _id: 'r1', name: 'General', desc: '' }],
  channelCategories: [{ _id: 'q1', name: 'House', channels: ['r1'] }],
  chatMessages: [
    { _id: 'x1', channel: 'r1', writer: wren, message: 'Hi there', writtenAt: AT * 1000 },
    { _id: 'x2', channel: 'r1', writer: ash, message: 'Yes!', writtenAt: AT * 1001, replyTo: 'x1' },
  ],
  boardMessages: [
    { _id: 'b1', title: 'Milk', message: 'Please', writtenBy: wren, writtenFor: ash, read: false },
  ],
  polls: [{ _id: 'p1', name: 'Move?', votes: [{ id: wren, vote: 'yes' }], endTime: AT * 1000 }],
  friends: [{ _id: 'z1', frienduid: 'someone' }],
  automatedReminders: [{ _id: 'z2', name: 'Drink', delayInHours: 2, type: 1 }],
}

const CONVERT = 'POST /ext/v1/systems/@me/archive/convert'

async function convert(system: TestSystem, query = ''): Promise<ImportReport> {
  const { status, json, text } = await testApp.ask<ImportReport>(CONVERT + query, {
    as: system,
  })
  expect(status, text).toBe(200)
  return json
}

const get = async <T = Json[]>(system: TestSystem, path: string) =>
  (await testApp.ask<T>(`GET /ext/v1/systems/@me/${path}`, { as: system })).json

/** Contents of the archive by collection. */
async function archiveOf(system: TestSystem): Promise<Record<string, Json[]>> {
  const list = await get(system, 'archive')
  const pages = list.map(async ({ collection }) => {
    const page = await get<{ rows: Json[] }>(system, `archive/${collection}`)
    return [collection, page.rows]
  })
  return Object.fromEntries(await Promise.all(pages))
}

async function systemOfBefore(changes: AppFile = {}): Promise<TestSystem> {
  const system = await testApp.makeSystem('Lantern Hill')
  await importAsBefore(testApp, system, { ...file, ...changes })
  return system
}

/** Objects of a system without IDs and times of writing. */
async function factsOf(system: TestSystem) {
  const members = await get(system, 'members')
  const nameOf = new Map(
    members.map(({ member }) => [(member as Json).uuid, (member as Json).name]),
  )
  const groups = await get(system, 'groups')
  const named = (row: Json, ...keys: string[]) =>
    keys.map((key) => nameOf.get(row[key] as string) ?? row[key] ?? null)
  const fields = await get(system, 'fields')
  return {
    members: members.map(({ member, kind, archived, archived_reason, about, fields: values }) => [
      (member as Json).name,
      kind,
      archived,
      archived_reason,
      about,
      Object.values(values as Json),
    ]),
    fields: fields.map(({ name, type, privacy }) => [name, type, privacy]),
    groups: groups.map(({ group, emoji, parent }) => [
      (group as Json).name,
      emoji,
      groups.find((one) => (one.group as Json).uuid === parent)?.emoji ?? null,
    ]),
    frontNotes: (await get(system, 'front/notes')).map((row) => [
      ...named(row, 'kind', 'member', 'at', 'text'),
    ]),
    notes: (await get(system, 'notes')).map((row) =>
      named(row, 'member', 'title', 'color', 'date'),
    ),
    rooms: (await get(system, 'rooms')).map((row) => named(row, 'name', 'category')),
    posts: (await get(system, 'posts')).map((row) =>
      named(row, 'by', 'for', 'title', 'text', 'read').concat(row.reply_to !== null),
    ),
    reminders: (await get(system, 'reminders')).map((row) =>
      named(row, 'name', 'text', 'kind', 'after', 'on', 'enabled', 'due'),
    ),
    polls: (await get(system, 'polls')).map((row) => [row.name, Object.values(row.counts as Json)]),
  }
}

describe('conversion of archived rows', () => {
  test('gives the same as an import of the file', async () => {
    const before = await systemOfBefore()
    const fresh = await testApp.makeSystem('Lantern Hill')
    const expected = await importInto(testApp, fresh, toBytes(file))
    const planned = await convert(before, '?dry_run=true')
    expect(planned.ext).toEqual(expected.ext)
    expect(planned).toMatchObject({ dry_run: true, members: { added: 0, changed: 3 } })
    const events = await createEventReader(testApp, before)
    const report = await convert(before)
    expect(report).toEqual({ ...planned, dry_run: false })
    expect(await events()).toEqual(['SUCCESSFUL_IMPORT'])
    expect(await factsOf(before)).toEqual(await factsOf(fresh))
    const archive = await archiveOf(before)
    expect(archive).toEqual(await archiveOf(fresh))
    expect(archive.members).toEqual([{ _id: wren, buckets: ['b1'], frame: { a: 1 } }])
    expect(archive.notes).toEqual(file.notes?.slice(1))
    const list = await get(before, 'archive')
    expect(list.filter(({ convertible }) => convertible)).toEqual([])
  })

  test('turns reminders into reminders that are off, and marks none of the other rows', async () => {
    const system = await testApp.makeSystem()
    const rows = [{ _id: 'r1', name: 'Drink', message: 'Water', delayInHours: 2, type: 0 }]
    // An earlier release has read all of these, and could not import reminders.
    await archiveRows(testApp, system, 'automatedReminders', rows, { reader: 1 })
    await archiveRows(testApp, system, 'notes', [{ _id: 'n1', title: '' }], { reader: 1 })
    const convertible = async () =>
      (await get(system, 'archive')).filter((one) => one.convertible).map((one) => one.collection)
    expect(await convertible()).toEqual(['automatedReminders'])
    expect((await convert(system)).ext?.reminders.added).toBe(1)
    expect(await get(system, 'reminders')).toMatchObject([
      { name: 'Drink', text: 'Water', after: 7_200, on: 'members', enabled: false, due: null },
    ])
    expect(await convertible()).toEqual([])
    expect(Object.keys(await archiveOf(system))).toEqual(['notes'])
  })

  test('puts members in buckets that an earlier release archived, and keeps the other keys', async () => {
    const system = await testApp.makeSystem()
    const members = [
      { _id: 'm1', name: 'Wren' },
      { _id: 'm2', name: 'Ash' },
    ]
    const groups = [{ _id: 'g1', name: 'Lamps', parent: 'root', emoji: '💡', members: ['m1'] }]
    const customFields = [{ _id: 'c1', name: 'Role', type: 0 }]
    await importInto(testApp, system, toBytes({ frontStatuses: [], members, groups, customFields }))
    // The reader of that release left these of a file with buckets.
    const archived = {
      privacyBuckets: [{ _id: 'k1', name: 'Close', icon: '💛' }],
      defaultPrivacy: [{ members: ['k1'], groups: [] }],
      members: [
        { _id: 'm1', buckets: ['k1'], frame: { a: 1 } },
        { _id: 'm2', buckets: [] },
      ],
      groups: [{ _id: 'g1', buckets: ['k1'] }],
      customFields: [{ _id: 'c1', buckets: ['k1'] }],
    }
    for (const [collection, rows] of Object.entries(archived))
      await archiveRows(testApp, system, collection, rows, { reader: 2 })
    const report = await convert(system)
    expect(report.ext?.buckets).toEqual({ added: 1, changed: 0, unchanged: 0, left_out: 0 })
    const buckets = async () => (await testApp.ask('GET /ext/v1/buckets', { as: system })).json
    const close = { name: 'Close', emoji: '💛', default_for: ['members'] }
    const counts = { members: 1, groups: 1, fields: 1 }
    expect(await buckets()).toMatchObject([{ ...close, ...counts }])
    expect(await archiveOf(system)).toEqual({ members: [{ _id: 'm1', frame: { a: 1 } }] })
    expect(await get(system, 'groups')).toMatchObject([{ emoji: '💡' }])
    expect((await get(system, 'archive')).filter((one) => one.convertible)).toEqual([])
    await convert(system)
    expect(await buckets()).toMatchObject([{ ...close, ...counts }])
  })

  test.each(['small', 'typical'] as const)(
    'gives the facts of a generated file: %s',
    async (size) => {
      const { file: generated, facts } = generateFile({ seed: 7, size, shape: 'export' })
      const fresh = await testApp.makeSystem()
      const expected = await importInto(testApp, fresh, Buffer.from(JSON.stringify(generated)))
      const system = await testApp.makeSystem()
      await importAsBefore(testApp, system, generated as AppFile)
      const { timezone } = facts.system
      await testApp.ask('PATCH /v2/systems/@me/settings', { as: system, body: { timezone } })
      const planned = await convert(system, '?dry_run=true')
      expect(planned.ext).toEqual(expected.ext)
      expect((await convert(system)).ext).toEqual(planned.ext)
      const [exported = {}] = await exportParts(testApp.deps, system.id)
      const found = readFacts(exported)
      for (const key of [
        'customFronts',
        'fields',
        'values',
        'statuses',
        'comments',
        'notes',
        'rooms',
        'chat',
        'boards',
        'polls',
        'reminders',
        'buckets',
      ] as const)
        expect([key, sorted<unknown>(found[key])]).toEqual([key, sorted<unknown>(facts[key])])
      expect(await archiveOf(system)).toEqual(await archiveOf(fresh))
      expect((await convert(system, '?dry_run=true')).repairs).toEqual([])
    },
  )

  test('a dry run writes nothing', async () => {
    const system = await systemOfBefore()
    const before = await readAllRows(testApp.deps.db)
    await convert(system, '?dry_run=true')
    expect(await readAllRows(testApp.deps.db)).toEqual(before)
  })

  test('a second conversion changes nothing, and neither does an import of the file', async () => {
    const system = await systemOfBefore()
    await convert(system)
    const facts = await factsOf(system)
    const archive = await archiveOf(system)
    const events = await createEventReader(testApp, system)
    const again = await convert(system)
    expect(again).toMatchObject({ members: { added: 0, changed: 0 }, repairs: [] })
    for (const tally of Object.values(again.ext ?? {}))
      expect(tally).toMatchObject({ added: 0, changed: 0 })
    expect(await events()).toEqual([])
    expect(await archiveOf(system)).toEqual(archive)
    const imported = await importInto(testApp, system, toBytes(file))
    expect(imported.members).toMatchObject({ added: 0 })
    for (const tally of Object.values(imported.ext ?? {}))
      expect(tally).toMatchObject({ added: 0, changed: 0 })
    expect(await factsOf(system)).toEqual(facts)
  })

  test('members that were renamed are found after a conversion, and keep their names', async () => {
    const system = await systemOfBefore({ notes: [] })
    await convert(system)
    await rename(system, 'Wren', 'Robin')
    const added = { _id: 'n9', member: wren, title: 'New', note: 'x' }
    await archiveRows(testApp, system, 'notes', [added])
    expect((await convert(system)).ext?.notes).toMatchObject({ added: 1 })
    const [note] = (await factsOf(system)).notes
    expect(note?.slice(0, 2)).toEqual(['Robin', 'New'])
  })

  test('two members of one name are distinguished by their time of creation', async () => {
    const twin = idOf(600, 9)
    const members = [...(file.members ?? []), { _id: twin, name: 'Wren' }]
    const notes = [
      { _id: 'n1', member: wren, title: 'First', note: 'x', date: AT * 1000 },
      { _id: 'n2', member: twin, title: 'Second', note: 'x', date: AT * 1000 },
    ]
    const system = await systemOfBefore({ members, notes })
    await convert(system)
    const owners = await rows<{ title: string; created: number }>(
      testApp.deps.db,
      `select notes.title, members.created from notes join members on members.id = notes.member_id
       where notes.system_id = :system order by notes.id`,
      { system: system.id },
    )
    expect(owners.toSorted((a, b) => a.created - b.created)).toEqual([
      { title: 'First', created: AT * 1e6 },
      { title: 'Second', created: (AT + 600) * 1e6 },
    ])
  })

  test('rows of a member whose name two members have stay archived and are reported', async () => {
    const members = [
      { _id: 'one', name: 'Twin', info: { c1: 'Keeper' } },
      { _id: 'two', name: 'Twin' },
      { _id: wren, name: 'Wren' },
    ]
    const notes = [
      { _id: 'n1', member: 'one', title: 'Whose?', note: 'x' },
      { _id: 'n2', member: wren, title: 'Oil', note: 'x' },
    ]
    const groups: AppFile['groups'] = []
    const system = await systemOfBefore({ members, notes, groups })
    const report = await convert(system)
    expect(report.ext?.notes).toEqual({ added: 1, changed: 0, unchanged: 0, left_out: 1 })
    const twins = report.repairs.filter(({ name }) => name === 'Twin')
    expect(twins.map(({ field, left_out }) => [field, left_out])).toEqual([
      ['members', 2],
      ['members', 1],
    ])
    const archive = await archiveOf(system)
    expect(archive.members).toEqual(members.slice(0, 2))
    expect(archive.notes).toEqual(notes.slice(0, 1))
    const list = await get(system, 'archive')
    expect(list.find(({ collection }) => collection === 'notes')).toMatchObject({
      convertible: true,
    })
  })

  test('rows above a limit stay archived', async () => {
    const system = await systemOfBefore()
    await testApp.deps.transact({ system: system.id }, async (tx) => {
      await execute(tx, 'delete from ext_usage where system_id = :system', { system: system.id })
      const used = testApp.deps.quotas.extText - 30
      await insert(tx, 'ext_usage', { system_id: system.id, text_bytes: used })
    })
    const before = await archiveOf(system)
    const report = await convert(system)
    expect(report.ext?.notes).toMatchObject({ added: 0, left_out: 1 })
    const archive = await archiveOf(system)
    expect(archive.notes).toEqual(before.notes)
    expect(archive.longTexts).toEqual(before.longTexts)
    await runSql(system, 'update ext_usage set text_bytes = 100')
    await convert(system)
    const fresh = await testApp.makeSystem('Lantern Hill')
    await importInto(testApp, fresh, toBytes(file))
    expect(await factsOf(system)).toEqual(await factsOf(fresh))
  })

  test('what a killed conversion began is undone', async () => {
    const system = await systemOfBefore()
    const before = await archiveOf(system)
    await testApp.deps.transact({ system: system.id }, async (tx) => {
      const hidden = await insertSystem(tx, {}, hiddenIdentity())
      const staging = { system_id: system.id, staging_system_id: hidden.id, expires_at: 1, id: 999 }
      await insert(tx, 'pending_imports', staging)
      await execute(tx, 'update import_archive set replaced_by = 999 where system_id = :system', {
        system: system.id,
      })
    })
    expect(await archiveOf(system)).toEqual(before)
    await removeAbandoned(testApp.deps)
    expect(await archiveOf(system)).toEqual(before)
    expect((await convert(system)).ext?.notes).toMatchObject({ added: 1 })
  })

  test('encrypted chat messages stay archived', async () => {
    const iv = Buffer.alloc(16).toString('base64')
    const chatMessages = ['q83v', 'AAECAwQF', 'zN3u/w=='].map((message, at) => ({
      _id: `x${at}`,
      channel: 'r1',
      writer: wren,
      message,
      iv,
    }))
    const system = await systemOfBefore({ chatMessages })
    await convert(system)
    expect((await archiveOf(system)).chatMessages).toEqual(chatMessages)
    expect(await get(system, 'posts')).toHaveLength(1)
  })

  test('is refused while a file is being imported', async () => {
    const system = await systemOfBefore()
    await testApp.deps.transact({ system: system.id }, async (tx) => {
      const expires_at = testApp.deps.now() + 60e6
      const staging = { system_id: system.id, staging_system_id: system.id, expires_at }
      await insert(tx, 'pending_imports', staging)
    })
    const answer = await testApp.ask(CONVERT, { as: system })
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('a file is being imported into this system')
    await runSql(system, 'delete from pending_imports')
  })
})

async function runSql(system: TestSystem, sql: string): Promise<void> {
  await testApp.deps.transact({ system: system.id }, (tx) => execute(tx, sql))
}

async function rename(system: TestSystem, from: string, to: string): Promise<void> {
  const members = await get(system, 'members')
  const found = members.find(({ member }) => (member as Json).name === from)?.member as Json
  const body = { member: { name: to } }
  await testApp.ask(`PATCH /ext/v1/members/${found.id}`, { as: system, body })
}
