import type { Db } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import { diff, type JsonObject } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import {
  type Audience,
  audienceOf,
  isOwner,
  type Redacted,
  redact,
  requireListAccess,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import { parseRef } from '../../model/core/ref'
import { storedBytes } from '../../model/core/textSize'
import { group } from '../../model/groups/group'
import {
  type GroupExt,
  type GroupExtPatch,
  groupExt,
  MAX_GROUP_DEPTH,
} from '../../model/groups/groupExt'
import { loopsOf, pathTo } from '../../model/groups/groupTree'
import { getOwnEntities, requireEntityExists } from '../../store/core/entityRows'
import { addUsage, limitReached } from '../../store/core/usage'
import { resolveBuckets, setBuckets } from '../../store/friends/bucketRows'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import type { SharedRows } from '../../store/friends/friendRows'
import { recordGroupEvent } from '../../store/groups/groupDeletion'
import { groupRowKind } from '../../store/groups/groupRows'
import {
  type GroupNode,
  type GroupTreeRow,
  listGroupNodes,
  listTreeRows,
  storeGroupPlace,
} from '../../store/groups/groupTreeRows'
import type { Deps } from '../core/deps'
import { locateOwnEntity } from '../core/entities'
import { getSystem } from '../systems/systems'

/** A group with what the extension API adds to it, redacted for a caller. */
export interface ExtendedGroup {
  readonly group: Redacted<typeof group>
  readonly ext: Redacted<typeof groupExt>
}

/** Position of a group in the tree that a client sends. */
export interface TreeEntry {
  readonly id: string
  readonly parent: string | null
}

/** Lists the groups of a system that the caller may see, parents before their children. */
export async function listExtendedGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  signal: AbortSignal | null = null,
): Promise<ExtendedGroup[]> {
  const systemRow = await getSystem(deps, viewer, ref)
  requireListAccess('groups', systemRow, isOwner(viewer, systemRow.id))
  return readTree(deps.db, systemRow.id, audienceOf(viewer, systemRow.id), signal)
}

/** Moves a group in the tree, or changes its emoji or position. */
export async function patchExtendedGroup(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { parent: parentRef, buckets: bucketIds, ...patch }: GroupExtPatch,
): Promise<ExtendedGroup> {
  const { id, system_id } = await locateOwnEntity(deps, viewer, groupRowKind, ref)
  return deps.transact({ system: system_id }, async (tx) => {
    await requireEntityExists(tx, groupRowKind, id)
    const nodes = await listGroupNodes(tx, system_id)
    const [parent] =
      typeof parentRef === 'string'
        ? await getOwnEntities(tx, groupRowKind, system_id, [parentRef])
        : []
    const buckets = bucketIds && (await resolveBuckets(tx, system_id, bucketIds))
    const after = nodes.map((node) => {
      if (node.id !== id) return node
      return {
        ...node,
        ...patch,
        ...(buckets && { buckets: buckets.map(({ uuid }) => uuid) }),
        ...(parentRef !== undefined && { parent_id: parent?.id ?? null }),
      }
    })
    await storeTree(deps, tx, system_id, nodes, after)
    if (buckets) {
      await setBuckets(tx, system_id, 'groups', id, buckets)
      await scheduleFriendRefresh(tx, system_id, deps.now())
    }
    const extendedGroup = (await readTree(tx, system_id, 'owner', null)).find(
      ({ group }) => group.id === id,
    )
    if (!extendedGroup) throw error('groupNotFound')
    return extendedGroup
  })
}

/** Replaces the tree of all groups. Their order becomes their positions. */
export async function putGroupTree(
  deps: Deps,
  viewer: Viewer,
  entries: readonly TreeEntry[],
): Promise<ExtendedGroup[]> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    const nodes = await listGroupNodes(tx, systemId)
    const find = (text: string): GroupNode => {
      const ref = parseRef(text)
      const target = nodes.find((node) =>
        ref === null ? false : 'uuid' in ref ? node.uuid === ref.uuid : node.hid === ref.hid,
      )
      if (!target) throw notEveryGroup()
      return target
    }
    const counts = new Map<number | null, number>()
    const after = entries.map(({ id, parent }) => {
      const parent_id = parent === null ? null : find(parent).id
      const position = counts.get(parent_id) ?? 0
      counts.set(parent_id, position + 1)
      return { ...find(id), parent_id, position }
    })
    if (after.length !== nodes.length || new Set(after.map(({ id }) => id)).size !== nodes.length)
      throw notEveryGroup()
    await storeTree(deps, tx, systemId, nodes, after)
    return readTree(tx, systemId, 'owner', null)
  })
}

function notEveryGroup(): Error {
  return error('badRequest', 'every group must be named once')
}

