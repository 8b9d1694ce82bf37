import { count, eq, sql } from 'drizzle-orm'
import { storeFaces } from '../db/faces'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { createUpdater } from '../db/rows'
import { groups } from '../db/tables'
import { changesOf, fillDefaults, type Identity } from '../model/entity'
import { error } from '../model/errors'
import { type Group, type GroupDraft, type GroupPatch, group } from '../model/group'
import { isOwner, requireSystem, type Viewer } from '../model/privacy'
import { parseRef } from '../model/ref'
import type { Deps } from './deps'
import { type GivenIdentity, identified } from './identity'
import { tell } from './outbox'
import { withDefaultPrivacy } from './privacyDefaults'
import { getSettings } from './settings'

export async function getGroup(db: Db, ref: string): Promise<Group> {
  const found = await findGroup(db, ref)
  if (!found) throw error('groupNotFound')
  return found
}

export async function getOwnGroup(deps: Deps, viewer: Viewer, ref: string): Promise<Group> {
  requireSystem(viewer)
  const found = await getGroup(deps.db, ref)
  if (!isOwner(viewer, found.system_id)) throw error('notYourGroup')
  return found
}

export async function createGroup(deps: Deps, viewer: Viewer, draft: GroupDraft): Promise<Group> {
  const systemId = requireSystem(viewer)
  return deps.transact(async (tx) => {
    const settings = await getSettings(tx, systemId)
    if ((await countGroups(tx, systemId)) >= settings.group_limit) throw error('groupLimit')
    const isPrivate = viewer.platform !== null && settings.group_default_private
    const given = isPrivate ? withDefaultPrivacy(group, draft) : draft
    const made = await insertGroup(tx, systemId, { ...given, created: deps.now() })
    await tell(tx, deps.now(), {
      system_id: systemId,
      type: 'CREATE_GROUP',
      subject: made.uuid,
      data: given,
    })
    return made
  })
}

export async function patchGroup(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: GroupPatch,
): Promise<Group> {
  const { id } = await getOwnGroup(deps, viewer, ref)
  return deps.transact(async (tx) => {
    const before = await stored.findById(tx, id)
    if (!before) throw error('groupNotFound')
    const changed = changesOf<typeof group>(before, patch)
    if (Object.keys(changed).length === 0) return before
    await tell(tx, deps.now(), {
      system_id: before.system_id,
      type: 'UPDATE_GROUP',
      subject: before.uuid,
      data: changed,
    })
    return updateGroup(tx, before, changed)
  })
}

export async function deleteGroup(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  const { id, uuid, system_id } = await getOwnGroup(deps, viewer, ref)
  await deps.transact(async (tx) => {
    const gone = await tx.delete(groups).where(eq(groups.id, id)).returning({ id: groups.id }).all()
    if (gone.length === 0) throw error('groupNotFound')
    await tell(tx, deps.now(), { system_id, type: 'DELETE_GROUP', subject: uuid, data: null })
  })
}

export async function findGroup(db: Db, text: string): Promise<Group | null> {
  const ref = parseRef(text)
  return ref && stored.find(db, ref)
}

export async function findGroupById(db: Db, id: number): Promise<Group | null> {
  return stored.findById(db, id)
}

/** The own groups that a list names, in its order; the first wrong name is told. */
export async function getOwnGroups(
  db: Db,
  systemId: number,
  refs: readonly string[],
): Promise<Group[]> {
  const found = await stored.findAll(db, refs)
  return found.map((row, at) => {
    if (!row) throw error('groupRefNotFound', refs[at])
    if (row.system_id !== systemId) throw error('notYourGroupRef', refs[at])
    return row
  })
}

export async function countGroups(db: Db, systemId: number): Promise<number> {
  const row = await countBySystem(db).get({ system: systemId })
  return row?.all ?? 0
}

export async function freeGroupIdentity(db: Db, given: GivenIdentity): Promise<GivenIdentity> {
  return stored.freeOf(db, given)
}

export async function insertGroup(
  tx: Db,
  systemId: number,
  draft: GroupDraft,
  identity: GivenIdentity = {},
): Promise<Group> {
  const made = await tx
    .insert(groups)
    .values({
      ...fillDefaults(group, draft),
      ...(await stored.draw(tx)),
      ...identity,
      system_id: systemId,
    })
    .returning()
    .get()
  await storeFaces(tx, 'groups', made)
  return made
}

/** Gives a group that waited elsewhere to its system, under its own name. */
export async function adoptGroup(
  tx: Db,
  systemId: number,
  id: number,
  given: GivenIdentity,
): Promise<Identity> {
  const identity = await stored.choose(tx, given)
  await update(tx, id, { ...identity, system_id: systemId })
  return { id, ...identity }
}

export async function updateGroup(tx: Db, before: Group, changed: GroupPatch): Promise<Group> {
  await update(tx, before.id, changed)
  const after = { ...before, ...changed }
  await storeFaces(tx, 'groups', after)
  return after
}

const update = createUpdater('groups')

const stored = identified<Group>(group, 'groups')

const ofSystem = eq(groups.system_id, sql.placeholder('system'))

const countBySystem = prepared((db) =>
  db.select({ all: count() }).from(groups).where(ofSystem).prepare(),
)
