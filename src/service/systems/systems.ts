import { eq, sql } from 'drizzle-orm'
import { incrementCounter } from '../../db/changeCounters'
import { type Placeholders, query } from '../../db/query'
import { ownerJson, renderAndStore, updateAndRender, updateRow } from '../../db/renderedJson'
import { columnsOfEntity, createInserter } from '../../db/rows'
import { accounts, systemSettings, systems } from '../../db/tables'
import type { Db } from '../../db/types'
import { disabledError, visibleSystems } from '../../db/visible'
import { diff, fillDefaults, type Identity, isEmptyPatch } from '../../model/core/entity'
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
import { parseSystemRef } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import { type System, type SystemDraft, type SystemPatch, system } from '../../model/systems/system'
import { type GivenIdentity, identityQueries, type Stored } from '../../store/core/identity'
import { recordEvent } from '../../store/events/recordEvent'
import { endFriendship } from '../../store/friends/endFriendship'
import { findFriendship, listFriendships } from '../../store/friends/friendRows'
import { deleteOrHideSystem } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'
import { purgeDeleted } from './purge'

/** Returns the named system. `@me` without a token throws `unauthorized`, not `systemNotFound`. */
export async function getSystem(
  { db }: Pick<Deps, 'db'>,
  viewer: Viewer,
  ref: string,
): Promise<System> {
  if (ref === '@me') return getSystemById(db, systemOf(viewer))
  const found = await findSystem(db, ref)
  if (!found || !maySee(viewer, found)) throw error('systemNotFound')
  return found
}

/** Hides a disabled system from all callers but the operator and the system itself. */
function maySee({ isOperator, system }: Viewer, { id, disabled_at }: StoredSystem): boolean {
  return disabled_at === null || isOperator === true || system === id
}

/** Like `getSystem`, but throws if the caller is not the owner. */
export async function getOwnSystem(
  deps: Pick<Deps, 'db'>,
  viewer: Viewer,
  ref: string,
  act?: Permission,
): Promise<System> {
  requireSystem(viewer, act)
  const found = await getSystem(deps, viewer, ref)
  if (!isOwner(viewer, found.id)) throw error('forbidden')
  return found
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
  const found = await platformsOf(db).get({ system: systemId })
  if (!found) throw error('systemNotFound')
  const accounts: string[] = JSON.parse(found.accounts)
  const hasAccount = accounts.some((account) => platformOf(account) === platform)
  if (!hasAccount && found.created_on_platform !== platform) throw error('forbidden')
  if (found.disabled_at !== null) throw disabledError()
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
  return (await countRows(db).get({}))?.all ?? 0
}

/** Returns those of the given IDs that no system on this server has. */
export async function freeSystemIdentity(db: Db, given: GivenIdentity): Promise<GivenIdentity> {
  return stored.availableParts(db, given)
}

/** A system with the column that is not in its field table. */
export interface StoredSystem extends System {
  disabled_at: Instant | null
}

export async function findSystem(db: Db, text: string): Promise<StoredSystem | null> {
  const ref = parseSystemRef(text)
  if (ref === null || 'me' in ref) return null
  if ('account' in ref) return (await byAccount(db).get({ account: ref.account })) ?? null
  return stored.find(db, ref)
}

export async function findSystemById(db: Db, id: number): Promise<System | null> {
  return stored.findById(db, id)
}

export async function getSystemById(db: Db, id: number): Promise<System> {
  const found = await stored.findById(db, id)
  if (!found) throw error('systemNotFound')
  return found
}

/** Stores the changed values of a patch and records an event, if there are any. */
export async function updateSystem(
  deps: Deps,
  tx: Db,
  id: number,
  patch: SystemPatch,
): Promise<Stored<System>> {
  const before = await getSystemById(tx, id)
  const changed = diff<typeof system>(before, patch)
  if (isEmptyPatch(changed)) return { row: before, json: ownerJson(tx, 'systems', before) }
  await recordEvent(tx, deps.now(), {
    system_id: id,
    type: 'UPDATE_SYSTEM',
    subject: null,
    data: changed,
  })
  const row = { ...before, ...changed }
  return { row, json: await updateAndRender(tx, 'systems', row, changed) }
}

/** Sets the IDs of a hidden system, which makes it visible. */
export async function nameSystem(
  tx: Db,
  id: number,
  given: GivenIdentity,
  created: Instant,
): Promise<Identity> {
  const identity = await stored.chooseIdentity(tx, given)
  await updateRow.systems(tx, id, { ...identity, created })
  return { id, ...identity }
}

export async function insertSystem(
  tx: Db,
  draft: SystemDraft,
  identity: GivenIdentity = {},
  created_on_platform: Platform | null = null,
): Promise<System> {
  const row = {
    ...fillDefaults(system, draft),
    ...(await stored.generate(tx)),
    ...identity,
    created_on_platform,
  }
  const created = { id: await insertRow(tx, row), ...row }
  await insertSettings(tx).run({ system: created.id })
  await renderAndStore(tx, 'systems', created)
  return created
}

const insertRow = createInserter(systems, [
  'uuid',
  'hid',
  'created_on_platform',
  ...columnsOfEntity(system),
])

const insertSettings = query((db, { system }: Placeholders<'system'>) =>
  db.insert(systemSettings).values({ system_id: system }),
)

const countRows = query((db, _, { count }) =>
  db.select({ all: count().as('all') }).from(visibleSystems),
)

const stored = identityQueries<StoredSystem>('systems')

const platformsOf = query((db, { system }: Placeholders<'system'>, { groupConcat, jsonString }) => {
  const { id, created_on_platform, disabled_at } = visibleSystems
  const linked = sql`(select '[' || coalesce(${groupConcat(jsonString(accounts.id))}, '') || ']'
    from ${accounts} where ${accounts.system_id} = ${system})`
  return db
    .select({ created_on_platform, disabled_at, accounts: sql<string>`${linked}`.as('accounts') })
    .from(visibleSystems)
    .where(eq(id, system))
})

const byAccount = query((db, { account }: Placeholders<'account'>) =>
  db
    .select(visibleSystems._.selectedFields)
    .from(visibleSystems)
    .innerJoin(accounts, eq(accounts.system_id, visibleSystems.id))
    .where(eq(accounts.id, account)),
)
