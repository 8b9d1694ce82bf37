import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../../db/query'
import { origins } from '../../../db/tables'
import type { Db } from '../../../db/types'
import { isImportCommitted } from '../../../db/visible'
import type { BundleExtRow, Origin } from '../../../formats/bundle'
import type { ExtPart } from '../../../model/transfer/transfer'

/** Origin with the UUID of its row here. */
export interface OriginRow extends Origin {
  target: string
}

export function originKey({ app, collection, id }: Origin): string {
  return JSON.stringify([app, collection, id])
}

/** App of rows that were exported here and got another UUID, because theirs was not free. */
const OWN_APP = 'multitude'

/**
 * Returns the origin of a row. A row of our own exports is found by its UUID, and needs an origin
 * only if it has another UUID here.
 */
export function originOf(
  { origin, uuid }: BundleExtRow,
  part: ExtPart,
  target?: string,
): Origin | undefined {
  if (origin || uuid === undefined || uuid === target) return origin
  return { app: OWN_APP, collection: part, id: uuid }
}

/** Number of origins in one statement. */
export const BATCH = 500

/** Finds the UUIDs of rows that were imported before. */
export async function findOrigins(
  db: Db,
  systemId: number,
  given: readonly Origin[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let at = 0; at < given.length; at += BATCH) {
    const rows = given.slice(at, at + BATCH).map(({ app, collection, id }) => [app, collection, id])
    for (const row of await targets(db).all({ system: systemId, rows: JSON.stringify(rows) }))
      found.set(originKey(row), row.target)
  }
  return found
}

// SQL text, because the rows to look up are the elements of a JSON array.
const targets = query((_, { system, rows }: Placeholders<'system' | 'rows'>, dialect) => {
  const at = (index: number) => dialect.jsonTextAt(sql`r.value`, index)
  const found = sql`select ${origins.target} from ${origins} where ${origins.system_id} = ${system}
    and ${origins.app} = ${at(0)} and ${origins.collection} = ${at(1)}
    and ${origins.source_id} = ${at(2)} and ${isImportCommitted(origins.import_id)}`
  return sql<{ app: string; collection: string; id: string; target: string }>`
    select * from (select ${at(0)} as app, ${at(1)} as collection, ${at(2)} as id,
      (${found}) as target from ${dialect.jsonEach(rows, 'r')}) as known where target is not null`
})
