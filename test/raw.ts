import type { Db, Value } from '../src/db/handle'
import { statement } from '../src/db/statement'

/** Rows as the engine has them, past all that the program makes of them. */
export async function rows<Row = Record<string, Value>>(
  db: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<Row[]> {
  return await statement<string, Row>(sql)(db).all(values)
}

export async function change(
  tx: Db,
  sql: string,
  values: Record<string, Value> = {},
): Promise<void> {
  await statement<string>(sql)(tx).run(values)
}
