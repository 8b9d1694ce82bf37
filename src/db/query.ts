import {
  Column,
  getTableColumns,
  is,
  Param,
  Placeholder,
  SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import {
  BaseSQLiteDatabase,
  SQLiteAsyncDialect,
  type SQLiteInsertConfig,
} from 'drizzle-orm/sqlite-core'
import type { Dialect } from './dialect'
import type { Db, MaybePromise, Value } from './types'

// For layers that do not depend on the engine.
export { alias, QueryBuilder } from 'drizzle-orm/sqlite-core'

/** Drizzle's query builder. Its queries run through `query`, so it has no connection. */
export type Builder = BaseSQLiteDatabase<'async', unknown>

/** Values of a statement by the names of its placeholders. */
export type Values<Name extends string> = { readonly [N in Name]: Value }

/** Placeholders of a statement, for expressions and for `limit`. */
export type Placeholders<Name extends string> = {
  readonly [N in Name]: SQL & Placeholder<N>
}

/** Prepared query. */
export interface Statement<Name extends string, Row> {
  get(values: Values<Name>): MaybePromise<Row | null>
  all(values: Values<Name>): MaybePromise<Row[]>
  run(values: Values<Name>): MaybePromise<unknown>
}

type Built = SQLWrapper & { readonly _: object }

/** Row of a query: what it selects or returns, or the type argument of `sql`. */
type RowOf<Q> =
  Q extends SQL<infer Row>
    ? Row
    : Q extends { readonly _: { readonly result: readonly (infer Row)[] } }
      ? Row
      : Q extends { readonly _: { readonly returning: infer Row } }
        ? Row
        : never

/**
 * Prepares a query of Drizzle's builder, or SQL text of Drizzle's `sql`, once per database handle.
 * Drizzle only builds the text: its own prepared queries spend as much time on their placeholders
 * as SQLite on the query. Selected keys must be the names of their columns or aliases. Flags and
 * JSON are decoded; for SQL text, `selected` has the columns that it selects, if they are to be.
 */
export function query<Q extends Built, Name extends string = never>(
  build: (builder: Builder, values: Placeholders<Name>, dialect: Dialect) => Q,
  selected?: object,
): (db: Db) => Statement<Name, RowOf<Q>> {
  // Built on first use, because a process runs few of the hundreds of statements.
  const textFor = cachePer((dialect: Dialect) => {
    const built = build(builder, placeholders as Placeholders<Name>, dialect)
    const decode = createDecoder<RowOf<Q>>(selected ?? selectedFields(built))
    return { ...toText(built.getSQL(), dialect), decode }
  })
  return cachePer(({ driver }: Db) => {
    const { text, names, decode } = textFor(driver.dialect)
    const prepared = driver.query<RowOf<Q>>(text)
    const inOrder = (values: Values<string>): Value[] => {
      const ordered = new Array<Value>(names.length)
      for (let index = 0; index < names.length; index++)
        ordered[index] = valueIn(values, names[index] ?? '')
      return ordered
    }
    const run = (values: Values<string>) => prepared.run(inOrder(values))
    const get = (values: Values<string>) => prepared.get(inOrder(values))
    const all = (values: Values<string>) => prepared.all(inOrder(values))
    if (!decode) return { get, all, run }
    return {
      get: (values) => whenDone(get(values), (row) => row && decode(row)),
      all: (values) => whenDone(all(values), (rows) => rows.map(decode)),
      run,
    }
  })
}

/** Names of columns without their table, as `insert` and the left side of `set` want them. */
export function columnNames(...columns: Column[]): SQL {
  return sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  )
}

/** SQL text with constants in it, and the names of its placeholders in the order of their numbers. */
export function toText(query: SQL, { placeholder }: Dialect): { text: string; names: string[] } {
  const names: string[] = []
  const { sql: text } = query.inlineParams().toQuery({
    casing,
    escapeName: (name) => `"${name}"`,
    escapeString: (constant) => `'${constant.replaceAll("'", "''")}'`,
    escapeParam(_, chunk) {
      const value = is(chunk, Param) ? chunk.value : chunk
      if (!is(value, Placeholder)) throw new Error('the statement has a value that is no constant')
      if (!names.includes(value.name)) names.push(value.name)
      return placeholder(names.indexOf(value.name) + 1)
    },
  })
  return { text: text.trim(), names }
}

