import type { Db } from '../../../db/types'
import type { ConvertibleCollection } from '../../../formats/simplyplural/archive'
import { typeInFile } from '../../../formats/simplyplural/fields'
import type { JsonObject } from '../../../model/core/entity'
import type { Group } from '../../../model/groups/group'
import type { Member } from '../../../model/members/member'
import { listBucketRefs } from '../../../store/friends/bucketRows'
import { fieldsOfSystem, roomsOfSystem } from '../../../store/transfer/importExtRows'
import { originKey, originsOfCollection } from '../../../store/transfer/originRows'
import type { SourceRow, SourceRows } from './convertibleRows'

export const APP = 'simplyplural'

export function keyOf(collection: string, id: string): string {
  return originKey({ app: APP, collection, id })
}

/**
 * Rows of the file for what exists here without a row in the archive. The reader needs the names of
 * members and the types of fields, so that a reference alone would not do.
 */
export interface Placeholders {
  /** Members by the `originKey` of their placeholders. */
  readonly members: ReadonlyMap<string, Member>
  readonly groups: ReadonlyMap<string, Group>
  readonly rows: Partial<Record<ConvertibleCollection, JsonObject[]>>
  /** Archived rows that the placeholders contain. */
  readonly read: readonly SourceRow[]
}

/** Prefix of the IDs of placeholders of members that come from another app. */
const PLACEHOLDER_PREFIX = '#member '

export function isFromOtherApp(id: string): boolean {
  return id.startsWith(PLACEHOLDER_PREFIX)
}

/**
 * Lists placeholders of what was converted before, because rows that stayed refer to it, and of
 * members that have a long description.
 */
export async function listPlaceholders(
  db: Db,
  systemId: number,
  { newest, shared }: SourceRows,
  existing: { members: readonly Member[]; groups: readonly Group[] },
  matched: ReadonlyMap<string, Member>,
  descriptions: ReadonlyMap<string, string>,
): Promise<Placeholders> {
  const rows: Placeholders['rows'] = {}
  const read: SourceRow[] = []
  const add = (collection: ConvertibleCollection, row: JsonObject) => {
    rows[collection] ??= []
    rows[collection].push(row)
  }
  /** Adds placeholders of a collection. Returns their rows here by `originKey`. */
  const addConverted = async <R extends { uuid: string; name: string }>(
    collection: ConvertibleCollection,
    here: readonly R[],
    describe: (row: R) => JsonObject = () => ({}),
  ): Promise<[key: string, row: R][]> => {
    const byUuid = new Map(here.map((row) => [row.uuid, row]))
    const converted = await originsOfCollection(db, systemId, { app: APP, collection })
    return converted.flatMap(({ source_id, target }): [string, R][] => {
      const row = byUuid.get(target)
      if (!row || newest[collection].has(source_id)) return []
      const { app = {}, versions = [] } = shared.get(`${collection} ${source_id}`) ?? {}
      read.push(...versions)
      add(collection, { ...app, _id: source_id, name: row.name, ...describe(row) })
      return [[keyOf(collection, source_id), row]]
    })
  }
  const isAnyShared = (collection: ConvertibleCollection) =>
    [...shared.keys()].some((key) => key.startsWith(`${collection} `))
  const describeMember = ({ uuid }: Member): JsonObject => {
    const desc = descriptions.get(uuid)
    return desc ? { desc } : {}
  }
  const members = new Map([
    ...(await addConverted('members', existing.members, describeMember)),
    ...(await addConverted('frontStatuses', existing.members, describeMember)),
  ])
  const present = new Set([...matched.values(), ...members.values()])
  for (const member of existing.members) {
    const desc = descriptions.get(member.uuid)
    if (desc === undefined || present.has(member)) continue
    const _id = PLACEHOLDER_PREFIX + member.uuid
    members.set(keyOf('members', _id), member)
    add('members', { _id, name: member.name, desc })
  }
  const needsGroups = newest.groups.size > 0 || isAnyShared('groups')
  const groups = new Map(needsGroups ? await addConverted('groups', existing.groups) : [])
  if (newest.members.size > 0 || isAnyShared('customFields'))
    await addConverted('customFields', await fieldsOfSystem(db, systemId), ({ type }) =>
      typeInFile(type),
    )
  if (newest.chatMessages.size > 0)
    await addConverted('channels', await roomsOfSystem(db, systemId))
  await addConverted('privacyBuckets', await listBucketRefs(db, systemId))
  return { members, groups, rows, read }
}
