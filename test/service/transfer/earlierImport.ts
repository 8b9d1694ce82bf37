import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../src/model/core/entity'
import { execute, insertAll } from '../../tools/rawSql'
import type { TestApp, TestSystem } from '../../tools/testApp'
import { importInto } from './importFixture'

/** A file of Simply Plural. */
export type AppFile = Record<string, JsonObject[]>

const MAX_DESCRIPTION = 1000

/**
 * Imports a file as the release before the extension API did: members, groups and switches, and the
 * rest as archived rows.
 */
export async function importAsBefore(
  testApp: Pick<TestApp, 'deps'>,
  system: Pick<TestSystem, 'id'>,
  file: AppFile,
): Promise<void> {
  const system_id = system.id
  await importInto(testApp, system, toBytes(entitiesOf(file)))
  const rows = Object.entries(archivedIn(file)).flatMap(([collection, contents]) =>
    contents.map((row) => {
      const content = JSON.stringify(row)
      const digest = createHash('sha256').update(content).digest('hex')
      return { system_id, collection, content, digest }
    }),
  )
  await testApp.deps.transact({ system: system_id }, async (tx) => {
    const own = 'select id from members where system_id = :system_id'
    for (const table of ['import_archive', 'origins'])
      await execute(tx, `delete from ${table} where system_id = :system_id`, { system_id })
    await execute(tx, `delete from member_ext where member_id in (${own})`, { system_id })
    await execute(
      tx,
      'delete from group_ext where group_id in (select id from groups where system_id = :system_id)',
      { system_id },
    )
    await insertAll(tx, 'import_archive', rows)
  })
}

export function toBytes(file: AppFile): Uint8Array {
  return Buffer.from(JSON.stringify(file))
}

/** Rows that the release imported as members, groups and switches. */
function entitiesOf({ members = [], frontStatuses = [], groups = [], frontHistory = [] }: AppFile) {
  return {
    members: members.map(({ _id, name, desc }) => ({
      _id,
      name,
      ...(typeof desc === 'string' && { desc: desc.slice(0, MAX_DESCRIPTION) }),
    })),
    frontStatuses: frontStatuses.map(({ _id, name }) => ({ _id, name })),
    groups: groups.map(({ _id, name, members: list }) => ({ _id, name, members: list })),
    frontHistory: frontHistory.map(({ customStatus: _, comments: _comments, ...row }) => row),
  }
}

/** Collections that it archived unchanged. */
const archivedCollections = [
  'privacyBuckets',
  'notes',
  'comments',
  'polls',
  'boardMessages',
  'channels',
  'channelCategories',
  'automatedReminders',
  'repeatedReminders',
  'friends',
  'customFields',
  'chatMessages',
]

/** Rows that the release archived. */
function archivedIn(file: AppFile): AppFile {
  const { members = [], frontHistory = [], comments = [] } = file
  const commented = new Set(comments.map(({ documentId }) => documentId))
  const rest = ({ desc: _, pronouns: _p, color: _c, avatarUrl: _a, ...row }: JsonObject) => row
  return {
    ...Object.fromEntries(archivedCollections.map((name) => [name, file[name] ?? []])),
    members: members.map(rest),
    frontStatuses: (file.frontStatuses ?? []).map(rest),
    groups: (file.groups ?? []).map(rest),
    frontHistory: frontHistory.filter(
      ({ _id, customStatus }) => customStatus !== undefined || commented.has(_id),
    ),
    longTexts: members.flatMap(({ name, desc }) =>
      typeof desc === 'string' && desc.length > MAX_DESCRIPTION
        ? { kind: 'member', name, field: 'description', text: desc }
        : [],
    ),
  }
}