/** Leaves out columns without a value, which Drizzle would set to null on every engine but its own. */
class PortableDialect extends SQLiteAsyncDialect {
  override buildInsertQuery({ onConflict, ...rest }: SQLiteInsertConfig): SQL {
    const config = { ...rest, ...(onConflict && { onConflict: onConflict.map(unqualifyTarget) }) }
    const rows = Array.isArray(config.values) ? config.values : []
    if (rows.length === 0) return super.buildInsertQuery(config)
    const columns = Object.entries(getTableColumns(config.table)).filter(([key]) =>
      rows.some((row) => key in row),
    )
    const table = Object.create(config.table, {
      [COLUMNS]: { value: Object.fromEntries(columns) },
    })
    return super.buildInsertQuery({ ...config, table })
  }
}

/** Removes the table from the target of a conflict clause, because PostgreSQL rejects it there. */
function unqualifyTarget(conflict: SQL): SQL {
  const [begin, target, ...rest] = conflict.queryChunks
  const columns = is(target, SQL)
    ? target.queryChunks.flat().filter((chunk) => is(chunk, Column))
    : []
  if (begin === undefined || columns.length === 0) return conflict
  return new SQL([begin, sql`(${columnNames(...columns)})`, ...rest])
}

/** Key under which Drizzle keeps the columns of a table. */
const COLUMNS = Symbol.for('drizzle:Columns')

const casing = new CasingCache()

const builder: Builder = new BaseSQLiteDatabase<'async', unknown>(
  'async',
  new PortableDialect(),
  undefined as never,
  undefined,
)

const placeholders = new Proxy({} as Placeholders<string>, {
  get: (_, name) => sql`${sql.placeholder(String(name))}`,
})

/**
 * Caches what `build` returns per database handle, dialect or kind of rows. What it keeps for a key
 * is released with the key, and the same for all callers.
 */
export function cachePer<K extends object, T>(build: (key: K) => T): (key: K) => T {
  const cache = new WeakMap<K, T>()
  let lastKey: K | undefined
  let last: T
  return (key) => {
    if (key === lastKey) return last
    const cached = cache.get(key)
    last = cached === undefined ? build(key) : cached
    if (cached === undefined) cache.set(key, last)
    lastKey = key
    return last
  }
}

/** Throws if a value is missing, because the driver would bind null. */
function valueIn(values: Values<string>, name: string): Value {
  const value = values[name]
  if (value === undefined) throw new Error(`the statement has no value for ${name}`)
  return value
}

/** Applies a function at once to a value, or to that of a promise. */
function whenDone<T, R>(value: MaybePromise<T>, apply: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(apply) : apply(value)
}

/** Builds a function that decodes flags and JSON of a row in place; null if the row has none. */
export function createDecoder<Row>(selected: object): ((row: Row) => Row) | null {
  const columns = Object.entries(selected).flatMap(([key, field]) => {
    const name = is(field, Column) ? field.name : is(field, SQL.Aliased) ? field.fieldAlias : null
    if (name !== key) throw new Error(`the selected key ${key} needs an alias of this name`)
    const decode = is(field, Column) ? decoders[field.dataType] : undefined
    return decode ? [{ name, decode }] : []
  })
  if (columns.length === 0) return null
  return (row) => {
    const values = row as Record<string, unknown>
    for (const { name, decode } of columns) {
      const value = values[name]
      if (value !== null) values[name] = decode(value)
    }
    return row
  }
}

/** Decoders by type of column. A column's own method would go through a proxy if it has an alias. */
const decoders: Readonly<Record<string, (value: unknown) => unknown>> = {
  boolean: (value) => Number(value) === 1,
  json: (value) => JSON.parse(String(value)),
}

/** Selected or returned fields of a query by key; none for SQL text. */
function selectedFields(built: Built): object {
  if ('getSelectedFields' in built && typeof built.getSelectedFields === 'function')
    return built.getSelectedFields()
  const { config } = built as { config?: { returning?: { path: string[]; field: unknown }[] } }
  const returned = config?.returning ?? []
  return Object.fromEntries(returned.map(({ path, field }) => [path.join('.'), field]))
}

/** Encodes the values of a row as they are stored; encoded values stay unchanged. */
export function encodeRow(columns: readonly string[], row: object): Values<string> {
  const values = row as Readonly<Record<string, unknown>>
  const encoded: Record<string, Value> = {}
  for (const name of columns) encoded[name] = encode(values[name])
  return encoded
}

function encode(value: unknown): Value {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : (value as Value)
}
