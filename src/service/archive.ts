import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { archive } from '../db/tables'

/** Keeps rows that have no counterpart here, each once. Whether there was a new one. */
export async function keepRows(
  tx: Db,
  systemId: number,
  kept: Readonly<Record<string, readonly unknown[]>>,
): Promise<boolean> {
  let isNew = false
  for (const [collection, rows] of Object.entries(kept))
    for (const row of rows) {
      const content = JSON.stringify(row)
      const digest = createHash('sha256').update(content).digest('hex')
      const made = await tx
        .insert(archive)
        .values({ system_id: systemId, collection, content, digest })
        .onConflictDoNothing()
        .returning({ id: archive.id })
        .all()
      isNew ||= made.length > 0
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
  const kept: Record<string, unknown[]> = {}
  for (const { collection, content } of rows) {
    kept[collection] ??= []
    kept[collection].push(JSON.parse(content))
  }
  return kept
}
