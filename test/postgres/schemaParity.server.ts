import { join } from 'node:path'
import { openStorage } from '../../src/db/open'
import type { Db } from '../../src/db/types'
import { rows, tableNames } from '../tools/rawSql'
import { emptyFolder } from '../tools/serverProcess'
import { afterAll, describe, expect, test } from '../tools/test'
import { newDatabaseAddress } from '../tools/testApp'

/** Description of a schema that is the same for both engines. */
interface Column {
  table: string
  name: string
  kind: string
  nullable: boolean
  /** Default value; null if there is none. */
  initial: string | null
}

interface Index {
  table: string
  columns: string
  unique: boolean
  where: string
}

interface Reference {
  table: string
  column: string
  to: string
  onDelete: string
}

interface Schema {
  tables: string[]
  columns: Column[]
  primaryKeys: { table: string; columns: string }[]
  indexes: Index[]
  references: Reference[]
}

describe('schema of both engines', () => {
  const file = openStorage(`file:${join(emptyFolder(), 'test.db')}`, { durability: 'normal' })
  const server = openStorage(newDatabaseAddress(emptyFolder()))
  afterAll(async () => {
    await Promise.all([file.close(), server.close()])
  })
  const schemas = Promise.all([schemaOfFile(file.db), schemaOfServer(server.db)])

  test.each(['tables', 'columns', 'primaryKeys', 'indexes', 'references'] as const)(
    'has the same %s on both engines',
    async (part) => {
      const [ofFile, ofServer] = await schemas
      expect(ofFile[part].length).toBeGreaterThanOrEqual(5)
      expect(sorted<unknown>(ofServer[part])).toEqual(sorted<unknown>(ofFile[part]))
    },
  )

  test('has exactly the tables of the program, and the table of migrations', async () => {
    const [{ tables }] = await schemas
    expect(tables.toSorted()).toEqual([...tableNames, 'migrations'].toSorted())
  })

  test('partitions only messages, and sorts every text by its bytes', async () => {
    await server.ready
    const partitionedSql = "select relname as name from pg_class where relkind = 'p'"
    expect(await rows(server.db, partitionedSql)).toEqual([{ name: 'messages' }])
    const otherCollationSql = `
      select attname as name from pg_attribute join pg_class c on c.oid = attrelid
      where ${IS_OURS} and attnum > 0 and atttypid = 'text'::regtype
        and attcollation <> '"C"'::regcollation`
    expect(await rows(server.db, otherCollationSql)).toEqual([])
  })
})

async function schemaOfFile(db: Db): Promise<Schema> {
  const tables = await rows<{ name: string; sql: string }>(
    db,
    "select name, sql from sqlite_master where type = 'table' and name not like 'sqlite%'",
  )
  const indexSql = await rows<{ name: string; sql: string }>(
    db,
    "select name, sql from sqlite_master where type = 'index' and sql is not null",
  )
  const schema: Schema = { tables: [], columns: [], primaryKeys: [], indexes: [], references: [] }
  for (const { name: table, sql } of tables) {
    schema.tables.push(table)
    const columns = await rows<{
      name: string
      type: string
      notnull: number
      dflt_value: string | null
      pk: number
    }>(db, `select * from pragma_table_info('${table}')`)
    for (const { name, type, notnull, dflt_value, pk } of columns)
      schema.columns.push({
        table,
        name,
        kind: kinds[type.toLowerCase()] ?? type,
        nullable: notnull === 0 && pk === 0,
        initial: pk > 0 && /autoincrement/i.test(sql) ? FROM_SEQUENCE : unquote(dflt_value),
      })
    const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    schema.primaryKeys.push({ table, columns: keys.map(({ name }) => name).join() })
    const indexes = await rows<{ name: string; unique: number; origin: string }>(
      db,
      `select * from pragma_index_list('${table}') where origin <> 'pk'`,
    )
    for (const { name, unique } of indexes) {
      const columnsSql = `select name from pragma_index_info('${name}') order by seqno`
      const text = indexSql.find((index) => index.name === name)?.sql ?? ''
      schema.indexes.push({
        table,
        columns: (await rows<{ name: string }>(db, columnsSql)).map((column) => column.name).join(),
        unique: unique === 1,
        where: condition(/ where (.*)$/i.exec(text)?.[1]),
      })
    }
    const references = await rows<{ from: string; table: string; to: string; on_delete: string }>(
      db,
      `select * from pragma_foreign_key_list('${table}')`,
    )
    for (const { from, table: parent, to, on_delete } of references)
      schema.references.push({
        table,
        column: from,
        to: `${parent}.${to}`,
        onDelete: on_delete.toLowerCase(),
      })
  }
  return schema
}

