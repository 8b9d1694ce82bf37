import {
  converterVersionOf,
  converterVersions,
  convertibleCollections,
  isConvertible,
} from '../../../formats/simplyplural/archive'
import { error } from '../../../model/core/errors'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import { recordEvent } from '../../../store/events/recordEvent'
import { requireExists } from '../../../store/systems/deletion'
import { hideCollection } from '../../../store/transfer/archiveDeletion'
import {
  countConvertible,
  createCollectionList,
  hasArchive,
  hasCollection,
  listArchivedContents,
  listArchivedSizes,
} from '../../../store/transfer/archiveRows'
import type { Deps } from '../../core/deps'

const listCollections = createCollectionList(converterVersions)

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
  const collections = await listCollections(db, systemId)
  return collections.map(({ collection, rows, bytes, convertible }) => ({
    collection,
    rows,
    bytes,
    convertible: isConvertible(collection) ? convertible : 0,
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
  const systemId = requireSystem(viewer, 'read_journal')
  if (!(await hasArchive(db, systemId))) return null
  const counts = await Promise.all(
    convertibleCollections.map(async (collection) => {
      const reader = converterVersionOf(collection)
      const limit = MAX_COUNTED
      return {
        collection,
        rows: await countConvertible(db, systemId, { collection, reader, limit }),
      }
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
  const systemId = requireSystem(viewer, 'read_journal')
  const sizes = await listArchivedSizes(db, systemId, { collection, after, limit: limit + 1 })
  if (sizes.length === 0 && !(await hasCollection(db, systemId, collection)))
    throw error('archiveNotFound')
  let bytes = 0
  const fitting = sizes.slice(0, limit).filter(({ size }, index) => {
    bytes += size
    return index === 0 || bytes < MAX_PAGE_BYTES
  })
  const last = fitting.at(-1)
  return {
    rows: last
      ? await listArchivedContents(db, systemId, { collection, after, through: last.id })
      : [],
    next: last && fitting.length < sizes.length ? last.id : null,
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
