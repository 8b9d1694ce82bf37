import { sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { RowTable } from '../../db/renderedJson'
import type { Db } from '../../db/types'
import { visibleRows } from '../../db/visible'
import { findListedMemberExts, findMemberExts } from '../members/memberExtRows'
import type { GapTable } from './jsonSql'

/** A row whose JSON the cache lacks. */
export interface RowOfGap {
  id: number
  /** Absent in a system itself. */
  system_id?: number
  /** Only in a member extension. */
  about?: string | null
}

/** Finds the rows of the gaps of a result by their IDs. */
export async function findRowsOfGaps(db: Db, table: GapTable, ids: number[]): Promise<RowOfGap[]> {
  if (table === 'memberExts') return findListedMemberExts(db, ids)
  if (table === 'wholeMemberExts') return findMemberExts(db, ids)
  return await byIds[table](db).all({ ids: JSON.stringify(ids) })
}

const byIds = {
  systems: rowsByIds('systems'),
  members: rowsByIds('members'),
  groups: rowsByIds('groups'),
}

/** SQL text, because the builder has no type for one of three tables. */
function rowsByIds(table: RowTable) {
  const rows = visibleRows[table]
  return query(
    (_, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
      sql<RowOfGap>`select * from ${rows} where ${inJsonNumbers(rows.id, ids)}`,
    rows._.selectedFields,
  )
}
