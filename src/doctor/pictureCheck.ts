import { and, eq, gt, isNotNull, lt, ne, sql } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPages } from '../db/readPages'
import { pictures } from '../db/tables'
import type { Db } from '../db/types'
import { DAY, formatInstant } from '../model/core/time'
import { findUsedPictures } from '../store/pictures/pictureUse'

/** Finds pictures that the cleanup should have deleted, and those of a size other than recorded. */
export async function findWrongPictures(db: Db): Promise<Finding[]> {
  return [...(await findOrphans(db)), ...(await findWrongSizes(db))]
}

/** The cleanup runs every hour and deletes what has been unused for a day. */
const OVERDUE = 2 * DAY

async function findOrphans(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  const before = Date.now() * 1000 - OVERDUE
  const pages = readPages(
    '',
    (after) => longUnused(db).all({ before, after }),
    ({ name }) => name,
  )
  for await (const page of pages)
    for (const [system, rows] of Map.groupBy(page, ({ system_id }) => system_id)) {
      const used = await findUsedPictures(db, system)
      for (const { name, unused_since } of rows) {
        if (used.has(name)) continue
        findings.push({
          check: 'pictures',
          problem: `picture ${name} is orphaned: no URL names it since ${formatInstant(unused_since ?? 0)}`,
          fix: (tx) => deletePicture(tx).run({ name }),
        })
      }
    }
  return findings
}

async function findWrongSizes(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  const pages = readPages(
    '',
    (after) => wronglySized(db).all({ after }),
    ({ name }) => name,
  )
  for await (const page of pages)
    for (const { name, size, stored } of page)
      findings.push({
        check: 'pictures',
        problem: `picture ${name} has a size of ${size} bytes, but ${stored} characters of base64`,
        fix: (tx) => fixSize(tx, name),
      })
  return findings
}

async function fixSize(tx: Db, name: string): Promise<void> {
  const row = await bytesOf(tx).get({ name })
  const size = Buffer.from(row?.bytes ?? '', 'base64').byteLength
  await setSize(tx).run({ name, size })
}

const { name, system_id, size, unused_since, bytes } = pictures

const longUnused = query((db, values: Placeholders<'before' | 'after'>) =>
  db
    .select({ name, system_id, unused_since })
    .from(pictures)
    .where(and(isNotNull(unused_since), lt(unused_since, values.before), gt(name, values.after)))
    .orderBy(name)
    .limit(PAGE),
)

/** Base64 has four characters for each three bytes, padded. */
const wronglySized = query((db, { after }: Placeholders<'after'>, dialect) => {
  const stored = sql<number>`${dialect.size(bytes)}`
  return db
    .select({ name, size, stored: stored.as('stored') })
    .from(pictures)
    .where(and(gt(name, after), ne(stored, sql`4 * (${dialect.floorDiv(sql`(${size} + 2)`, 3)})`)))
    .orderBy(name)
    .limit(PAGE)
})

const bytesOf = query((db, values: Placeholders<'name'>) =>
  db.select({ bytes }).from(pictures).where(eq(name, values.name)),
)

const setSize = query((db, values: Placeholders<'name' | 'size'>) =>
  db
    .update(pictures)
    .set({ size: sql`${values.size}` })
    .where(eq(name, values.name)),
)

const deletePicture = query((db, values: Placeholders<'name'>) =>
  db.delete(pictures).where(eq(name, values.name)),
)
