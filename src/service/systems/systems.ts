import { incrementCounter } from '../../db/changeCounters'
import type { Db } from '../../db/types'
import { disabledError } from '../../db/visible'
import { error } from '../../model/core/errors'
import { type Platform, platformOf } from '../../model/core/platform'
import {
  isOwner,
  type Permission,
  requireBot,
  requireOperator,
  requireSystem,
  systemOf,
  type Viewer,
} from '../../model/core/privacy'
import type { System, SystemPatch } from '../../model/systems/system'
import { getEntity } from '../../store/core/entityRows'
import type { Stored } from '../../store/core/identityRows'
import { endFriendship } from '../../store/friends/endFriendship'
import { findFriendship, listFriendships } from '../../store/friends/friendRows'
import { groupRowKind } from '../../store/groups/groupRows'
import { memberRowKind } from '../../store/members/memberRows'
import { deleteOrHideSystem } from '../../store/systems/deletion'
import { countSystems as countAll } from '../../store/systems/systemCount'
import {
  findSystem,
  findSystemOrigin,
  getSystemById,
  type StoredSystem,
  updateSystem,
} from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { purgeDeleted } from './purge'

/** Returns the named system. `@me` without a token throws `unauthorized`, not `systemNotFound`. */
export async function getSystem(
  { db }: Pick<Deps, 'db'>,
  viewer: Viewer,
  ref: string,
): Promise<System> {
  if (ref === '@me') return getSystemById(db, systemOf(viewer))
  const system = await findSystem(db, ref)
  if (!system || !maySee(viewer, system)) throw error('systemNotFound')
  return system
}

/** Hides a disabled system from all callers but the operator and the system itself. */
function maySee({ isOperator, system }: Viewer, { id, disabled_at }: StoredSystem): boolean {
  return disabled_at === null || isOperator === true || system === id
}

/** Returns the short ID of the system that a member or group belongs to. */
export async function findSystemOf(
  deps: Pick<Deps, 'db'>,
  viewer: Viewer,
  kind: 'member' | 'group',
  ref: string,
): Promise<string> {
  const { system_id } =
    kind === 'member'
      ? await getEntity(deps.db, memberRowKind, ref)
      : await getEntity(deps.db, groupRowKind, ref)
  const { hid } = await getSystemById(deps.db, system_id)
  return (await getSystem(deps, viewer, hid)).hid
}

/** Like `getSystem`, but throws if the caller is not the owner. */
export async function getOwnSystem(
  deps: Pick<Deps, 'db'>,
  viewer: Viewer,
  ref: string,
  act?: Permission,
): Promise<System> {
  requireSystem(viewer, act)
  const row = await getSystem(deps, viewer, ref)
  if (!isOwner(viewer, row.id)) throw error('forbidden')
  return row
}

/** Returns the viewer for acting as a system: a bot for one of its platform, the operator for any. */
export async function actFor(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<{ viewer: Viewer; system: StoredSystem }> {
  const platform = viewer.isOperator ? null : requireBot(viewer)
  // A bot has no system, so `@me` means nothing for it.
  if (ref === '@me' && platform !== null)
    throw error('badRequest', 'a bot names a system by its ID or an account')
  const system = await findSystem(db, ref)
  if (!system) throw error('systemNotFound')
  return { viewer: await actAs(db, viewer, system.id), system }
}

/** A bot may act only for a system that was created on its platform or has an account there. */
export async function actAs(db: Db, viewer: Viewer, systemId: number): Promise<Viewer> {
  if (!viewer.isOperator) await requirePlatformSystem(db, requireBot(viewer), systemId)
  return { ...viewer, system: systemId }
}

async function requirePlatformSystem(db: Db, platform: Platform, systemId: number): Promise<void> {
  const origin = await findSystemOrigin(db, systemId)
  if (!origin) throw error('systemNotFound')
  const hasAccount = origin.accounts.some((account) => platformOf(account) === platform)
  if (!hasAccount && origin.created_on_platform !== platform) throw error('forbidden')
  if (origin.disabled_at !== null) throw disabledError()
}

export async function patchSystem(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: SystemPatch,
): Promise<Stored<System>> {
  const { id } = await getOwnSystem(deps, viewer, ref)
  return deps.transact({ system: id }, (tx) => updateSystem(deps, tx, id, patch))
}

export async function deleteSystem(deps: Deps, viewer: Viewer): Promise<void> {
  const id = requireSystem(viewer, 'remove')
  let isDeleted = false
  // An invitation may be accepted between ending the friendships and the deletion.
  while (!isDeleted) {
    await endFriendshipsOf(deps, id)
    isDeleted = await deps.transact({ system: id }, async (tx) => {
      if ((await listFriendships(tx, id)).length > 0) return false
      await deleteOrHideSystem(tx, id)
      await incrementCounter(tx, 'credentials')
      return true
    })
  }
}

/** Ends all friendships of a system before it is deleted, with events for its friends. */
async function endFriendshipsOf(deps: Deps, systemId: number): Promise<void> {
  for (const { uuid, friend_system_id } of await listFriendships(deps.db, systemId))
    await deps.transact({ systems: [systemId, friend_system_id] }, async (tx) => {
      const row = await findFriendship(tx, systemId, uuid)
      if (row) await endFriendship(deps, tx, row)
    })
}

/** Deletes a system with all its rows. For commands, as no server may run that would purge them. */
export async function deleteSystemAndRows(deps: Deps, viewer: Viewer): Promise<void> {
  requireOperator(viewer)
  await deleteSystem(deps, viewer)
  await purgeDeleted(deps)
}

export async function countSystems({ db }: Deps, viewer: Viewer): Promise<number> {
  requireOperator(viewer)
  return countAll(db)
}
