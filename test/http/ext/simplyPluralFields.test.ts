import type { JsonObject } from '../../../src/model/core/entity'
import { importInto } from '../../service/transfer/importFixture'
import { ME } from '../../tools/me'
import type { Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

const AT = 1_700_000_000_000
const TIME = '2023-11-14T22:13:20Z'
const LATER = '2023-11-14T22:13:25Z'
const LONG = 'Keeps the lamps. '.repeat(100)

const wren = { _id: 'm1', name: 'Wren' }
const ash = { _id: 'm2', name: 'Ash' }
const front = { _id: 'h1', member: 'm1', startTime: AT, live: true }
const general = { _id: 'r1', name: 'General' }
const hello = { _id: 'x1', channel: 'r1', writer: 'm1', message: 'Hello', writtenAt: AT }
const board = { _id: 'b1', message: 'Milk', writtenBy: 'm1', writtenFor: 'm2', writtenAt: AT }
const poll = { _id: 'p1', name: 'Move?', custom: false }
const role = { _id: 'c1', name: 'Role', type: 0 }
const withValue = (field: JsonObject, value: string) => ({
  customFields: [{ ...role, ...field }],
  members: [{ ...wren, info: { c1: value } }],
})

const archived = (collection: string) => `${ME}/archive/${collection}`
const first = (list: unknown): Json => (list as Json[])[0] ?? {}
const rowsOf = (page: unknown) => (page as { rows: unknown[] }).rows

/** A key of a file, the path where it is read afterwards, and what is found there. */
type Row = [
  key: string,
  file: JsonObject,
  path: string,
  find: (json: unknown, names: (uuid: unknown) => unknown) => unknown,
  expected: unknown,
]

const member = (key: string) => (json: unknown) => (first(json).member as Json)[key]
const key = (name: string) => (json: unknown) => first(json)[name]
const named = (name: string) => (json: unknown, names: (uuid: unknown) => unknown) =>
  names(first(json)[name])
const values = (json: unknown) => Object.values(first(json).fields as Json)

const table: Row[] = [
  ['members.name', {}, `${ME}/members`, member('name'), 'Wren'],
  [
    'members.desc',
    { members: [{ ...wren, desc: 'Calm' }] },
    `${ME}/members`,
    member('description'),
    'Calm',
  ],
  [
    'members.desc, long',
    { members: [{ ...wren, desc: LONG }] },
    `${ME}/members`,
    key('about_excerpt'),
    LONG.slice(0, 300),
  ],
  [
    'members.pronouns',
    { members: [{ ...wren, pronouns: 'they' }] },
    `${ME}/members`,
    member('pronouns'),
    'they',
  ],
  [
    'members.color',
    { members: [{ ...wren, color: '#88C0A8' }] },
    `${ME}/members`,
    member('color'),
    '88c0a8',
  ],
  [
    'members.avatarUrl',
    { members: [{ ...wren, avatarUrl: 'https://a.example/w.png' }] },
    `${ME}/members`,
    member('avatar_url'),
    'https://a.example/w.png',
  ],
  [
    'members.archived',
    { members: [{ ...wren, archived: true }] },
    `${ME}/members`,
    key('archived'),
    true,
  ],
  [
    'members.archivedReason',
    { members: [{ ...wren, archived: true, archivedReason: 'rest' }] },
    `${ME}/members`,
    key('archived_reason'),
    'rest',
  ],
  [
    'members.preventsFrontNotifs',
    { members: [{ ...wren, preventsFrontNotifs: true }] },
    `${ME}/members`,
    key('announce_front'),
    false,
  ],
  ['members.info', withValue({}, 'Keeper'), `${ME}/members`, values, ['Keeper']],
  [
    'members.info by oid',
    { customFields: [{ ...role, oid: 'o1' }], members: [{ ...wren, info: { o1: 'Keeper' } }] },
    `${ME}/members`,
    values,
    ['Keeper'],
  ],
  [
    'members.info by name',
    { customFields: [role], members: [{ ...wren, info: { Role: 'Keeper' } }] },
    `${ME}/members`,
    values,
    ['Keeper'],
  ],
  [
    'members.info of a field that is gone',
    { members: [{ ...wren, info: { c9: 'Keeper' } }] },
    archived('members'),
    rowsOf,
    [{ _id: 'm1', info: { c9: 'Keeper' } }],
  ],
  [
    'members.info, a date',
    withValue({ type: 2 }, '2001-02-03 04:05:00.000'),
    `${ME}/members`,
    values,
    ['2001-02-03'],
  ],
  [
    'members.info, unreadable',
    withValue({ type: 2 }, 'long ago'),
    archived('fieldValues'),
    rowsOf,
    [{ member: 'm1', field: 'c1', value: 'long ago' }],
  ],
  [
    'members.buckets, of a bucket that is not in the file',
    { members: [{ ...wren, buckets: ['k1'], private: false, preventTrusted: true }] },
    archived('members'),
    rowsOf,
    [{ _id: 'm1', buckets: ['k1'] }],
  ],
  [
    'members.frame',
    { members: [{ ...wren, frame: { bg: 1 } }] },
    archived('members'),
    rowsOf,
    [{ _id: 'm1', frame: { bg: 1 } }],
  ],
  [
    'frontStatuses',
    { members: [], frontStatuses: [{ _id: 'f1', name: 'Asleep' }] },
    `${ME}/members?kind=custom_front`,
    member('name'),
    'Asleep',
  ],
  ['customFields.name', { customFields: [role] }, `${ME}/fields`, key('name'), 'Role'],
  [
    'customFields.type',
    { customFields: [{ ...role, type: 1 }] },
    `${ME}/fields`,
    key('type'),
    'color',
  ],
  [
    'customFields.type, unknown',
    { customFields: [{ ...role, type: 77 }] },
    `${ME}/fields`,
    key('type'),
    'text',
  ],
  [
    'customFields.supportMarkdown',
    { customFields: [{ ...role, supportMarkdown: true }] },
    `${ME}/fields`,
    key('type'),
    'markdown',
  ],
  [
    'customFields.order',
    {
      customFields: [
        { ...role, order: '0|b:' },
        { ...role, _id: 'c2', name: 'Age', order: '0|a:' },
      ],
    },
    `${ME}/fields`,
    key('name'),
    'Age',
  ],
  [
    'users.fields',
    { users: [{ _id: 'u1', fields: { c1: { name: 'Role', type: 0, order: 0 } } }] },
    `${ME}/fields`,
    key('name'),
    'Role',
  ],
  [
    'groups.parent',
    {
      groups: [
        { _id: 'g2', name: 'Night', parent: 'g1' },
        { _id: 'g1', name: 'All', parent: 'root' },
      ],
    },
    `${ME}/groups`,
    (json) =>
      (json as Json[])
        .filter(({ parent }) => parent !== null)
        .map(({ group }) => (group as Json).name),
    ['Night'],
  ],
  [
    'groups.emoji',
    { groups: [{ _id: 'g1', name: 'All', emoji: '🌱' }] },
    `${ME}/groups`,
    key('emoji'),
    '🌱',
  ],
  [
    'frontHistory.customStatus',
    { frontHistory: [{ ...front, customStatus: 'at work' }] },
    `${ME}/front/notes`,
    (json) => [first(json).kind, first(json).text, first(json).at],
    ['status', 'at work', TIME],
  ],
  [
    'frontHistory.customStatus, twice',
    {
      frontHistory: [
        { ...front, customStatus: 'a' },
        { ...front, _id: 'h2', customStatus: 'b' },
      ],
    },
    `${ME}/front/notes`,
    (json) => (json as Json[]).map(({ kind }) => kind).toSorted(),
    ['comment', 'status'],
  ],
  [
    'frontHistory.comments',
    { frontHistory: [{ ...front, comments: [{ text: 'quiet', time: AT + 5000 }] }] },
    `${ME}/front/notes`,
    (json) => [first(json).kind, first(json).text, first(json).at],
    ['comment', 'quiet', LATER],
  ],
  [
    'comments',
    {
      frontHistory: [front],
      comments: [{ _id: 'k1', documentId: 'h1', text: 'quiet', time: AT + 5000 }],
    },
    `${ME}/front/notes`,
    (json) => [first(json).kind, first(json).text, first(json).at],
    ['comment', 'quiet', LATER],
  ],
  [
    'comments outside their front',
    {
      frontHistory: [{ ...front, live: false, endTime: AT + 1000 }],
      comments: [{ _id: 'k1', documentId: 'h1', text: 'late', time: AT + 5000 }],
    },
    `${ME}/front/notes`,
    (json) => [first(json).at, first(json).created],
    [TIME, LATER],
  ],
  [
    'comments of an unknown front',
    { comments: [{ _id: 'k1', documentId: 'gone', text: 'lost' }] },
    archived('comments'),
    rowsOf,
    [{ _id: 'k1', documentId: 'gone', text: 'lost' }],
  ],
  [
    'notes.note',
    { notes: [{ _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy', date: AT }] },
    `${ME}/notes`,
    (json) => [first(json).title, first(json).excerpt, first(json).date],
    ['Oil', 'Buy', TIME],
  ],
  [
    'notes.member',
    { notes: [{ _id: 'n1', member: 'm1', note: 'Buy' }] },
    `${ME}/notes`,
    named('member'),
    'Wren',
  ],
  [
    'notes.member, unknown',
    { notes: [{ _id: 'n1', member: 'gone', note: 'Buy' }] },
    `${ME}/notes`,
    key('member'),
    null,
  ],
  [
    'notes.color',
    { notes: [{ _id: 'n1', note: 'Buy', color: '#00000A' }] },
    `${ME}/notes`,
    key('color'),
    '00000a',
  ],
  [
    'notes.color without sign',
    { notes: [{ _id: 'n1', note: 'Buy', color: '000005' }] },
    `${ME}/notes`,
    key('color'),
    '000005',
  ],
  ...'000000 c83232 32c832 3232c8 eb0e58 56dceb eb59da f25d3b'
    .split(' ')
    .map(
      (color, index): Row => [
        `notes.color, ${index}`,
        { notes: [{ _id: 'n1', note: 'Buy', color: index }] },
        `${ME}/notes`,
        key('color'),
        color,
      ],
    ),
  [
    'notes without a text',
    { notes: [{ _id: 'n1', member: 'm1', title: '', note: '' }] },
    archived('notes'),
    rowsOf,
    [{ _id: 'n1', member: 'm1', title: '', note: '' }],
  ],
  [
    'boardMessages.message',
    { boardMessages: [{ ...board, title: 'Shop', read: true }] },
    `${ME}/posts`,
    (json) => [first(json).title, first(json).text, first(json).written, first(json).read],
    ['Shop', 'Milk', TIME, true],
  ],
  ['boardMessages.writtenFor', { boardMessages: [board] }, `${ME}/posts`, named('for'), 'Ash'],
  [
    'boardMessages.writtenFor, unknown',
    { boardMessages: [{ ...board, writtenFor: 'gone' }] },
    `${ME}/posts`,
    key('for'),
    null,
  ],
  ['boardMessages.writtenBy', { boardMessages: [board] }, `${ME}/posts`, named('by'), 'Wren'],
  [
    'boardMessages.writtenBy, unknown',
    { boardMessages: [{ ...board, writtenBy: 'gone' }] },
    `${ME}/posts`,
    key('by'),
    null,
  ],
  ['channels.name', { channels: [general] }, `${ME}/rooms`, key('name'), 'General'],
  [
    'channels.desc',
    { channels: [{ ...general, desc: 'Talk' }] },
    `${ME}/rooms`,
    key('about'),
    'Talk',
  ],
  [
    'channelCategories',
    { channels: [general], channelCategories: [{ _id: 'q1', name: 'House', channels: ['r1'] }] },
    `${ME}/rooms`,
    key('category'),
    'House',
  ],
  [
    'private.categories',
    {
      private: [{ _id: 'u1', categories: ['q2', 'q1'] }],
      channels: [general, { _id: 'r2', name: 'Vents' }],
      channelCategories: [
        { _id: 'q1', name: 'House', channels: ['r1'] },
        { _id: 'q2', name: 'Else', channels: ['r2'] },
      ],
    },
    `${ME}/rooms`,
    (json) => (json as Json[]).map(({ name }) => name),
    ['Vents', 'General'],
  ],
  [
    'chatMessages.message',
    {
      channels: [general],
      chatMessages: [{ ...hello, message: 'Hi <###@m2###> <###@gone###>', updatedAt: AT + 5000 }],
    },
    `${ME}/posts`,
    (json) => [first(json).text, first(json).written, first(json).edited],
    ['Hi @Ash @unknown', TIME, LATER],
  ],
  [
    'chatMessages.writer',
    { channels: [general], chatMessages: [hello] },
    `${ME}/posts`,
    named('by'),
    'Wren',
  ],
  [
    'chatMessages.replyTo',
    {
      channels: [general],
      chatMessages: [hello, { ...hello, _id: 'x2', writtenAt: AT + 1, replyTo: 'x1' }],
    },
    `${ME}/posts`,
    (json) => (json as Json[])[0]?.reply_to === (json as Json[])[1]?.id,
    true,
  ],
  [
    'chatMessages of an unknown channel',
    { chatMessages: [hello] },
    archived('chatMessages'),
    rowsOf,
    [hello],
  ],
  [
    'polls.desc',
    { polls: [{ ...poll, desc: 'Soon', endTime: AT }] },
    `${ME}/polls`,
    (json) => [first(json).about, first(json).ends],
    ['Soon', TIME],
  ],
  [
    'polls.allowAbstain and allowVeto',
    { polls: [{ ...poll, allowAbstain: true, allowVeto: true }] },
    `${ME}/polls`,
    (json) => (first(json).options as Json[]).map(({ name, veto }) => [name, veto]),
    [
      ['yes', false],
      ['no', false],
      ['abstain', false],
      ['veto', true],
    ],
  ],
  [
    'polls.options',
    { polls: [{ ...poll, custom: true, options: [{ name: 'red', color: '#ff0000' }] }] },
    `${ME}/polls`,
    (json) => (first(json).options as Json[]).map(({ name, color }) => [name, color]),
    [['red', 'ff0000']],
  ],
  [
    'polls.votes',
    {
      polls: [
        {
          ...poll,
          votes: [
            { id: 'm1', vote: 'YES', comment: 'ok' },
            { id: 'm2', vote: 'maybe' },
          ],
        },
      ],
    },
    `${ME}/polls`,
    (json) => Object.values(first(json).counts as Json),
    [1, 0, 1],
  ],
  [
    'polls without options',
    { polls: [{ ...poll, custom: true }] },
    archived('polls'),
    rowsOf,
    [{ ...poll, custom: true }],
  ],
  [
    'repeatedRemidners',
    { repeatedRemidners: [{ _id: 'z1', name: 'Drink' }] },
    archived('repeatedReminders'),
    rowsOf,
    [{ _id: 'z1', name: 'Drink' }],
  ],
  [
    'automatedReminders',
    { automatedReminders: [{ _id: 'z1', name: 'Drink' }] },
    archived('automatedReminders'),
    rowsOf,
    [{ _id: 'z1', name: 'Drink' }],
  ],
  [
    'privacyBuckets',
    { privacyBuckets: [{ _id: 'k1', name: 'Close' }] },
    '/ext/v1/buckets',
    (list) => (list as Json[]).map(({ name }) => name),
    ['Close'],
  ],
  [
    'friends',
    { friends: [{ _id: 'z1', frienduid: 'x' }] },
    archived('friends'),
    rowsOf,
    [{ _id: 'z1', frienduid: 'x' }],
  ],
  [
    'private.defaultPrivacy',
    { private: [{ _id: 'u1', defaultPrivacy: { members: true } }] },
    archived('defaultPrivacy'),
    rowsOf,
    [{ members: true }],
  ],
]

async function read(system: TestSystem, path: string): Promise<unknown> {
  const { json, status, text } = await testApp.ask(`GET ${path}`, { as: system })
  expect(status, text).toBe(200)
  return json
}

describe('the key of a Simply Plural file', () => {
  test.each(table)('%s is read after the import', async (_, given, path, find, expected) => {
    const system = await testApp.makeSystem()
    const file = { frontStatuses: [], members: [wren, ash], ...given }
    await importInto(testApp, system, Buffer.from(JSON.stringify(file)))
    const members = (await read(system, `${ME}/members`)) as { member: Json }[]
    const nameOf = (uuid: unknown) =>
      members.find(({ member: one }) => one.uuid === uuid)?.member.name
    expect(find(await read(system, path), nameOf)).toEqual(expected)
  })
})
