import { gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pictures } from '../../db/tables'
import type { Db } from '../../db/types'

const PAGE = 2_000

/** Lists sizes of the pictures of all systems after one, by index. */
export async function listPictureSizes(
  db: Db,
  system: number,
  name: string,
): Promise<{ system_id: number; name: string; size: number }[]> {
  return await pageOf(db).all({ system, name })
}

const pageOf = query((db, values: Placeholders<'system' | 'name'>) => {
  const { system_id, name, size } = pictures
  return db
    .select({ system_id, name, size })
    .from(pictures)
    .where(gt(sql`(${system_id}, ${name})`, sql`(${values.system}, ${values.name})`))
    .orderBy(system_id, name)
    .limit(PAGE)
})