/** Checks and stores the groups that changed, with usage and events. */
async function storeTree(
  deps: Deps,
  tx: Db,
  system_id: number,
  before: readonly GroupNode[],
  after: readonly GroupNode[],
): Promise<void> {
  const nodes = new Map(before.map((node) => [node.id, node]))
  const uuids = new Map(before.map(({ id, uuid }) => [id, uuid]))
  const shown = ({ parent_id, emoji, position, buckets }: GroupNode): GroupExt => ({
    parent: parent_id === null ? null : (uuids.get(parent_id) ?? null),
    emoji,
    position,
    members: null,
    buckets,
  })
  const changes = after.flatMap((node) => {
    const old = nodes.get(node.id)
    const changed: JsonObject = old ? diff<typeof groupExt>(shown(old), shown(node)) : {}
    return old && Object.keys(changed).length > 0 ? [{ node, old, changed }] : []
  })
  if (changes.some(({ changed }) => 'parent' in changed)) requireTree(after)
  for (const { node, old, changed } of changes) {
    const { id, uuid, parent_id, emoji, position } = node
    await addUsage(deps, tx, system_id, {
      text_bytes: storedBytes(emoji) - storedBytes(old.emoji),
    })
    await storeGroupPlace(tx, { id, parent_id, emoji, position })
    await recordGroupEvent(tx, deps.now(), { system_id, uuid }, Object.keys(changed), changed)
  }
}

/** Throws if groups contain each other, or are nested too deeply. */
function requireTree(nodes: readonly GroupNode[]): void {
  const parents = new Map(nodes.map(({ id, parent_id }) => [id, parent_id]))
  if (loopsOf(parents).length > 0) throw error('groupLoop')
  if (nodes.some(({ id }) => pathTo(parents, id).length > MAX_GROUP_DEPTH))
    throw limitReached('depth of groups', MAX_GROUP_DEPTH)
}

/** Lists the groups that a system shares with a friend, with those of their members that it shares. */
export async function readSharedGroups(
  db: Db,
  system: number,
  shared: SharedRows,
  signal: AbortSignal | null,
): Promise<ExtendedGroup[]> {
  return readTree(db, system, 'friend', signal, shared)
}

async function readTree(
  db: Db,
  system: number,
  to: Audience | 'friend',
  signal: AbortSignal | null,
  shared?: SharedRows,
): Promise<ExtendedGroup[]> {
  const yieldIfDue = createYielder(undefined, signal)
  const all = await listTreeRows(db, system, yieldIfDue)
  const byId = new Map(all.map((row) => [row.id, row]))
  const isShown = ({ id, visibility }: GroupTreeRow) =>
    to === 'owner' || (to === 'friend' ? shared?.groups.has(id) : visibility === 'public')
  const siblings = new Map<string | null, number>()
  const tree: ExtendedGroup[] = []
  for (const row of parentsFirst(all.filter(isShown))) {
    await yieldIfDue()
    const { parent_id, emoji, position, all_members, public_members, in_buckets, ...groupRow } = row
    const parent = parent_id === null ? null : (byId.get(parent_id) ?? null)
    const friend_parent = parent && shared?.groups.has(parent.id) ? parent.uuid : null
    // Gaps between the positions would disclose to a friend that there are other groups.
    const place = siblings.get(friend_parent) ?? 0
    siblings.set(friend_parent, place + 1)
    const members = JSON.parse(all_members) as { id: number; uuid: string }[]
    const ext = {
      parent: parent?.uuid ?? null,
      public_parent: parent?.visibility === 'public' ? parent.uuid : null,
      friend_parent,
      emoji,
      position: to === 'friend' ? place : position,
      members: members.map(({ uuid }) => uuid),
      public_members: groupRow.list_privacy === 'public' ? JSON.parse(public_members) : null,
      friend_members: members.flatMap(({ id, uuid }) => (shared?.members.has(id) ? [uuid] : [])),
      buckets: JSON.parse(in_buckets) as string[],
    }
    tree.push({ group: redact(group, groupRow, to), ext: redact(groupExt, ext, to) })
  }
  return tree
}

/** Orders rows by position, each followed by its children. Rows whose parent is missing are roots. */
function parentsFirst(rows: readonly GroupTreeRow[]): GroupTreeRow[] {
  const ids = new Set(rows.map(({ id }) => id))
  const sorted = rows.toSorted((a, b) => a.position - b.position || a.id - b.id)
  const children = Map.groupBy(sorted, ({ parent_id }) =>
    parent_id !== null && ids.has(parent_id) ? parent_id : null,
  )
  const walk = (parent: number | null): GroupTreeRow[] =>
    (children.get(parent) ?? []).flatMap((row) => [row, ...walk(row.id)])
  return walk(null)
}
