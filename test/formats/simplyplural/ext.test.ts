import type { Bundle, BundleExtRow } from '../../../src/formats/bundle'
import { readFile } from '../../../src/formats/read'
import { describe, expect, test } from '../../tools/test'

const SECOND = 1_000_000
const at = 1_700_000_000

const wren = { _id: 'm1', name: 'Wren' }
const ash = { _id: 'm2', name: 'Ash' }
const asleep = { _id: 'f1', name: 'Asleep' }

function read(file: object): Bundle {
  const people = { members: [wren, ash], frontStatuses: [asleep] }
  return readFile(JSON.stringify({ frontHistory: [], ...people, ...file }))
}

/** Returns the values and references of rows in one object. */
function flat(rows: readonly BundleExtRow[]): Record<string, unknown>[] {
  return rows.map(({ key, values, refs }) => ({ key, ...values, ...refs }))
}

describe('members of a Simply Plural file', () => {
  test('keep their archive state and whether they are announced', () => {
    const given = { archived: true, archivedReason: 'resting', preventsFrontNotifs: true }
    const { members, kept } = read({
      members: [{ ...wren, ...given, lastOperationTime: at * 1000 }],
    })
    expect(members[0]?.ext).toEqual({
      archived_at: at * SECOND,
      archived_reason: 'resting',
      announce_front: false,
    })
    expect(members[1]?.ext).toEqual({ kind: 'custom_front' })
    expect(kept).toEqual({})
  })

  test('leave keys without a counterpart in the archive', () => {
    const { kept } = read({ members: [{ ...wren, frame: { bg: 1 }, uid: 'u', buckets: [] }] })
    expect(kept.members).toEqual([{ _id: 'm1', frame: { bg: 1 } }])
  })
})

describe('custom fields', () => {
  const values: [type: number, given: string, read: unknown][] = [
    [0, 'Keeper', 'Keeper'],
    [1, '#FF88C0A8', '88c0a8'],
    [2, '2001-02-03T00:00:00.000', '2001-02-03'],
    [2, '2001-02-03 10:00:00.000Z', '2001-02-03'],
    [3, '2001-02-03T00:00:00.000', '02'],
    [4, '2001-02-03', '2001'],
    [5, '2001-02-03T00:00:00.000', '2001-02'],
    [6, '2001-02-03T04:05:00.000', '2001-02-03T04:05'],
    [6, '2001-02-03T04:05:00.000Z', '2001-02-03T05:05'],
    [7, '2001-02-03T00:00:00.000', '02-03'],
  ]

  test.each(values)('of type %d have the value of %s', (type, given, expected) => {
    const { ext, kept } = read({
      private: [{ _id: 'u', location: 'Europe/Oslo' }],
      customFields: [{ _id: 'c1', name: 'Field', type, order: '0|a:' }],
      members: [{ ...wren, info: { c1: given } }],
    })
    expect(flat(ext.values)).toEqual([{ key: 'm1 c1', value: expected, member: 'm1', field: 'c1' }])
    expect(kept).toEqual({})
  })

  test('archives unreadable values and values of fields that are gone', () => {
    const { kept, ext, repairs } = read({
      customFields: [{ _id: 'c1', name: 'Seen', type: 2 }],
      members: [{ ...wren, info: { c1: 'long ago', c9: 'lost' } }],
    })
    expect(ext.values).toEqual([])
    expect(kept.fieldValues).toEqual([{ member: 'm1', field: 'c1', value: 'long ago' }])
    expect(kept.members).toEqual([{ _id: 'm1', info: { c9: 'lost' } }])
    expect(repairs.map(({ field }) => field)).toContain('Seen')
  })

  test('are ordered by rank, and found by name in the oldest files', () => {
    const { ext } = read({
      customFields: [
        { _id: 'c1', name: 'Likes', type: 0, order: '0|b:', supportMarkdown: true },
        { _id: 'c2', name: 'Role', type: 99, order: '0|a:' },
      ],
      members: [{ ...wren, info: { Likes: 'tea' } }],
    })
    const shown = ext.fields.map(({ key, values }) => [key, values.type, values.position])
    expect(shown).toEqual([
      ['c2', 'text', 0],
      ['c1', 'markdown', 1],
    ])
    expect(ext.values.map(({ refs }) => refs)).toEqual([{ member: 'm1', field: 'c1' }])
  })
})

