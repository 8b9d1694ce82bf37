import { gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { extUsage } from '../../db/tables'
import type { Db } from '../../db/types'

const PAGE = 2_000

/** Adds up the counters of some systems after one; `last` is null if there are no more. */
export async function sumUsagePage(db: Db, after: number) {
  return await pageSums(db).get({ after })
}

const pageSums = query((db, { after }: Placeholders<'after'>, { number }) => {
  const { system_id } = extUsage
  const page = db
    .select()
    .from(extUsage)
    .where(gt(system_id, after))
    .orderBy(system_id)
    .limit(PAGE)
    .as('page')
  const sum = (name: 'text_bytes' | 'front_notes' | 'notes' | 'posts') =>
    sql<number>`${number(sql`coalesce(sum(${page[name]}), 0)`)}`.as(name)
  return db
    .select({
      last: sql<number | null>`max(${page.system_id})`.as('last'),
      text_bytes: sum('text_bytes'),
      front_notes: sum('front_notes'),
      notes: sum('notes'),
      posts: sum('posts'),
    })
    .from(page)
})
