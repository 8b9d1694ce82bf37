import { createYielder } from '../../db/yieldToEventLoop'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { sumUsagePage } from '../../store/admin/usagePages'
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
    const page = await sumUsagePage(db, after)
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
