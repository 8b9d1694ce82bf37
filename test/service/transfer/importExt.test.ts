import type { JsonObject } from '../../../src/model/core/entity'
import { readAllRows } from '../../tools/rawSql'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { exportText, importInto } from './importFixture'

const testApp = createTestApp()

const at = 1_700_000_000

/** A small Simply Plural file with every kind of rows. */
const file = (changes: JsonObject = {}) =>
  Buffer.from(
    JSON.stringify({
      users: [{ _id: 'u1', username: 'lanternhill' }],
      members: [
        { _id: 'm1', name: 'Wren', desc: 'lamp '.repeat(300), info: { c1: 'Keeper' } },
        { _id: 'm2', name: 'Ash', archived: true, archivedReason: 'resting' },
      ],
      frontStatuses: [{ _id: 'f1', name: 'Asleep' }],
      groups: [
        { _id: 'g2', name: 'Night', parent: 'g1', members: ['m1'] },
        { _id: 'g1', name: 'Keepers', parent: 'root', emoji: 'L', members: [] },
      ],
      customFields: [{ _id: 'c1', name: 'Role', type: 0, order: '0|a:' }],
      frontHistory: [
        { _id: 'h1', member: 'm1', startTime: at * 1000, live: true, customStatus: 'at work' },
      ],
      comments: [{ _id: 'k1', documentId: 'h1', text: 'quiet', time: (at + 5) * 1000 }],
      notes: [{ _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy more', date: at * 1000 }],
      channels: [{ _id: 'r1', name: 'General' }],
      chatMessages: [
        { _id: 'x1', channel: 'r1', writer: 'm1', message: 'Hi', writtenAt: at * 1000 },
        {
          _id: 'x2',
          channel: 'r1',
          writer: 'm2',
          message: 'Yes',
          writtenAt: (at + 1) * 1000,
          replyTo: 'x1',
        },
      ],
      boardMessages: [
        { _id: 'b1', message: 'Milk', writtenBy: 'm1', writtenFor: 'm2', writtenAt: at * 1000 },
      ],
      polls: [{ _id: 'p1', name: 'Move?', votes: [{ id: 'm1', vote: 'yes' }], endTime: at * 1000 }],
      automatedReminders: [{ _id: 'a1', name: 'Front check', delayInHours: 1, type: 0 }],
      ...changes,
    }),
  )

const tallies = (ext: object | undefined) =>
  Object.entries(ext ?? {}).map(([part, tally]) => `${part} ${Object.values(tally).join(' ')}`)

const added = [
  'fields 1 0 0 0',
  'values 1 0 0 0',
  'front_notes 2 0 0 0',
  'notes 1 0 0 0',
  'rooms 1 0 0 0',
  'posts 3 0 0 0',
  'polls 1 0 0 0',
  'votes 1 0 0 0',
  'reminders 1 0 0 0',
  'buckets 0 0 0 0',
]
const unchanged = [
  'fields 0 0 1 0',
  'values 0 0 1 0',
  'front_notes 0 0 2 0',
  'notes 0 0 1 0',
  'rooms 0 0 1 0',
  'posts 0 0 3 0',
  'polls 0 0 1 0',
  'votes 0 0 1 0',
  'reminders 0 0 1 0',
  'buckets 0 0 0 0',
]

describe('extension data of a Simply Plural file', () => {
  test('is imported once, and a dry run predicts it', async () => {
    const system = await testApp.makeSystem()
    const planned = await importInto(testApp, system, file(), { dryRun: true })
    expect(tallies(planned.ext)).toEqual(added)
    const report = await importInto(testApp, system, file())
    expect(tallies(report.ext)).toEqual(added)
    const again = await importInto(testApp, system, file())
    expect(tallies(again.ext)).toEqual(unchanged)
    expect([again.members, again.groups].map(({ added, changed }) => added + changed)).toEqual([
      0, 0,
    ])
  })

  test('is equal after an export, an import into a new system and another export', async () => {
    const system = await testApp.makeSystem()
    await importInto(testApp, system, file())
    const first = JSON.parse(await exportText(testApp.deps, system.id))
    expect(first.multitude.ext.posts).toHaveLength(3)
    const other = createTestApp()
    const report = await importInto(other, 'new', Buffer.from(JSON.stringify(first)))
    const { systems } = await readAllRows(other.deps.db)
    const id = systems?.find(({ hid }) => hid === report.system)?.id
    const second = JSON.parse(await exportText(other.deps, Number(id)))
    expect(second.multitude.ext).toEqual(first.multitude.ext)
  })

  test('keeps the new names of members and fields when the file is imported again', async () => {
    const system = await testApp.makeSystem()
    await importInto(testApp, system, file())
    const { members } = await readAllRows(testApp.deps.db)
    const wren = members?.find(({ name, system_id }) => name === 'Wren' && system_id === system.id)
    await testApp.ask(`PATCH /v2/members/${wren?.uuid}`, { as: system, body: { name: 'Raven' } })
    const again = await importInto(testApp, system, file())
    expect([again.members.added, again.members.changed]).toEqual([0, 0])
    expect(tallies(again.ext)).toEqual(unchanged)
  })

  test('leaves out what `only` does not name', async () => {
    const system = await testApp.makeSystem()
    const report = await importInto(testApp, system, file(), {
      only: new Set(['members', 'notes']),
    })
    expect(report.ext?.notes.added).toBe(1)
    expect(report.ext?.posts).toEqual({ added: 0, changed: 0, unchanged: 0, left_out: 3 })
  })
})
