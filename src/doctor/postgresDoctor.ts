import { sql } from 'drizzle-orm'
import type { Finding, Inspector } from '../db/finding'
import { lockExclusively } from '../db/locks'
import { serverMigrations } from '../db/migrations'
import { isLoss } from '../db/postgres/errors'
import { query } from '../db/query'
import type { Storage } from '../db/storage'
import type { Db } from '../db/types'
import type { RenderJson } from '../model/core/schemaHash'
import { checks, findAll, findWarnings, repairAll } from './consistencyChecks'

/** With a larger offset, log lines of the nodes would be out of order. */
const MAX_CLOCK_OFFSET_MS = 1_000

/**
 * Inspects a PostgreSQL database. PostgreSQL itself guards pages and foreign keys. SQL text, because
 * it reads the catalogue and runs statements of the migrations.
 */
export function inspectServer(
  { db, transact, close }: Pick<Storage, 'db' | 'transact' | 'close'>,
  renderJson: RenderJson,
  now: () => number = Date.now,
): Inspector {
  const all = [findMissingIndexes, ...checks]
  const inspect = async () => {
    const clock = await findWrongClock(db, now)
    const missing = await findMissingTables(db)
    if (missing.length > 0) return [...clock, ...missing]
    return [...clock, ...(await findAll(db, all, renderJson))]
  }
  return {
    inspect,
    async repair() {
      if ((await findMissingTables(db)).length === 0)
        await transact(
          'new',
          async (tx) => {
            await lockExclusively(tx)
            await repairAll(tx, all, rejectConnectionLoss, renderJson)
          },
          'long',
        )
      return inspect()
    },
    findWarnings: () => findWarnings(db),
    close,
  }
}

/** Rethrows the loss of the connection; any other failed repair is found again by the inspection. */
function rejectConnectionLoss(cause: unknown): void {
  if (isLoss(cause)) throw cause
}

async function findWrongClock(db: Db, now: () => number): Promise<Finding[]> {
  const before = now()
  const engine = (await clock(db).get({}))?.now ?? 0
  const after = now()
  // The time of the round trip does not count as an offset.
  const offset = Math.max(engine - after, before - engine)
  if (offset <= MAX_CLOCK_OFFSET_MS) return []
  const side = engine > after ? 'behind' : 'ahead of'
  return [
    {
      check: 'clock',
      problem: `this machine’s clock is ${(offset / 1000).toFixed(1)} s ${side} the server’s`,
      remedy: 'keep the clocks of all machines in step',
    },
  ]
}

const clock = query((_, __, { nowMs }) => sql<{ now: number }>`select ${nowMs} as now`)

interface SchemaObject {
  kind: 'table' | 'sequence' | 'index' | 'trigger'
  name: string
  text: string
}

/** Parses the schema from the migrations, because there is no second server to create it on. */
function expectedObjects(): SchemaObject[] {
  const expected = new Map<string, SchemaObject>()
  for (const migration of serverMigrations)
    for (const match of migration.sql.matchAll(
      /^(create|drop|alter) (?:unique )?(table|sequence|index|trigger) (?:if exists )?(\w+)(?: rename to (\w+))?[^;]*;/gm,
    )) {
      const [text, verb, kind, name = '', newName] = match
      if (verb === 'create') expected.set(name, { kind: kind as SchemaObject['kind'], name, text })
      const renamed = expected.get(name)
      if (renamed && newName) expected.set(newName, { ...renamed, name: newName })
      if (verb === 'drop' || newName) expected.delete(name)
    }
  return [...expected.values()]
}

/** Names of tables, sequences, valid indexes and triggers. */
const existingNames = query(
  () => sql<{ name: string }>`
   select c.relname::text as name from pg_class c left join pg_index i on i.indexrelid = c.oid
   where c.relnamespace = current_schema()::regnamespace and coalesce(i.indisvalid, true)
   union all
   select t.tgname::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = current_schema()::regnamespace`,
)

async function findMissing(
  db: Db,
  kinds: readonly SchemaObject['kind'][],
): Promise<SchemaObject[]> {
  const names = new Set((await existingNames(db).all({})).map(({ name }) => name))
  return expectedObjects().filter(({ kind, name }) => kinds.includes(kind) && !names.has(name))
}

async function findMissingTables(db: Db): Promise<Finding[]> {
  const missing = await findMissing(db, ['table', 'sequence'])
  return missing.map(({ kind, name }) => ({
    check: 'tables',
    problem: `the ${kind} ${name} is missing`,
  }))
}

async function findMissingIndexes(db: Db): Promise<Finding[]> {
  const missing = await findMissing(db, ['index', 'trigger'])
  return missing.map(({ kind, name, text }) => ({
    check: kind === 'index' ? 'indexes' : 'triggers',
    problem: `the ${kind} ${name} is missing`,
    fix: async (tx) => {
      // An invalid index blocks the name.
      if (kind === 'index')
        await query(() => sql`drop index if exists ${sql.identifier(name)}`)(tx).run({})
      await query(() => sql.raw(text))(tx).run({})
    },
  }))
}
