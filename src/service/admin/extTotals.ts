import { gt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { extUsage } from '../../db/tables'
import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import type { Deps } from '../core/deps'

/** Rows by kind and bytes of text of all systems in the tables of the extension API. */
export interface ExtTotals {
  readonly rows: Readonly<Record<'front_notes' | 'notes' | 'posts', number>>
  readonly textBytes: number
}

export const noExtTotals: ExtTotals = {
  rows: { front_notes: 0, notes: 0, posts: 0 },
  textBytes: 0,
}

/** Adds up the counters of all systems, in pages, yielding in between; it reads no other rows. */
export async function sumExtUsage({ db }: Deps, viewer: Viewer): Promise<ExtTotals> {
  requireOperator(viewer)
  const yieldIfDue = createYielder()
  let { rows, textBytes } = noExtTotals
  for (let after = 0; ; ) {
    const page = await pageSums(db).get({ after })
    if (!page || page.last === null) return { rows, textBytes }
    rows = {
      front_notes: rows.front_notes + page.front_notes,
      notes: rows.notes + page.notes,
      posts: rows.posts + page.posts,
    }
    textBytes += page.text_bytes
    after = page.last
    await yieldIfDue()
  }
}

const PAGE = 2_000

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
