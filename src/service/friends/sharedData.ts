import { error } from '../../model/core/errors'
import type { ListPieces } from '../../model/core/listPieces'
import {
  type Redacted,
  redact,
  requireSystem,
  type Serialized,
  type SerializedJson,
  type Viewer,
} from '../../model/core/privacy'
import { parseRef } from '../../model/core/ref'
import { customField } from '../../model/members/customField'
import { type Member, member } from '../../model/members/member'
import { listedMemberExt, memberExt } from '../../model/members/memberExt'
import {
  type FriendshipRow,
  findSharedRows,
  getFriendship,
  listFriendships,
  listFriendshipsAmong,
  type SharedRows,
} from '../../store/friends/friendRows'
import { allFields } from '../../store/members/fieldKind'
import { findListedMemberExts, findMemberExts } from '../../store/members/memberExtRows'
import { joinJson } from '../../store/members/memberExts'
import { listMemberSizes, listMembersBetween, listMembersOf } from '../../store/reads/friendMembers'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { type ExtendedGroup, readSharedGroups } from '../groups/extendedGroups'
import { type PieceRange, readList } from '../reads/largeLists'
import { readSharedFront, readSharedFronts, type SharedFront } from './sharedFront'

/** Returns who is fronting, of those that the friend shares. */
export async function getFriendFront(
  deps: Deps,
  viewer: Viewer,
  id: string,
  client: WaitingClient = noConnection,
): Promise<SharedFront> {
  const row = await getFriendship(deps.db, requireSystem(viewer, 'manage_friends'), id)
  const front = await readSharedFront(deps, row, client)
  if (!front) throw error('notShared')
  return front
}

/**
 * Returns the fronts of friends by the UUIDs of the friendships, null where the front is not shared.
 * Friendships that have ended are left out.
 */
export async function findFriendFronts(
  deps: Deps,
  viewer: Viewer,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, SharedFront | null>> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const rows = await listFriendshipsAmong(deps.db, systemId, uuids)
  const fronts = await readSharedFronts(deps, systemId, rows)
  return new Map(rows.map(({ id, uuid }) => [uuid, fronts.get(id) ?? null]))
}

/** Lists the friendships of the caller with the row IDs of the friends' systems. */
export async function listFriendSystems(
  deps: Deps,
  viewer: Viewer,
): Promise<{ uuid: string; systemId: number }[]> {
  const systemId = requireSystem(viewer, 'manage_friends')
  const rows = await listFriendships(deps.db, systemId)
  return rows.map(({ uuid, friend_system_id }) => ({ uuid, systemId: friend_system_id }))
}

/** Returns the JSON list of the members that a friend shares, oldest first; a large one in pieces. */
export async function listFriendMembers(
  deps: Deps,
  viewer: Viewer,
  id: string,
  client: WaitingClient = noConnection,
): Promise<SerializedJson | (ListPieces & Serialized)> {
  const { row, shared } = await requireShared(deps, viewer, id)
  const system = row.friend_system_id
  const all = await listMemberSizes(deps.db, system)
  const sizes = all.filter(([member]) => shared.members.has(member))
  const read = async (range: PieceRange) => {
    // A member may have been taken out of a bucket since the piece before.
    const { row, shared } = await requireShared(deps, viewer, id)
    const rows = await listMembersBetween(deps.db, system, range.first, range.last)
    const visible = rows.filter((memberRow) => shared.members.has(memberRow.id))
    return `[${(await renderMembers(deps, row, shared, visible, 'listed')).join()}]`
  }
  return readList(deps, { systemId: system, isOwn: false, ...client }, sizes, read)
}

/**
 * Returns the JSON of one member that a friend shares. One that is not shared does not exist for
 * the caller.
 */
export async function getFriendMember(
  deps: Deps,
  viewer: Viewer,
  id: string,
  memberRef: string,
): Promise<SerializedJson> {
  const { row, shared } = await requireShared(deps, viewer, id)
  const ref = parseRef(memberRef)
  const rows = (await listMembersOf(deps.db, row.friend_system_id)).filter(
    (memberRow) =>
      shared.members.has(memberRow.id) &&
      ref !== null &&
      ('uuid' in ref ? memberRow.uuid === ref.uuid : memberRow.hid === ref.hid),
  )
  const [json] = await renderMembers(deps, row, shared, rows, 'whole')
  if (!json) throw error('memberNotFound')
  return json
}

/** Lists the groups that a friend shares, with those of their members that are shared. */
export async function listFriendGroups(
  deps: Deps,
  viewer: Viewer,
  id: string,
  signal: AbortSignal | null = null,
): Promise<ExtendedGroup[]> {
  const { row, shared } = await requireShared(deps, viewer, id)
  return readSharedGroups(deps.db, row.friend_system_id, shared, signal)
}

/** Lists the custom fields that a friend shares, in their order. Gaps would tell of other fields. */
export async function listFriendFields(
  deps: Deps,
  viewer: Viewer,
  id: string,
): Promise<Redacted<typeof customField>[]> {
  const { row, shared } = await requireShared(deps, viewer, id)
  return (await allFields(deps.db, row.friend_system_id))
    .filter((field) => shared.fields.has(field.id))
    .map((field, position) => redact(customField, { ...field, position }, 'friend'))
}

async function requireShared(deps: Deps, viewer: Viewer, id: string) {
  const row = await getFriendship(deps.db, requireSystem(viewer, 'manage_friends'), id)
  if (!row.their_see_members || row.their_disabled_at !== null) throw error('notShared')
  return { row, shared: await findSharedRows(deps.db, row) }
}

/** Member extensions as lists show them, and as a single member has them. */
const forms = {
  listed: { find: findListedMemberExts, entity: listedMemberExt },
  whole: { find: findMemberExts, entity: memberExt },
}

/** Renders members with what the extension API adds to them, redacted for a friend. */
async function renderMembers(
  { db }: Deps,
  row: FriendshipRow,
  shared: SharedRows,
  rows: readonly Member[],
  form: keyof typeof forms,
): Promise<SerializedJson[]> {
  const { find, entity } = forms[form]
  const ids = rows.map(({ id }) => id)
  const exts = new Map((await find(db, ids)).map((ext) => [ext.id, ext]))
  const fields = await allFields(db, row.friend_system_id)
  const keys = new Set(fields.filter(({ id }) => shared.fields.has(id)).map(({ uuid }) => uuid))
  return rows.flatMap((memberRow) => {
    const ext = exts.get(memberRow.id)
    if (!ext) return []
    const friend_fields = Object.fromEntries(
      Object.entries(ext.fields).filter(([uuid]) => keys.has(uuid)),
    )
    const added = db.renderJson(entity, { ...ext, friend_fields }, 'friend')
    return [joinJson(db.renderJson(member, memberRow, 'friend'), added)]
  })
}