/** Condition that selects tables without their partitions. */
const IS_OURS = `c.relnamespace = current_schema()::regnamespace
  and c.relkind in ('r', 'p') and not c.relispartition`

async function schemaOfServer(db: Db): Promise<Schema> {
  const tables = await rows<{ name: string }>(
    db,
    `select relname as name from pg_class c where ${IS_OURS}`,
  )
  const columns = await rows<Column & { type: string }>(
    db,
    `select c.relname as table, attname as name, format_type(atttypid, null) as type,
       not attnotnull as nullable, pg_get_expr(adbin, adrelid) as initial
     from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
     left join pg_attrdef on adrelid = c.oid and adnum = attnum where ${IS_OURS}`,
  )
  const indexes = await rows<Index & { primary: boolean }>(
    db,
    `select c.relname as table, indisunique as unique, indisprimary as primary,
       pg_get_expr(indpred, indrelid) as where,
       (select string_agg(attname, ',' order by nth)
        from unnest(indkey::int2[]) with ordinality k(num, nth)
        join pg_attribute on attrelid = c.oid and attnum = num) as columns
     from pg_class c join pg_index on indrelid = c.oid where ${IS_OURS}`,
  )
  const references = await rows<Reference>(
    db,
    `select c.relname as table, a.attname as column,
       confrelid::regclass::text || '.' || b.attname as to, confdeltype::text as "onDelete"
     from pg_class c join pg_constraint on conrelid = c.oid and contype = 'f'
     join pg_attribute a on a.attrelid = c.oid and a.attnum = conkey[1]
     join pg_attribute b on b.attrelid = confrelid and b.attnum = confkey[1] where ${IS_OURS}`,
  )
  return {
    tables: tables.map(({ name }) => name),
    columns: columns.map(({ type, initial, ...rest }) => ({
      ...rest,
      kind: kinds[type] ?? type,
      initial: initial?.startsWith('nextval(') ? FROM_SEQUENCE : unquote(initial),
    })),
    primaryKeys: indexes
      .filter(({ primary }) => primary)
      .map(({ table, columns: names }) => ({ table, columns: names })),
    indexes: indexes
      .filter(({ primary }) => !primary)
      .map(({ primary: _, where, ...rest }) => ({ ...rest, where: condition(where) })),
    references: references.map(({ onDelete, ...rest }) => ({
      ...rest,
      onDelete: actions[onDelete] ?? onDelete,
    })),
  }
}

/** Default value of IDs. */
const FROM_SEQUENCE = 'the next number'

const kinds: Record<string, string> = {
  integer: 'number',
  'double precision': 'number',
  smallint: 'number',
  text: 'text',
}

const actions: Record<string, string> = { a: 'no action', c: 'cascade', n: 'set null' }

/** Removes quotation marks and type from a default value. */
function unquote(sqlText: string | null): string | null {
  const value = sqlText?.replace(/::[a-z ]+$/, '').replace(/^'(.*)'$/, '$1') ?? null
  return value === 'true' ? '1' : value === 'false' ? '0' : value
}

function condition(sqlText: string | null | undefined): string {
  return (sqlText ?? '')
    .toLowerCase()
    .replaceAll(/::[a-z ]+/g, '')
    .replaceAll(/["`()]/g, '')
    .replaceAll(/\w+\./g, '')
}

function sorted<T>(parts: readonly T[]): T[] {
  const key = (part: T) =>
    typeof part === 'object' ? JSON.stringify(Object.entries(part ?? {}).toSorted()) : String(part)
  return parts.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
