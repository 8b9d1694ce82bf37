import type { RenderJson } from '../../model/renderedJson'
import {
  checks,
  type Finding,
  findAll,
  findWarnings,
  type Inspector,
  repairAll,
} from '../consistencyChecks'
import { serverMigrations } from '../migrations'
import { statement } from '../statement'
import type { Storage } from '../storage'
import type { Db } from '../types'
import { isLoss } from './errors'

/** Further off, and what is logged here is out of order with what other nodes log. */
const MOST_OFF_MS = 1_000

/** What can be wrong on a server. Its pages and references it sees to by itself. */
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
            const { exclusiveLock } = tx.driver.dialect
            if (exclusiveLock) await statement(exclusiveLock)(tx).run({})
            await repairAll(tx, all, rejectDataLoss, renderJson)
          },
          'long',
        )
      return inspect()
    },
    findWarnings: () => findWarnings(db),
    close,
  }
}

/** What could not be repaired is found again; nothing can be where nobody answers. */
function rejectDataLoss(cause: unknown): void {
  if (isLoss(cause)) throw cause
}

async function findWrongClock(db: Db, now: () => number): Promise<Finding[]> {
  const before = now()
  const engine = (await clock(db).get({}))?.now ?? 0
  const after = now()
  // Whatever the answer took on its way is no fault of the clock.
  const off = Math.max(engine - after, before - engine)
  if (off <= MOST_OFF_MS) return []
  const side = engine > after ? 'behind' : 'ahead of'
  return [
    {
      check: 'clock',
      problem: `this machine’s clock is ${(off / 1000).toFixed(1)} s ${side} the server’s`,
      remedy: 'keep the clocks of all machines in step',
    },
  ]
}

const clock = statement<never, { now: number }>((say) => `select ${say.nowMs} as now`)

interface Made {
  kind: 'table' | 'sequence' | 'index' | 'trigger'
  name: string
  sql: string
}

/** What the migrations make, by its names: there is no second server to make it on. */
function whatIsMade(): Made[] {
  const made = new Map<string, Made>()
  for (const { sql } of serverMigrations)
    for (const one of sql.matchAll(
      /^(create|drop) (?:unique )?(table|sequence|index|trigger) (?:if exists )?(\w+)[^;]*;/gm,
    )) {
      const [text, verb, kind, name = ''] = one
      if (verb === 'create') made.set(name, { kind: kind as Made['kind'], name, sql: text })
      else made.delete(name)
    }
  return [...made.values()]
}

/** Names of tables, sequences, indexes that can be used, and triggers. */
const there = statement<never, { name: string }>(`
   select c.relname::text as name from pg_class c left join pg_index i on i.indexrelid = c.oid
   where c.relnamespace = current_schema()::regnamespace and coalesce(i.indisvalid, true)
   union all
   select t.tgname::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = current_schema()::regnamespace`)

async function findMissing(db: Db, kinds: readonly Made['kind'][]): Promise<Made[]> {
  const names = new Set((await there(db).all({})).map(({ name }) => name))
  return whatIsMade().filter(({ kind, name }) => kinds.includes(kind) && !names.has(name))
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
  return missing.map(({ kind, name, sql }) => ({
    check: kind === 'index' ? 'indexes' : 'triggers',
    problem: `the ${kind} ${name} is missing`,
    fix: async (tx) => {
      // What is there and cannot be used is in the way.
      if (kind === 'index') await statement(`drop index if exists ${name}`)(tx).run({})
      await statement(sql)(tx).run({})
    },
  }))
}
