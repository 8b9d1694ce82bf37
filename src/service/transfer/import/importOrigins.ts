import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../../db/query'
import { origins, pendingImports } from '../../../db/tables'
import type { Db } from '../../../db/types'
import { batches } from '../../../formats/chunks'
import { getSystemById } from '../../../store/systems/systemRows'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'
import { BATCH, findOrigins, type OriginRow, originKey } from './originLookup'

/** Maximum number of origins of a system: enough for all rows that it may have. */
const MAX_ORIGINS = 500_000

/**
 * Writes new origins, which are hidden until the import is committed. Those of members and groups
 * follow in the last transaction, when their UUIDs are known, and so do changed ones.
 */
export async function stageOrigins(work: Import): Promise<void> {
  const { deps, options, originTargets, newUuids } = work
  const ofEntities = entityUuids(work)
  const ofRows = work.origins.filter(({ target }) => !ofEntities.has(target))
  const given = [
    ...work.newOrigins,
    ...ofRows.map((row) => ({ ...row, target: newUuids.get(row.target) ?? row.target })),
  ]
  await work.loadOrigins(given)
  const added = new Map<string, OriginRow>()
  for (const row of given) {
    const key = originKey(row)
    const known = originTargets.get(key)
    if (known === undefined) added.set(key, row)
    else if (known !== row.target) work.changedOrigins.push(row)
    await work.step(0)
  }
  if (added.size === 0 || options.dryRun) return
  const stored = await countOf(deps.db).get({ system: work.systemId ?? 0 })
  const rows = [...added.values()].slice(0, Math.max(0, MAX_ORIGINS - (stored?.size ?? 0)))
  const staging = await work.staging()
  await writeInBatches(deps, staging, [...batches(rows, BATCH)], async (tx, batch) => {
    await insert(tx).run({ rows: toJson(staging.systemId, staging.id, batch) })
  })
}

/** Returns the UUIDs that the system, its members and its groups have in the file. */
function entityUuids({ head, members, groups }: Import): Set<string> {
  return new Set([head.system, ...members, ...groups].flatMap(({ uuid }) => uuid ?? []))
}

/** Stores changed origins and those of the system, its members and its groups. */
export async function applyOrigins(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { matched, assignedUuids, head, options } = work
  const here = new Map<string, string>()
  const rows = [...work.changedOrigins]
  const { uuid } = await getSystemById(tx, systemId)
  if (head.system.uuid) here.set(head.system.uuid, uuid)
  if (head.system.origin) rows.push({ ...head.system.origin, target: uuid })
  for (const part of ['members', 'groups'] as const)
    for (const { incoming, found } of matched[part]) {
      const target = found?.uuid ?? assignedUuids.get(`${part} ${incoming.key}`)
      if (target === undefined) continue
      if (incoming.uuid) here.set(incoming.uuid, target)
      if (incoming.origin) rows.push({ ...incoming.origin, target })
    }
  for (const { target, ...origin } of work.origins) {
    const now = here.get(target)
    if (now !== undefined && options.only === null) rows.push({ ...origin, target: now })
  }
  const known = await findOrigins(tx, systemId, rows)
  const fresh = new Map(
    rows.flatMap((row) => {
      const key = originKey(row)
      return known.get(key) === row.target ? [] : [[key, row]]
    }),
  )
  if (fresh.size === 0) return false
  await replace(tx).run({ rows: toJson(systemId, null, [...fresh.values()]) })
  return true
}

function toJson(system_id: number, import_id: number | null, rows: readonly OriginRow[]): string {
  return JSON.stringify(
    rows.map(({ app, collection, id: source_id, target }) => ({
      system_id,
      app,
      collection,
      source_id,
      target,
      import_id,
    })),
  )
}

const columns = ['system_id', 'app', 'collection', 'source_id', 'target', 'import_id']

// SQL text, because the builder inserts selected rows only with all columns of their table.
const insert = query(
  (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
    // Takes over rows of an import that was killed; other rows are visible and stay.
    sql`insert into ${origins} (system_id, app, collection, source_id, target, import_id)
      ${rowsIn(rows, origins, columns)} where true
      on conflict (system_id, app, collection, source_id)
      do update set target = excluded.target, import_id = excluded.import_id
      where exists (select 1 from ${pendingImports}
        where ${pendingImports.id} = ${origins.import_id})`,
)

const replace = query(
  (_, { rows }: Placeholders<'rows'>, { rowsIn }) =>
    sql`insert into ${origins} (system_id, app, collection, source_id, target, import_id)
      ${rowsIn(rows, origins, columns)} where true
      on conflict (system_id, app, collection, source_id)
      do update set target = excluded.target, import_id = excluded.import_id`,
)

const countOf = query((db, { system }: Placeholders<'system'>, { count }) =>
  db
    .select({ size: count().as('size') })
    .from(origins)
    .where(eq(origins.system_id, system)),
)
