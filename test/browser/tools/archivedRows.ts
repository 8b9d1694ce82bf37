import type { SeededSystem } from './testSystem'

const AT = Date.UTC(2024, 4, 14, 18, 30)

/** Archived rows of a system, by collection, with names of members of the seeded system. */
export const archivedRows = {
  members: [
    { _id: 'm1', name: 'Wren', info: { c1: 'Keeper' }, buckets: ['b1'] },
    { _id: 'm2', name: 'Ember', archived: true, archivedReason: 'resting' },
    { _id: 'm3', name: 'Sable' },
  ],
  customFields: [{ _id: 'c1', name: 'Role', type: 0, order: '0|a:' }],
  notes: [
    { _id: 'n1', member: 'm1', title: 'Oil', note: 'Buy more', date: AT, color: '#88c0a8' },
    { _id: 'n2', member: 'm1', title: 'Wick', note: 'Trim it', date: AT },
    { _id: 'n3', member: 'm3', title: 'Gone', note: 'Whose?', date: AT },
  ],
  polls: [{ _id: 'p1', name: 'Move the desk?', votes: [{ id: 'm1', vote: 'yes' }], endTime: AT }],
  friends: [
    { _id: 'z1', frienduid: 'Sam', seeMembers: true, seeFront: false, buckets: ['b1', 'b2'] },
  ],
}

/** Archives rows that no conversion has read, as an earlier release did. */
export async function archiveRows(
  system: SeededSystem,
  kept: Readonly<Record<string, readonly unknown[]>> = archivedRows,
): Promise<void> {
  await system.ask('POST /v2/systems/@me/import', {
    version: 2,
    members: [],
    groups: [],
    switches: [],
    multitude: { kept },
  })
}

export async function deleteArchived(system: SeededSystem): Promise<void> {
  const all = await system.ask<{ collection: string }[]>('GET /ext/v1/systems/@me/archive')
  for (const { collection } of all)
    await system.ask(`DELETE /ext/v1/systems/@me/archive/${collection}`)
}
