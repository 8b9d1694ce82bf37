import type { Db, MaybePromise } from '../../db/types'
import { createYielder } from '../../db/yieldToEventLoop'
import type { PageRequest } from '../../model/core/listPage'
import { type Redacted, requireSystem, type Viewer } from '../../model/core/privacy'
import type { NoteDraft, NotePatch, note } from '../../model/journal/note'
import { getOwnEntities } from '../../store/core/entityRows'
import { type PageValues, pageValues, type RowSize } from '../../store/core/ownedRows'
import { noteKind } from '../../store/journal/noteKind'
import {
  listNoteExcerpts,
  listNoteSizes,
  listNoteTexts,
  type NoteRow,
} from '../../store/journal/noteRows'
import { memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { changeOwned, createOwned, deleteOwned, getOwned, redactForOwner } from '../core/ownedRows'

export function getNote(deps: Deps, viewer: Viewer, uuid: string): Promise<Redacted<typeof note>> {
  return getOwned(deps, viewer, noteKind, uuid)
}

export function createNote(
  deps: Deps,
  viewer: Viewer,
  draft: NoteDraft,
): Promise<Redacted<typeof note>> {
  return createOwned(deps, viewer, noteKind, draft)
}

export function patchNote(
  deps: Deps,
  viewer: Viewer,
  uuid: string,
  patch: NotePatch,
): Promise<Redacted<typeof note>> {
  return changeOwned(deps, viewer, noteKind, uuid, patch)
}

export function deleteNote(deps: Deps, viewer: Viewer, uuid: string): Promise<void> {
  return deleteOwned(deps, viewer, noteKind, uuid)
}

export interface NoteFilter {
  /** Reference of the member whose notes are listed; null for all. */
  readonly member: string | null
  /** Text that the title or the text contains; null for all. */
  readonly search: string | null
}

/** Size of the texts that are read at once, and up to which a search waits in no queue. */
export const BATCH_BYTES = 1024 * 1024

/** Notes whose sizes are read at once. */
const MAX_SIZES = 1000

/** Lists notes of the caller's system, newest first, with only the beginning of their texts. */
export async function listNotes(
  deps: Deps,
  viewer: Viewer,
  { member, search }: NoteFilter,
  page: PageRequest,
  client: WaitingClient = noConnection,
): Promise<Redacted<typeof note>[]> {
  const { db, snapshot, longReads } = deps
  const systemId = requireSystem(viewer, 'read_journal')
  const [of] = member === null ? [] : await getOwnEntities(db, memberRowKind, systemId, [member])
  const begin = await pageValues(db, noteKind, systemId, page)
  const listSizes: ListSizes = (db, from, limit) =>
    listNoteSizes(db, of?.id ?? null, { ...begin, ...from, limit })
  const yieldIfDue = createYielder(undefined, client.signal)
  const find = (db: Db) => findNotes(db, listSizes, begin, search, yieldIfDue)
  const isShort = search === null || isFewAndShort(await listSizes(db, begin, MAX_SIZES))
  const rows = isShort
    ? await find(db)
    : await longReads({ systemId, isOwn: true, ...client }, () => snapshot(find))
  return rows.map((row) => redactForOwner(noteKind, row))
}

/** Position in a list of notes. */
type Position = Pick<PageValues, 'before' | 'beforeId'>

type ListSizes = (db: Db, from: Position, limit: number) => MaybePromise<RowSize[]>

function isFewAndShort(sizes: readonly RowSize[]): boolean {
  return sizes.length < MAX_SIZES && sizes.reduce((sum, { size }) => sum + size, 0) <= BATCH_BYTES
}

/** Finds notes that contain a text, or lists them if it is null. */
async function findNotes(
  db: Db,
  listSizes: ListSizes,
  { limit, ...begin }: Position & { readonly limit: number },
  search: string | null,
  yieldIfDue: () => Promise<unknown>,
): Promise<NoteRow[]> {
  const foundRows: NoteRow[] = []
  const isFound = search === null ? null : createMatcher(search)
  for await (const batch of readBatches(db, listSizes, begin, isFound ? MAX_SIZES : limit)) {
    const ids: number[] = []
    if (isFound)
      for (const { id, title, text } of await listNoteTexts(db, batch)) {
        if (isFound(title) || isFound(text)) ids.push(id)
        await yieldIfDue()
      }
    foundRows.push(...(await listNoteExcerpts(db, isFound ? ids : batch)))
    if (foundRows.length >= limit) break
    await yieldIfDue()
  }
  return foundRows.slice(0, limit)
}

/** Lists the row IDs of notes in batches by the size of their texts. */
async function* readBatches(
  db: Db,
  listSizes: ListSizes,
  begin: Position,
  pageSize: number,
): AsyncGenerator<number[]> {
  for (let from: Position | null = begin; from; ) {
    const sizes: RowSize[] = await listSizes(db, from, pageSize)
    let batch: number[] = []
    let bytes = 0
    for (const { id, size } of sizes) {
      if (batch.length > 0 && bytes + size > BATCH_BYTES) {
        yield batch
        batch = []
        bytes = 0
      }
      batch.push(id)
      bytes += size
    }
    if (batch.length > 0) yield batch
    const last = sizes.at(-1)
    from = last && sizes.length === pageSize ? { before: last.time, beforeId: last.id } : null
  }
}

/** Compares without regard to case and to the composition of characters. */
function createMatcher(search: string): (text: string | null) => boolean {
  const fold = (text: string) => text.normalize('NFC').toLowerCase()
  const wanted = fold(search)
  return (text) => text !== null && fold(text).includes(wanted)
}
