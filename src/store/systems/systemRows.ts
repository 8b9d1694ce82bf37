import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { ownerJson, renderAndStore, updateAndRender, updateRow } from '../../db/renderedJson'
import { columnsOfEntity, createInserter } from '../../db/rows'
import { accounts, systemSettings, systems } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { diff, fillDefaults, type Identity, isEmptyPatch } from '../../model/core/entity'
import { error } from '../../model/core/errors'
import type { Platform } from '../../model/core/platform'
import { parseSystemRef } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import { type System, type SystemDraft, type SystemPatch, system } from '../../model/systems/system'
import { type GivenIdentity, identityQueries, type Stored } from '../core/identityRows'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'

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
  const row = await stored.findById(db, id)
  if (!row) throw error('systemNotFound')
  return row
}

/** Stores the changed values of a patch and records an event, if there are any. */
export async function updateSystem(
  deps: StoreDeps,
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

/** What says who may act for a system: its accounts, and where it was created. */
export interface SystemOrigin {
  readonly accounts: readonly string[]
  readonly created_on_platform: Platform | null
  readonly disabled_at: Instant | null
}

export async function findSystemOrigin(db: Db, systemId: number): Promise<SystemOrigin | null> {
  const row = await platformsOf(db).get({ system: systemId })
  return row && { ...row, accounts: JSON.parse(row.accounts) }
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
