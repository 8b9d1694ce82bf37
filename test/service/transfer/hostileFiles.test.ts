import type { JsonObject } from '../../../src/model/core/entity'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { exportText, importInto } from './importFixture'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const at = 1_700_000_000_000
const wren = { _id: 'm1', name: 'Wren' }
const front = { _id: 'h1', member: 'm1', startTime: at, endTime: at + 9000 }
const role = { _id: 'c1', name: 'Role', type: 0 }

interface Given {
  file: JsonObject
  /** Numbers of rows that the import adds; it adds nothing else. */
  adds?: Record<string, number>
  /** All archived rows afterwards. */
  kept?: JsonObject
}

const repeated = <T>(count: number, item: (at: number) => T) =>
  Array.from({ length: count }, (_, n) => item(n))
const comment = (text: string) => ({ _id: 'h1', text, time: at + 1 })
const long = 'x'.repeat(300)

/** Files of Simply Plural that no phone wrote; nothing that is written in them may be lost. */
const files: Record<string, Given> = {
  'comments inside a front that have its ID': {
    file: {
      frontHistory: [{ ...front, customStatus: 'out', comments: [comment('a'), comment('b')] }],
    },
    adds: { front_notes: 1 },
    kept: { frontHistory: [{ _id: 'h1', comments: [comment('a'), comment('b')] }] },
  },
  'comments inside a front that are plain text': {
    file: { frontHistory: [{ ...front, comments: ['plain'] }] },
    kept: { frontHistory: [{ _id: 'h1', comments: ['plain'] }] },
  },
  'several values of one field': {
    file: {
      customFields: [{ ...role, oid: 'o1' }],
      members: [{ ...wren, info: { c1: 'a', Role: 'b', o1: 'c' } }],
    },
    adds: { fields: 1, values: 1 },
    kept: {
      fieldValues: [
        { member: 'm1', field: 'c1', value: 'b' },
        { member: 'm1', field: 'c1', value: 'c' },
      ],
    },
  },
  'fields with the IDs of each other': {
    file: {
      customFields: [
        { ...role, oid: 'c2' },
        { ...role, _id: 'c2', oid: 'c1' },
      ],
      members: [{ ...wren, info: { c1: 'a', c2: 'b' } }],
    },
    adds: { fields: 2, values: 2 },
  },
  'values that are no text': {
    file: {
      customFields: [role, { _id: 'c2', name: 'Year', type: 4 }],
      members: [
        { ...wren, info: { c1: { a: 1 }, c2: 2001 } },
        { _id: 'm2', name: 'Ash', info: 'no object' },
      ],
      frontStatuses: [{ _id: 'f1', name: 'Away', info: { c1: 'of a custom front' } }],
    },
    adds: { fields: 2, values: 1 },
    kept: {
      members: [{ _id: 'm2', info: 'no object' }],
      frontStatuses: [{ _id: 'f1', info: { c1: 'of a custom front' } }],
      fieldValues: [{ member: 'm1', field: 'c1', value: { a: 1 } }],
    },
  },
  'a reason of a member that is not archived': {
    file: { members: [{ ...wren, archived: false, archivedReason: 'was away' }] },
    kept: { members: [{ _id: 'm1', archivedReason: 'was away' }] },
  },
  'too many options, long ones, and ones that are not allowed': {
    file: {
      polls: [
        {
          _id: 'p1',
          name: 'Many',
          custom: true,
          options: repeated(60, (n) => ({ name: `o${n}` })),
        },
        { _id: 'p2', name: 'Yes?', custom: false, options: [{ name: 'maybe' }] },
        {
          _id: 'p3',
          name: 'Long',
          custom: true,
          options: [{ name: long }, 'plain'],
          votes: [{ id: 'm1', vote: long }],
        },
      ],
    },
    adds: { polls: 3, votes: 1 },
    kept: {
      pollOptions: [
        { poll: 'p1', options: repeated(10, (n) => ({ name: `o${50 + n}` })) },
        { poll: 'p2', options: [{ name: 'maybe' }] },
        { poll: 'p3', options: ['plain'] },
      ],
      longTexts: [{ kind: 'poll', name: 'Long', field: 'options', text: long }],
    },
  },
  'one ID in every collection': {
    file: {
      members: [{ ...wren, info: { m1: 'x' } }],
      frontStatuses: [{ _id: 'm1', name: 'Asleep' }],
      groups: [{ _id: 'm1', name: 'All', members: ['m1'] }],
      customFields: [{ ...role, _id: 'm1' }],
      frontHistory: [{ ...front, _id: 'm1', customStatus: 'out' }],
      comments: [{ _id: 'm1', documentId: 'm1', text: 'quiet', time: at + 1 }],
      notes: [{ _id: 'm1', member: 'm1', note: 'Oil' }],
      channels: [{ _id: 'm1', name: 'General' }],
      chatMessages: [{ _id: 'm1', channel: 'm1', writer: 'm1', message: 'Hi', replyTo: 'm1' }],
      boardMessages: [{ _id: 'm1', writtenFor: 'm1', writtenBy: 'm1', message: 'Milk' }],
      polls: [{ _id: 'm1', name: 'Move?', votes: [{ id: 'm1', vote: 'yes' }] }],
    },
    adds: {
      fields: 1,
      values: 1,
      front_notes: 2,
      notes: 1,
      rooms: 1,
      posts: 2,
      polls: 1,
      votes: 1,
    },
  },
  'names of object properties as IDs and texts': {
    file: JSON.parse(`{
      "members": [{ "_id": "__proto__", "name": "__proto__", "info": { "__proto__": "v" } }],
      "customFields": [{ "_id": "__proto__", "name": "constructor", "type": 0 }],
      "groups": [{ "_id": "__proto__", "name": "toString", "members": ["__proto__"] }],
      "notes": [{ "_id": "constructor", "member": "__proto__", "note": "__proto__" }],
      "channels": [{ "_id": "__proto__", "name": "valueOf" }],
      "chatMessages": [{ "_id": "__proto__", "channel": "__proto__", "writer": "__proto__",
        "message": "<###@__proto__###> <###@toString###>" }],
      "polls": [{ "_id": "__proto__", "name": "p", "votes": { "__proto__": "yes" } }]
    }`),
    adds: { fields: 1, values: 1, notes: 1, rooms: 1, posts: 1, polls: 1, votes: 1 },
  },
  'groups that contain each other': {
    file: {
      groups: [
        { _id: 'g1', name: 'A', parent: 'g2' },
        { _id: 'g2', name: 'B', parent: 'g1' },
        { _id: 'g3', name: 'C', parent: 'g3' },
      ],
    },
  },
  'messages that reply to each other': {
    file: {
      channels: [{ _id: 'r', name: 'R' }],
      chatMessages: [
        { _id: 'x1', channel: 'r', message: 'a', replyTo: 'x1' },
        { _id: 'x2', channel: 'r', message: 'b', replyTo: 'x3' },
        { _id: 'x3', channel: 'r', message: 'c', replyTo: 'x2' },
      ],
    },
    adds: { rooms: 1, posts: 3 },
  },
  'characters that cannot be stored, and endless IDs': {
    file: {
      members: [{ _id: 'm\0', name: 'W\0ren' }],
      customFields: [{ _id: 'c\ud800', name: 'F\0', type: 0 }],
      frontHistory: [{ ...front, comments: [{ _id: 'k\0', text: 'a\0' }] }],
      notes: [
        { _id: 'n\0', title: 'a\0b', note: 'x\ud800' },
        { _id: crypto.randomUUID().repeat(1000), note: 'Oil' },
      ],
      polls: [{ _id: 'p', name: 'P', custom: true, options: [{ name: 'a\0\ud800' }] }],
      friends: [{ _id: 'z\0', note: '\0\ud800' }],
    },
    adds: { fields: 1, notes: 2, polls: 1 },
    kept: {
      frontHistory: [{ ...front, comments: [{ _id: 'k\0', text: 'a\0' }] }],
      friends: [{ _id: '#friends0', note: '\0\ud800' }],
    },
  },
}

