import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../../db/query'
import { committedArchive } from '../../../db/visible'
import {
  convertibleCollections,
  firstReaderOf,
  isConvertible,
  readSince,
} from '../../../formats/simplyplural/archive'
import { error } from '../../../model/core/errors'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import { recordEvent } from '../../../store/events/recordEvent'
import { requireExists } from '../../../store/systems/deletion'
import { hideCollection } from '../../../store/transfer/archiveDeletion'
import type { Deps } from '../../core/deps'

export interface ArchivedCollection {
  collection: string
  rows: number
  bytes: number
  /** Number of rows that a conversion has not read yet. */
  convertible: number
}

/** Lists the collections of archived rows, in the order of the first import that had them. */
export async function listArchive({ db }: Deps, viewer: Viewer): Promise<ArchivedCollection[]> {
  const systemId = requireSystem(viewer, 'read_journal')
  const found = await collections(db).all({ system: systemId })
  return found.map(({ collection, rows, bytes, unread }) => ({
    collection,
    rows,
    bytes,
    convertible: isConvertible(collection) ? unread : 0,
  }))
}

export type ConvertibleRows = Pick<ArchivedCollection, 'collection' | 'rows'>

/** Rows of a collection that the summary looks at, because it is requested with every visit. */
const MAX_COUNTED = 1001

/**
 * Counts the rows that a conversion has not read yet, by collection; null without archived rows.
 * Unread rows are the oldest ones, so that the first rows of a collection have some if there are any.
 */
export async function summarizeArchive(
  { db }: Deps,
  viewer: Viewer,
): Promise<ConvertibleRows[] | null> {
  const system = requireSystem(viewer, 'read_journal')
  if (!(await anyArchived(db).get({ system }))) return null
  const counts = await Promise.all(
    convertibleCollections.map(async (collection) => {
      const found = await unread(db).get({
        system,
        collection,
        reader: firstReaderOf(collection),
        limit: MAX_COUNTED,
      })
      return { collection, rows: found?.rows ?? 0 }
    }),
  )
  return counts.filter(({ rows }) => rows > 0)
}

export interface ArchivePage {
  /** Rows as JSON. */
  rows: string[]
  /** Position for the next page; null at the end. */
  next: number | null
}

const MAX_PAGE_BYTES = 4 * 1024 * 1024

/** Returns archived rows of a collection, oldest first. A page has at least one row. */
export async function readArchive(
  { db }: Deps,
  viewer: Viewer,
  collection: string,
  { after, limit }: { after: number; limit: number },
): Promise<ArchivePage> {
  const system = requireSystem(viewer, 'read_journal')
  const found = await sizes(db).all({ system, collection, after, limit: limit + 1 })
  if (found.length === 0 && !(await anyRow(db).get({ system, collection })))
    throw error('archiveNotFound')
  let bytes = 0
  const fitting = found.slice(0, limit).filter(({ size }, at) => {
    bytes += size
    return at === 0 || bytes < MAX_PAGE_BYTES
  })
  const last = fitting.at(-1)
  const through = last?.id ?? after
  const rows = last ? await contents(db).all({ system, collection, after, through }) : []
  return {
    rows: rows.map(({ content }) => content),
    next: last && fitting.length < found.length ? last.id : null,
  }
}

/** Deletes a collection of archived rows: hides it at once, and its rows are deleted in batches. */
export async function deleteArchive(deps: Deps, viewer: Viewer, collection: string): Promise<void> {
  const systemId = requireSystem(viewer, 'change')
  await deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    if (!(await hideCollection(tx, systemId, collection))) throw error('archiveNotFound')
    await recordEvent(tx, deps.now(), {
      system_id: systemId,
      type: 'DELETE_ARCHIVE',
      subject: null,
      data: { collection },
    })
  })
}

const { id, system_id, content } = committedArchive

const collections = query((db, { system }: Placeholders<'system'>, { count, number, size }) => {
  const later = Object.entries(readSince).map(
    ([name, version]) => sql`when ${committedArchive.collection} = ${name} then ${version}`,
  )
  const firstReader = sql`case ${sql.join(later, sql` `)} else 1 end`
  const unread = sql`case when ${committedArchive.reader} < ${firstReader} then 1 else 0 end`
  return db
    .select({
      collection: committedArchive.collection,
      rows: count().as('rows'),
      bytes: sql<number>`sum(${size(content)})`.as('bytes'),
      unread: sql<number>`${number(sql`sum(${unread})`)}`.as('unread'),
    })
    .from(committedArchive)
    .where(eq(system_id, system))
    .groupBy(committedArchive.collection)
    .orderBy(sql`min(${id})`)
})

const ofCollection = ({ system, collection }: Placeholders<'system' | 'collection'>) =>
  // The condition of the index.
  and(eq(system_id, system), eq(committedArchive.collection, collection), sql`${id} > 0`)

/** Sizes of rows after a row, which decide where the page ends. */
const sizes = query(
  (db, values: Placeholders<'system' | 'collection' | 'after' | 'limit'>, { size }) =>
    db
      .select({ id, size: sql<number>`${size(content)}`.as('size') })
      .from(committedArchive)
      .where(and(ofCollection(values), gt(id, values.after)))
      .orderBy(asc(id))
      .limit(values.limit),
)

const anyRow = query((db, values: Placeholders<'system' | 'collection'>) =>
  db.select({ id }).from(committedArchive).where(ofCollection(values)).limit(1),
)

const anyArchived = query((db, { system }: Placeholders<'system'>) =>
  db.select({ id }).from(committedArchive).where(eq(system_id, system)).limit(1),
)

/** Number of unread rows among the first ones of a collection. */
const unread = query(
  (db, values: Placeholders<'system' | 'collection' | 'reader' | 'limit'>, { count }) => {
    const first = db
      .select({ reader: committedArchive.reader })
      .from(committedArchive)
      .where(ofCollection(values))
      .orderBy(asc(id))
      .limit(values.limit)
      .as('first_rows')
    return db
      .select({ rows: count().as('rows') })
      .from(first)
      .where(lt(first.reader, values.reader))
  },
)

const contents = query((db, values: Placeholders<'system' | 'collection' | 'after' | 'through'>) =>
  db
    .select({ content })
    .from(committedArchive)
    .where(and(ofCollection(values), sql`${id} > ${values.after} and ${id} <= ${values.through}`))
    .orderBy(asc(id)),
)