describe('front history', () => {
  const row = { _id: 'h1', member: 'm1', startTime: at * 1000, endTime: (at + 100) * 1000 }

  test('gives statuses, and a second one at the same time as comment', () => {
    const { ext } = read({
      frontHistory: [
        { ...row, customStatus: 'at work' },
        { ...row, _id: 'h2', customStatus: 'busy' },
      ],
    })
    expect(ext.front_notes.map(({ values }) => [values.kind, values.text, values.at])).toEqual([
      ['status', 'at work', at * SECOND],
      ['comment', 'busy', at * SECOND],
    ])
  })

  const comments: [title: string, time: number, at: number][] = [
    ['at their time', at + 50, at + 50],
    ['at the start if their time is outside', at + 500, at],
  ]

  test.each(comments)('gives comments %s', (_, time, expected) => {
    const comment = { _id: 'k1', documentId: 'h1', collection: 'frontHistory', text: 'quiet' }
    const { ext, kept } = read({
      frontHistory: [row],
      comments: [
        { ...comment, time: time * 1000 },
        { ...comment, _id: 'k2', documentId: 'gone' },
      ],
    })
    expect(flat(ext.front_notes)).toEqual([
      {
        key: 'k1',
        kind: 'comment',
        text: 'quiet',
        at: expected * SECOND,
        created: time * SECOND,
        member: 'm1',
        by: null,
      },
    ])
    expect(kept.comments).toHaveLength(1)
  })
})

describe('notes, boards and chat', () => {
  test('notes have member, colour and date', () => {
    const { ext, kept } = read({
      notes: [
        { _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy more', color: 1, date: at * 1000 },
        { _id: 'n2', member: 'gone', title: '', note: 'Of nobody', date: 1000 },
        { _id: 'n3', member: 'm1', title: '', note: '' },
      ],
    })
    const shown = ext.notes.map(({ values, refs }) => [values.title, values.color, refs.member])
    expect(shown).toEqual([
      ['Oil', 'c83232', 'm1'],
      [undefined, undefined, null],
    ])
    expect(kept.notes?.map((row) => (row as { _id: string })._id)).toEqual(['n3'])
  })

  test('chat messages are posts in rooms, with mentions and replies', () => {
    const message = { channel: 'r1', writer: 'm1', writtenAt: at * 1000 }
    const { ext, kept } = read({
      channels: [
        { _id: 'r1', name: 'General', desc: '' },
        { _id: 'r2', name: 'Vents' },
      ],
      channelCategories: [{ _id: 'g1', name: 'Business', channels: ['r2'] }],
      chatMessages: [
        { _id: 'c1', message: 'Hi <###@m2###> <###@x###>', ...message },
        { _id: 'c2', message: 'Hello', replyTo: 'c1', ...message, writtenAt: (at + 1) * 1000 },
        { _id: 'c3', message: 'Lost', ...message, channel: 'gone' },
      ],
      boardMessages: [
        {
          _id: 'b1',
          title: 'Milk',
          message: 'Please',
          writtenBy: 'f1',
          writtenFor: 'm2',
          read: true,
          writtenAt: 1000,
        },
      ],
    })
    expect(ext.rooms.map(({ key, values }) => [key, values.category, values.position])).toEqual([
      ['r2', 'Business', 0],
      ['r1', undefined, 1],
    ])
    expect(ext.posts.map(({ values, refs }) => [values.text, refs])).toEqual([
      ['Hello', { room: 'r1', for: null, by: 'm1', reply_to: 'c1' }],
      ['Hi @Ash @unknown', { room: 'r1', for: null, by: 'm1', reply_to: null }],
      ['Please', { room: null, for: 'm2', by: null, reply_to: null }],
    ])
    expect(kept.chatMessages).toHaveLength(1)
  })

  test('short texts are encrypted if the long ones of the file are', () => {
    const iv = 'AAECAwQFBgcICQoLDA0ODw=='
    const long = Buffer.from(Array.from({ length: 60 }, (_, n) => 255 - n)).toString('base64')
    const { skipped } = read({
      chatMessages: [
        { _id: 'c1', message: long, iv },
        { _id: 'c2', message: 'qrvM', iv },
      ],
    })
    expect(skipped).toEqual({ chatMessages: 2 })
  })
})

describe('polls', () => {
  const forms: [title: string, votes: unknown][] = [
    [
      'a list',
      [
        { id: 'm1', vote: 'Yes' },
        { id: 'm2', vote: 'veto' },
      ],
    ],
    ['an object keyed by member', { m1: 'yes', m2: { vote: 'veto' } }],
    ['lists keyed by choice', { yes: ['m1'], veto: [{ id: 'm2' }] }],
  ]

  test.each(forms)('have votes in %s', (_, votes) => {
    const { ext } = read({ polls: [{ _id: 'p1', name: 'Move?', custom: false, votes }] })
    const [poll] = ext.polls
    const options = poll?.values.options as { id: string; name: string; veto: boolean }[]
    expect(options.map(({ name, veto }) => [name, veto])).toEqual([
      ['yes', false],
      ['no', false],
      ['veto', true],
    ])
    const chosen = ext.votes.map(({ values, refs }) => [
      refs.member,
      options.find(({ id }) => id === values.option)?.name,
    ])
    expect(chosen).toEqual([
      ['m1', 'yes'],
      ['m2', 'veto'],
    ])
  })

  test('without options are archived', () => {
    const { ext, kept } = read({ polls: [{ _id: 'p1', name: 'Empty', custom: true }] })
    expect(ext.polls).toEqual([])
    expect(kept.polls).toHaveLength(1)
  })
})