const known = ['members', 'frontStatuses', 'groups', 'customFields', 'frontHistory', 'comments']
const others = ['notes', 'polls', 'boardMessages', 'chatMessages', 'channels', 'channelCategories']
const collections = [...known, ...others, 'users', 'private', 'settings', 'fronters', 'friends']
const keys = `_id name desc color info members parent emoji archived archivedReason type order oid
  startTime endTime live customStatus comments documentId text time note title date writtenBy
  writtenFor writtenAt message channel writer replyTo updatedAt iv channels votes options endTime
  custom fields categories location defaultPrivacy buckets private content exists username`
const wrongValues = [null, 5, -1e308, true, 'x', [], [[]], [null], {}, { a: { b: [] } }]
const wrongRows = wrongValues.map((value) =>
  Object.fromEntries(keys.split(/\s+/).map((key) => [key, value])),
)

/** Adds of the import, without zeros. */
function addsOf(ext: object | undefined): Record<string, number> {
  const added = Object.entries(ext ?? {}).map(([part, tally]) => [part, tally.added])
  return Object.fromEntries(added.filter(([, count]) => count > 0))
}

const bytesOf = (file: object) =>
  Buffer.from(JSON.stringify({ frontStatuses: [], members: [wren], ...file }))

describe('a hostile file of Simply Plural', () => {
  test.each(Object.entries(files))('with %s is imported once', async (_, { file, adds, kept }) => {
    const system = await testApp.makeSystem()
    const report = await importInto(testApp, system, bytesOf(file))
    expect(addsOf(report.ext)).toEqual(adds ?? {})
    const exported = await exportText(testApp.deps, system.id)
    expect(JSON.parse(exported).multitude?.kept ?? {}).toEqual(kept ?? {})
    const again = await importInto(testApp, system, bytesOf(file))
    expect(addsOf(again.ext)).toEqual({})
    expect([again.members, again.groups].map(({ added, changed }) => added + changed)).toEqual([
      0, 0,
    ])
    expect(JSON.parse(await exportText(testApp.deps, system.id)).multitude?.kept ?? {}).toEqual(
      kept ?? {},
    )
  })

  test('with wrong types everywhere is imported once', async () => {
    const system = await testApp.makeSystem()
    const rows = [...wrongValues, ...wrongRows]
    const shapes = [rows, Object.fromEntries(rows.map((row, n) => [`k${n}`, row]))]
    for (const list of shapes) {
      const file = bytesOf(Object.fromEntries(collections.map((name) => [name, list])))
      await importInto(testApp, system, file)
      expect(addsOf((await importInto(testApp, system, file)).ext)).toEqual({})
    }
  })

  test('that is nested 10,000 deep is refused', async () => {
    const system = await testApp.makeSystem()
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    for (const text of [`{"frontStatuses":[],"notes":[{"_id":"n","note":${deep}}]}`, deep]) {
      const body = JSON.parse(text)
      const { status, text: answer } = await testApp.ask('POST /v2/systems/@me/import', {
        as: system,
        body,
      })
      expect([status, answer]).toEqual([400, expect.stringContaining('nested deeper than')])
    }
  })
})

