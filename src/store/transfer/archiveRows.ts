import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { committedArchive } from '../../db/visible'

export interface CollectionRow {
  collection: string
  rows: number
  bytes: number
  /** Number of rows that no version which can read them has left. */
  convertible: number
}

/**
 * Builds a function that lists the collections of a system, in the order of the first import that
 * had them. It is given the collections that only later versions read, with the first one.
 */
export function createCollectionList(converterVersions: Readonly<Record<string, number>>) {
  const rows = query((db, { system }: Placeholders<'system'>, { count, number, size }) => {
    const later = Object.entries(converterVersions).map(
      ([name, version]) => sql`when ${committedArchive.collection} = ${name} then ${version}`,
    )
    const version = sql`case ${sql.join(later, sql` `)} else 1 end`
    const convertible = sql`case when ${committedArchive.reader} < ${version} then 1 else 0 end`
    return db
      .select({
        collection: committedArchive.collection,
        rows: count().as('rows'),
        bytes: sql<number>`sum(${size(content)})`.as('bytes'),
        convertible: sql<number>`${number(sql`sum(${convertible})`)}`.as('convertible'),
      })
      .from(committedArchive)
      .where(eq(system_id, system))
      .groupBy(committedArchive.collection)
      .orderBy(sql`min(${id})`)
  })
  return async (db: Db, systemId: number): Promise<CollectionRow[]> =>
    await rows(db).all({ system: systemId })
}

export async function hasArchive(db: Db, systemId: number): Promise<boolean> {
  return (await anyArchived(db).get({ system: systemId })) !== null
}

export async function hasCollection(
  db: Db,
  systemId: number,
  collection: string,
): Promise<boolean> {
  return (await anyRow(db).get({ system: systemId, collection })) !== null
}

/** Counts the rows that an older version left, among the first ones of a collection. */
export async function countConvertible(
  db: Db,
  systemId: number,
  { collection, reader, limit }: { collection: string; reader: number; limit: number },
): Promise<number> {
  return (await convertible(db).get({ system: systemId, collection, reader, limit }))?.rows ?? 0
}

/** Lists the sizes of rows after a row, which decide where the page ends. */
export async function listArchivedSizes(
  db: Db,
  systemId: number,
  page: { collection: string; after: number; limit: number },
): Promise<{ id: number; size: number }[]> {
  return await sizes(db).all({ system: systemId, ...page })
}

/** Lists the contents of the rows after one, through another. */
export async function listArchivedContents(
  db: Db,
  systemId: number,
  span: { collection: string; after: number; through: number },
): Promise<string[]> {
  return (await contents(db).all({ system: systemId, ...span })).map(({ content }) => content)
}

const { id, system_id, content } = committedArchive

const ofCollection = ({ system, collection }: Placeholders<'system' | 'collection'>) =>
  // The condition of the index.
  and(eq(system_id, system), eq(committedArchive.collection, collection), sql`${id} > 0`)

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

const convertible = query(
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
