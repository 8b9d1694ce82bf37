import { eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { extUsage } from '../../db/tables'
import type { Db } from '../../db/types'
import { rowLimits } from '../../model/access/rowLimits'
import { error } from '../../model/core/errors'
import type { StoreDeps } from './storeDeps'

/** Numbers that a write adds to the use of a system's limits; negative for what it deletes. */
export interface UsageChange {
  text_bytes?: number
  front_notes?: number
  notes?: number
  posts?: number
}

const words = { front_notes: 'front notes', notes: 'notes', posts: 'posts' } as const

/** Counts what a write adds or deletes. Throws if it adds to what is above its limit. */
export async function addUsage(
  { quotas }: Pick<StoreDeps, 'quotas'>,
  tx: Db,
  systemId: number,
  change: UsageChange,
): Promise<void> {
  const { text_bytes = 0, front_notes = 0, notes = 0, posts = 0 } = change
  if (text_bytes === 0 && front_notes === 0 && notes === 0 && posts === 0) return
  const used = await add(tx).get({ system: systemId, text_bytes, front_notes, notes, posts })
  if (!used) return
  for (const [key, max] of Object.entries(rowLimits) as [keyof typeof rowLimits, number][])
    if ((change[key] ?? 0) > 0 && used[key] > max) throw limitReached(words[key], max)
  if (text_bytes > 0 && used.text_bytes > quotas.extText)
    throw error('limitReached', `text of this system (${formatSize(quotas.extText)})`)
}

/** Counts what a deletion frees, as positive numbers. Does nothing if the system was deleted. */
export async function freeUsage(tx: Db, systemId: number, freed: UsageChange): Promise<void> {
  const { text_bytes = 0, front_notes = 0, notes = 0, posts = 0 } = freed
  await subtract(tx).run({ system: systemId, text_bytes, front_notes, notes, posts })
}

export function limitReached(what: string, max: number) {
  return error('limitReached', `${what} (${max.toLocaleString('en')})`)
}

const KiB = 1024
const MiB = 1024 * KiB

/** Formats a limit for an error message, in KiB or MiB with at most two decimals. */
export function formatSize(bytes: number): string {
  const [unit, name] = bytes < MiB ? [KiB, 'KiB'] : [MiB, 'MiB']
  return `${(bytes / unit).toLocaleString('en', { maximumFractionDigits: 2 })} ${name}`
}

const { system_id, ...counters } = extUsage

const add = query(
  (db, values: Placeholders<'system' | 'text_bytes' | 'front_notes' | 'notes' | 'posts'>) => {
    const { text_bytes, front_notes, notes, posts } = values
    const sum = (name: 'text_bytes' | 'front_notes' | 'notes' | 'posts') =>
      sql`${counters[name]} + excluded.${sql.identifier(name)}`
    return db
      .insert(extUsage)
      .values({ system_id: values.system, text_bytes, front_notes, notes, posts })
      .onConflictDoUpdate({
        target: system_id,
        set: {
          text_bytes: sum('text_bytes'),
          front_notes: sum('front_notes'),
          notes: sum('notes'),
          posts: sum('posts'),
        },
      })
      .returning({
        text_bytes: counters.text_bytes,
        front_notes: counters.front_notes,
        notes: counters.notes,
        posts: counters.posts,
      })
  },
)

const subtract = query(
  (db, values: Placeholders<'system' | 'text_bytes' | 'front_notes' | 'notes' | 'posts'>) =>
    db
      .update(extUsage)
      .set({
        text_bytes: sql`${counters.text_bytes} - ${values.text_bytes}`,
        front_notes: sql`${counters.front_notes} - ${values.front_notes}`,
        notes: sql`${counters.notes} - ${values.notes}`,
        posts: sql`${counters.posts} - ${values.posts}`,
      })
      .where(eq(system_id, values.system)),
)
