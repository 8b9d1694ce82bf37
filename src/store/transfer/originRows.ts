import { and, eq, gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { origins, pendingImports } from '../../db/tables'
import type { Db } from '../../db/types'
import { isImportCommitted } from '../../db/visible'
import type { Staging } from './stagedRows'

/** ID of a row in an imported file. */
interface Origin {
  app: string
  collection: string
  id: string
}

/** Origin with the UUID of its row here. */
export interface OriginRow extends Origin {
  target: string
}

export function originKey({ app, collection, id }: Origin): string {
  return JSON.stringify([app, collection, id])
}

export const ORIGINS_AT_ONCE = 500

/** Finds the UUIDs of rows that were imported before. */
export async function findOrigins(
  db: Db,
  systemId: number,
  origins: readonly Origin[],
): Promise<Map<string, string>> {
  const uuids = new Map<string, string>()
  for (let at = 0; at < origins.length; at += ORIGINS_AT_ONCE) {
    const rows = origins
      .slice(at, at + ORIGINS_AT_ONCE)
      .map(({ app, collection, id }) => [app, collection, id])
    for (const row of await targets(db).all({ system: systemId, rows: JSON.stringify(rows) }))
      uuids.set(originKey(row), row.target)
  }
  return uuids
}

export async function countOrigins(db: Db, systemId: number): Promise<number> {
  return (await countOf(db).get({ system: systemId }))?.size ?? 0
}

/** Writes new origins of an import, which are hidden until it is committed. */
export async function insertOrigins(
  tx: Db,
  { id, systemId }: Staging,
  rows: readonly OriginRow[],
): Promise<void> {
  await insert(tx).run({ rows: toJson(systemId, id, rows) })
}

/** Writes visible origins, new and changed ones. */
export async function replaceOrigins(
  tx: Db,
  systemId: number,
  rows: readonly OriginRow[],
): Promise<void> {
  await replace(tx).run({ rows: toJson(systemId, null, rows) })
}

/** Lists the IDs that the rows of a collection had in imported files. */
export async function originsOfCollection(
  db: Db,
  systemId: number,
  collection: { app: string; collection: string },
): Promise<{ source_id: string; target: string }[]> {
  return await originsOf(db).all({ system: systemId, ...collection })
}

/** Like `originsOfCollection`, in the order of the IDs, after one of them. */
export async function listOriginsAfter(
  db: Db,
  systemId: number,
  page: { app: string; collection: string; after: string; limit: number },
): Promise<{ id: string; target: string }[]> {
  return await originPage(db).all({ system: systemId, ...page })
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

// SQL text, because the rows to look up are the elements of a JSON array.
const targets = query((_, { system, rows }: Placeholders<'system' | 'rows'>, dialect) => {
  const at = (index: number) => dialect.jsonTextAt(sql`r.value`, index)
  const target = sql`select ${origins.target} from ${origins} where ${origins.system_id} = ${system}
    and ${origins.app} = ${at(0)} and ${origins.collection} = ${at(1)}
    and ${origins.source_id} = ${at(2)} and ${isImportCommitted(origins.import_id)}`
  return sql<{ app: string; collection: string; id: string; target: string }>`
    select * from (select ${at(0)} as app, ${at(1)} as collection, ${at(2)} as id,
      (${target}) as target from ${dialect.jsonEach(rows, 'r')}) as known where target is not null`
})

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

const originsOf = query((db, values: Placeholders<'system' | 'app' | 'collection'>) =>
  db
    .select({ source_id: origins.source_id, target: origins.target })
    .from(origins)
    .where(
      and(
        eq(origins.system_id, values.system),
        eq(origins.app, values.app),
        eq(origins.collection, values.collection),
        isImportCommitted(origins.import_id),
      ),
    ),
)

const originPage = query(
  (db, values: Placeholders<'system' | 'app' | 'collection' | 'after' | 'limit'>) => {
    const { system_id, app, collection, source_id, target, import_id } = origins
    return db
      .select({ id: sql<string>`${source_id}`.as('id'), target })
      .from(origins)
      .where(
        and(
          eq(system_id, values.system),
          eq(app, values.app),
          eq(collection, values.collection),
          gt(source_id, values.after),
          isImportCommitted(import_id),
        ),
      )
      .orderBy(source_id)
      .limit(values.limit)
  },
)