describe('a hostile file of our own', () => {
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const status = { kind: 'status', member: id(9), at: '2024-01-01T00:00:00Z' }
  const vote = { member: id(9), option: id(5) }
  const poll = { id: id(4), name: 'P', options: [{ id: id(5), name: 'x' }], votes: [vote, vote] }
  const value = { member: id(9), field: id(6) }
  const wrong = wrongRows.map((row, n) => ({ ...row, id: id(n), kind: 'status', member: id(9) }))
  const parts = 'members groups fields values front_notes notes rooms posts polls origins'.split(
    ' ',
  )

  const own: [title: string, ext: JsonObject, adds: Record<string, number> | null][] = [
    [
      'two notes of one ID',
      {
        notes: [
          { id: id(1), text: 'a' },
          { id: id(1), text: 'b' },
        ],
      },
      { notes: 1 },
    ],
    [
      'two statuses of one time, and one of no member',
      {
        front_notes: [
          { ...status, id: id(2), text: 'a' },
          { ...status, id: id(3), text: 'b' },
          { ...status, id: id(4), text: 'c', member: null },
        ],
      },
      { front_notes: 1 },
    ],
    ['two votes of one member', { polls: [poll] }, { polls: 1, votes: 1 }],
    [
      'two values of one field',
      {
        fields: [{ id: id(6), name: 'F', type: 'text' }],
        values: [
          { ...value, value: 'a' },
          { ...value, value: 'b' },
        ],
      },
      { fields: 1, values: 1 },
    ],
    [
      'origins that cannot be stored',
      { origins: [{ app: 'simplyplural', collection: 'members', id: 'a\0b', target: id(9) }] },
      {},
    ],
    ['wrong types everywhere', Object.fromEntries(parts.map((part) => [part, wrong])), null],
  ]

  test.each(own)('with %s is imported once', async (_, ext, adds) => {
    const app = createTestApp()
    const system = await app.makeSystem()
    const members = [{ id: 'abcde', uuid: id(9), name: 'Wren' }]
    const file = Buffer.from(
      JSON.stringify({
        version: 2,
        members,
        switches: [],
        multitude: { ext: { version: 1, ...ext } },
      }),
    )
    const report = await importInto(app, system, file)
    if (adds) expect(addsOf(report.ext)).toEqual(adds)
    expect(addsOf((await importInto(app, system, file)).ext)).toEqual({})
  })
})
