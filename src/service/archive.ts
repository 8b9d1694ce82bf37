import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/handle'
import { archive } from '../db/tables'

/** Many rows in one statement: one by one a long chat history would take minutes. */
const BATCH = 200

/** Keeps rows that have no counterpart here, each once. Whether there was a new one. */
export async function keepRows(
  tx: Db,
  systemId: number,
  kept: Readonly<Record<string, readonly unknown[]>>,
  step: (rows: number) => Promise<void>,
): Promise<boolean> {
  let isNew = false
  for (const [collection, rows] of Object.entries(kept))
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH).map((row) => {
        const content = JSON.stringify(row)
        return [content, createHash('sha256').update(content).digest('hex')]
      })
      const made = await tx.all(sql`
        insert into archive (system_id, collection, content, digest)
        select ${systemId}, ${collection}, value ->> 0, value ->> 1
        from json_each(${JSON.stringify(batch)})
        where not exists (
          select 1 from archive
          where system_id = ${systemId} and collection = ${collection} and digest = value ->> 1
        )
        on conflict do nothing returning id
      `)
      isNew ||= made.length > 0
      await step(batch.length)
    }
  return isNew
}

export async function listKept(db: Db, systemId: number): Promise<Record<string, unknown[]>> {
  const rows = await db
    .select()
    .from(archive)
    .where(eq(archive.system_id, systemId))
    .orderBy(archive.id)
    .all()
  const byCollection = Map.groupBy(rows, ({ collection }) => collection)
  const kept = [...byCollection].map(([collection, group]) => [
    collection,
    group.map(({ content }) => JSON.parse(content)),
  ])
  return Object.fromEntries(kept)
}
