import { sql } from 'drizzle-orm'
import type { Placeholders } from '../../db/query'
import { notes } from '../../db/tables'
import { visibleNotes } from '../../db/visible'
import { createYielder } from '../../db/yieldToEventLoop'
import { note, validateNote } from '../../model/ext/note'
import { type Redacted, requireSystem, type Viewer } from '../../model/privacy'
import type { Deps } from '../deps'
import { memberRepository } from '../members'
import { author } from './memberReference'
import { createOwnedRows, type OwnedRow, type PageRequest } from './ownedRows'

const rows = createOwnedRows<typeof note>({
  entity: note,
  table: notes,
  rows: visibleNotes,
  references: { member: author('member_id') },
  order: 'date',
  missing: 'noteNotFound',
  events: { created: 'CREATE_NOTE', changed: 'UPDATE_NOTE', removed: 'DELETE_NOTE' },
  limit: { counter: 'notes' },
  timeKeys: ['date', 'created'],
  editedKeys: ['title', 'text'],
  validate: validateNote,
  eventData: ({ member }) => ({ member }),
})

export const { getOwn: getNote, create: createNote, patch: patchNote, delete: deleteNote } = rows

export interface NoteFilter {
  /** Reference of the member whose notes are listed; null for all. */
  readonly member: string | null
  /** Text that the title or the text contains; null for all. */
  readonly search: string | null
}

/** Notes read at once during a search: each may have 100,000 characters. */
const SEARCH_BATCH = 50

/** Lists notes of the caller's system, newest first. */
export async function listNotes(
  deps: Deps,
  viewer: Viewer,
  { member, search }: NoteFilter,
  page: PageRequest,
  signal: AbortSignal,
): Promise<Redacted<typeof note>[]> {
  const systemId = requireSystem(viewer, 'read_journal')
  const [of] = member === null ? [] : await memberRepository.getOwnAll(deps.db, systemId, [member])
  const values = await rows.pageValues(deps.db, systemId, page)
  const list = (limit: number, from: { before: number; beforeId: number }) =>
    of
      ? pageOfMember(deps.db).all({ ...values, ...from, limit, member: of.id })
      : pageOfAll(deps.db).all({ ...values, ...from, limit })
  if (search === null) return (await list(page.limit, values)).map(rows.redactForOwner)
  const isFound = createMatcher(search)
  const yieldIfDue = createYielder(undefined, signal)
  const found: OwnedRow<typeof note>[] = []
  for (let from = values; found.length < page.limit; ) {
    const batch = await list(SEARCH_BATCH, from)
    for (const row of batch) {
      if (isFound(row.title) || isFound(row.text)) found.push(row)
      await yieldIfDue()
    }
    const last = batch.at(-1)
    if (!last || batch.length < SEARCH_BATCH) break
    from = { ...values, before: last.date ?? 0, beforeId: last.id }
  }
  return found.slice(0, page.limit).map(rows.redactForOwner)
}

/** Compares without regard to case and to the composition of characters. */
function createMatcher(search: string): (text: string | null) => boolean {
  const fold = (text: string) => text.normalize('NFC').toLowerCase()
  const wanted = fold(search)
  return (text) => text !== null && fold(text).includes(wanted)
}

const pageOfAll = rows.selectPage()
const pageOfMember = rows.selectPage(
  ({ member }: Placeholders<'member'>, column) => sql`${column('member_id')} = ${member}`,
)
