import type { Snapshot } from '../../../src/formats/pluralkit/write'
import { writePluralport } from '../../../src/formats/pluralport/write'
import { member } from '../../../src/model/members/member'
import { settings } from '../../../src/model/systems/settings'
import { system } from '../../../src/model/systems/system'
import { expect, test } from '../../tools/test'

const UUID = '9a7f3c1e-5b2d-4c8a-9e6f-0123456789ab'
const at = '2026-01-01T09:00:00Z'

const rows = {
  front_notes: { id: UUID, kind: 'status', member: UUID, at, text: 'at work' },
  posts: { id: UUID, room: UUID, text: 'Milk', written: at },
  origins: { app: 'example', collection: 'notes', id: 'n1', target: UUID },
}

/** Snapshot of a system with lists of the extension API. */
function snapshotOf(lists: Record<string, readonly string[]>, parts: object = {}): Snapshot {
  return {
    exportedAt: 0,
    system: { ...system.defaults, uuid: UUID, hid: 'lanter' },
    settings: settings.defaults,
    ...{ accounts: [], members: [], groups: [], switches: [], kept: [] },
    ...{ systemGuilds: [], memberGuilds: [], autoproxy: [], preferences: null },
    ext: { head: { version: 1 }, lists: new Map(Object.entries(lists)) },
    ...parts,
  } as unknown as Snapshot
}

test.each(Object.entries(rows))('writes a piece for every row of %s', async (name, row) => {
  let parsed = 0
  /** Counts the rows that were taken from the list. */
  class Counted extends Array<string> {
    override *[Symbol.iterator]() {
      for (let index = 0; index < this.length; index++) {
        parsed += 1
        yield this[index] ?? ''
      }
      return undefined
    }
  }
  const list = Counted.from(Array.from({ length: 500 }, () => JSON.stringify(row)))
  parsed = 0
  const snapshot = snapshotOf({ [name]: list })
  let [before, most, text] = [0, 0, '']
  for await (const piece of writePluralport(snapshot)) {
    most = Math.max(most, parsed - before)
    before = parsed
    text += piece
  }
  expect(most).toBe(1)
  const { systems, warnings } = JSON.parse(text)
  expect(systems).toHaveLength(1)
  // Other apps lose statuses without their switches, but neither posts nor origins, which records have.
  expect(warnings.map((one: { record_type: string }) => one.record_type)).toEqual(
    name === 'front_notes' ? ['front_notes'] : [],
  )
})

test('names sources and custom fronts as the format does, and lists the modules of the file', async () => {
  const origin = { app: 'simplyplural', collection: 'frontStatuses', id: '64a0', target: UUID }
  const snapshot = snapshotOf(
    {
      members: [JSON.stringify({ member: UUID, kind: 'custom_front' })],
      origins: [JSON.stringify(origin)],
    },
    {
      members: [{ ...member.defaults, uuid: UUID, hid: 'awayaa', name: 'Away' }],
      switches: [[{ uuid: UUID, timestamp: 0, members: ['awayaa'] }]],
    },
  )
  const file = JSON.parse((await Array.fromAsync(writePluralport(snapshot))).join(''))
  expect(file.members[0].source_refs).toEqual([
    { app: 'simply_plural', collection: 'frontStatuses', id: '64a0' },
  ])
  expect(file.front_events[0].assignments).toEqual([
    { member_id: UUID, front_role: 'custom_status' },
  ])
  expect(file.capabilities.modules).toEqual(['systems', 'members', 'front_events'])
})
