import { and, eq, gt, like, or } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPagesById } from '../db/readPages'
import { importArchive } from '../db/tables'
import type { Db } from '../db/types'
import { committedArchive, visibleSystems } from '../db/visible'
import { isObject } from '../model/core/validation'

/** Keys of passwords in members of Plural Star, whose files were once taken for Simply Plural's. */
const PASSWORDS = ['mailboxPassword', 'journalPassword'] as const

/** Finds archived rows with passwords. The repair deletes these rows. */
export async function findArchivedPasswords(db: Db): Promise<Finding[]> {
  const rowIdsOfSystems = new Map<string, number[]>()
  for await (const page of readPagesById(candidates(db))) {
    for (const { id, hid, content } of page)
      if (hasPassword(content)) rowIdsOfSystems.set(hid, [...(rowIdsOfSystems.get(hid) ?? []), id])
  }
  return [...rowIdsOfSystems].map(([hid, ids]) => ({
    check: 'archive',
    problem: `system ${hid} has ${ids.length} archived ${ids.length === 1 ? 'row' : 'rows'} of Plural Star with passwords`,
    fix: (tx) => remove(tx).run({ ids: JSON.stringify(ids) }),
  }))
}

function hasPassword(content: string): boolean {
  try {
    const row: unknown = JSON.parse(content)
    return isObject(row) && PASSWORDS.some((key) => Object.hasOwn(row, key))
  } catch {
    return false
  }
}

const { id, system_id, content } = committedArchive

/** Rows that name such a key anywhere, perhaps in a text. */
const candidates = query((db, { after }: Placeholders<'after'>) =>
  db
    .select({ id, hid: visibleSystems.hid, content })
    .from(committedArchive)
    .innerJoin(visibleSystems, eq(visibleSystems.id, system_id))
    .where(and(gt(id, after), or(...PASSWORDS.map((key) => like(content, `%"${key}"%`)))))
    .orderBy(id)
    .limit(PAGE),
)

const remove = query((db, { ids }: Placeholders<'ids'>, { inJsonNumbers }) =>
  db.delete(importArchive).where(inJsonNumbers(importArchive.id, ids)),
)
