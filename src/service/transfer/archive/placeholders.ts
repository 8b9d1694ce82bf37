import type { Db } from '../../../db/types'
import type { ConvertibleCollection, SharedCollection } from '../../../formats/simplyplural/archive'
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

/** Rows for the file that stand for what exists here without a row in the archive. */
export interface Stubs {
  /** Members by the `originKey` of their stubs. */
  readonly members: ReadonlyMap<string, Member>
  readonly groups: ReadonlyMap<string, Group>
  readonly rows: Partial<Record<ConvertibleCollection, JsonObject[]>>
  /** Archived rows that the stubs contain. */
  readonly read: readonly SourceRow[]
}

/** Prefix of the IDs of placeholder rows, whose members come from another app. */
const PLACEHOLDER_PREFIX = '#member '

export function isPlaceholder(id: string): boolean {
  return id.startsWith(PLACEHOLDER_PREFIX)
}

/**
 * Lists stubs of what was converted before, because rows that stayed refer to it, and of members that
 * have a long description.
 */
export async function listStubs(
  db: Db,
  systemId: number,
  { newest, shared }: SourceRows,
  { members, groups }: { members: readonly Member[]; groups: readonly Group[] },
  matched: ReadonlyMap<string, Member>,
  descriptions: ReadonlyMap<string, string>,
): Promise<Stubs> {
  const rows: Stubs['rows'] = {}
  const read: SourceRow[] = []
  const isAnyShared = (collection: SharedCollection) =>
    [...shared.keys()].some((key) => key.startsWith(`${collection} `))
  /** Returns what is left of the row of a stub. */
  const restOf = (collection: SharedCollection, id: string): JsonObject => {
    const { app = {}, versions = [] } = shared.get(`${collection} ${id}`) ?? {}
    read.push(...versions)
    return app
  }
  const stubs = new Map<string, Member>()
  const convertedBefore = async (collection: ConvertibleCollection) => {
    const known = await originsOfCollection(db, systemId, { app: APP, collection })
    return known.filter(({ source_id }) => !newest[collection].has(source_id))
  }
  const byUuid = new Map(members.map((member) => [member.uuid, member]))
  for (const collection of ['members', 'frontStatuses'] as const)
    for (const { source_id, target } of await convertedBefore(collection)) {
      const member = byUuid.get(target)
      if (!member) continue
      stubs.set(keyOf(collection, source_id), member)
      const desc = descriptions.get(member.uuid)
      rows[collection] ??= []
      rows[collection].push({
        ...restOf(collection, source_id),
        _id: source_id,
        name: member.name,
        ...(desc && { desc }),
      })
    }
  const present = new Set([...matched.values(), ...stubs.values()])
  for (const [uuid, desc] of descriptions) {
    const member = byUuid.get(uuid)
    if (!member || present.has(member)) continue
    const _id = PLACEHOLDER_PREFIX + uuid
    stubs.set(keyOf('members', _id), member)
    rows.members ??= []
    rows.members.push({ _id, name: member.name, desc })
  }
  const nested = new Map<string, Group>()
  const groupOf = new Map(groups.map((group) => [group.uuid, group]))
  if (newest.groups.size > 0 || isAnyShared('groups'))
    rows.groups = (await convertedBefore('groups')).flatMap(({ source_id, target }) => {
      const group = groupOf.get(target)
      if (!group) return []
      nested.set(keyOf('groups', source_id), group)
      return { ...restOf('groups', source_id), _id: source_id, name: group.name }
    })
  const fields = new Map((await fieldsOfSystem(db, systemId)).map((row) => [row.uuid, row]))
  if (newest.members.size > 0 || isAnyShared('customFields'))
    rows.customFields = (await convertedBefore('customFields')).flatMap(({ source_id, target }) => {
      const field = fields.get(target)
      if (!field) return []
      const rest = restOf('customFields', source_id)
      return { ...rest, _id: source_id, name: field.name, ...typeInFile(field.type) }
    })
  const rooms = new Map((await roomsOfSystem(db, systemId)).map((row) => [row.uuid, row]))
  if (newest.chatMessages.size > 0)
    rows.channels = (await convertedBefore('channels')).flatMap(({ source_id, target }) => {
      const room = rooms.get(target)
      return room ? { _id: source_id, name: room.name } : []
    })
  const buckets = new Map((await listBucketRefs(db, systemId)).map((row) => [row.uuid, row]))
  rows.privacyBuckets = (await convertedBefore('privacyBuckets')).flatMap(
    ({ source_id, target }) => {
      const bucket = buckets.get(target)
      return bucket ? { _id: source_id, name: bucket.name } : []
    },
  )
  return { members: stubs, groups: nested, rows, read }
}
