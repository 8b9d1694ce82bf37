import type { Dialect } from './dialect'
import { prepared } from './prepared'
import type { Db, MaybePromise, Value } from './types'

/** What the names in a statement stand for. */
export type Values<Name extends string> = { readonly [N in Name]: Value }

export interface Statement<Name extends string, Row> {
  get(values: Values<Name>): MaybePromise<Row | null>
  all(values: Values<Name>): MaybePromise<Row[]>
  run(values: Values<Name>): MaybePromise<unknown>
}

/**
 * SQL written out, in which `:name` stands for a value of that name. For the hottest reads:
 * Drizzle's own prepared queries spend as long on their placeholders as SQLite on the answer.
 */
export function statement<Name extends string = never, Row = unknown>(
  text: string | ((say: Dialect) => string),
): (db: Db) => Statement<Name, Row> {
  // Of hundreds of statements few are ever run, so each is spelled when it first is.
  return prepared(({ driver }) => {
    const names: string[] = []
    const spelled = typeof text === 'string' ? text : text(driver.dialect)
    // By position: the driver takes values by their name a tenth slower.
    const sql = spelled.trim().replaceAll(/(?<!:):([a-z]\w*)/g, (_, name: string) => {
      if (!names.includes(name)) names.push(name)
      return driver.dialect.placeholder(names.indexOf(name) + 1)
    })
    const inOrder = (values: Values<string>): Value[] => {
      const ordered = new Array<Value>(names.length)
      for (let at = 0; at < names.length; at++) ordered[at] = valueIn(values, names[at] ?? '')
      return ordered
    }
    const query = driver.query<Row>(sql)
    return {
      get: (values) => query.get(inOrder(values)),
      all: (values) => query.all(inOrder(values)),
      run: (values) => query.run(inOrder(values)),
    }
  })
}

/** The driver would take what is missing for null. */
function valueIn(values: Values<string>, name: string): Value {
  const value = values[name]
  if (value === undefined) throw new Error(`the statement has no value for :${name}`)
  return value
}
