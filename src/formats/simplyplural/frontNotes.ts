import type { Instant } from '../../model/core/time'
import { isObject } from '../../model/core/validation'
import { frontNote } from '../../model/front/frontNote'
import { MAX_STATUS } from '../../model/front/frontNoteSize'
import type { Subject } from '../bundle'
import { textOf } from '../repair'
import type { ReadContext } from './readContext'
import { type AppRow, createdAt, hasId, timeOf } from './rows'

/** Adds status texts and comments. Rows of fronts that were not imported are archived. */
export function readFrontNotes(context: ReadContext, fronts: readonly AppRow[]): void {
  const notes = new FrontNotes(context, fronts)
  const spans = new Map<string, Span>()
  const commented = Map.groupBy(context.rows('comments'), ({ documentId }) => documentId)
  for (const row of fronts) {
    const span = spanOf(row, context)
    if (span) spans.set(row._id, span)
    const comments = commentsIn(row)
    const hasText = textOf(row.customStatus) !== undefined || comments.length > 0
    if (!span) {
      if (hasText || commented.has(row._id)) context.archiveRest('frontHistory', row, null)
      continue
    }
    notes.addStatus(row, span)
    const read = comments.filter((comment) => notes.addComment(comment, 'frontHistory', span))
    const areRead = read.length === sizeOf(row.comments)
    context.archiveRest('frontHistory', row, areRead ? [...importedKeys, 'comments'] : importedKeys)
  }
  for (const row of context.rows('comments')) {
    const span = spans.get(textOf(row.documentId) ?? '')
    const isRead = span !== undefined && notes.addComment(row, 'comments', span)
    context.archiveRest('comments', row, isRead ? commentKeys : null)
  }
}

const importedKeys = ['custom', 'live', 'startTime', 'endTime', 'member', 'customStatus']
const commentKeys = ['documentId', 'collection', 'text', 'time']

/** Time of a front and the key of its fronter. */
interface Span {
  member: string
  start: Instant
  end: Instant
}

function spanOf(row: AppRow, context: ReadContext): Span | null {
  const member = context.memberKeys.get(textOf(row.member) ?? '')
  const start = timeOf(row.startTime)
  const isOpen = row.live === true || !row.endTime
  const end = isOpen ? Infinity : timeOf(row.endTime)
  if (member === undefined || start === null || end === null || start === end) return null
  return { member, start: Math.min(start, end), end: Math.max(start, end) }
}

/** Returns the comments inside a row, which the oldest files have. */
function commentsIn({ _id, comments }: AppRow): AppRow[] {
  const list = Array.isArray(comments)
    ? comments
    : isObject(comments)
      ? Object.values(comments)
      : []
  return list.flatMap((comment, index) =>
    isObject(comment) ? [hasId(comment) ? comment : { ...comment, _id: `${_id}#${index}` }] : [],
  )
}

/** Number of elements of a list or object; other values count as one. */
function sizeOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  return typeof value === 'object' ? Object.keys(value).length : 1
}

class FrontNotes {
  /** IDs of fronts and of the comments inside them, which share one collection. */
  readonly #ids: Set<string>
  /** Members and times that have a status: there is one of each at a time. */
  readonly #statuses = new Set<string>()

  constructor(
    readonly context: ReadContext,
    fronts: readonly AppRow[],
  ) {
    this.#ids = new Set(fronts.map(({ _id }) => _id))
  }

  addStatus(row: AppRow, { member, start }: Span): void {
    const text = textOf(row.customStatus)
    if (text === undefined) return
    const name = `${member} ${start}`
    const isFirst = !this.#statuses.has(name)
    this.#statuses.add(name)
    const isStatus = isFirst && text.length <= MAX_STATUS
    this.#add(row._id, 'frontHistory', text, member, isStatus ? 'status' : 'comment', start, start)
  }

  /** Returns false if the comment has no text, or the ID of another one. */
  addComment(row: AppRow, collection: 'comments' | 'frontHistory', span: Span): boolean {
    const text = textOf(row.text)
    if (text === undefined || (collection === 'frontHistory' && this.#ids.has(row._id)))
      return false
    if (collection === 'frontHistory') this.#ids.add(row._id)
    const time = timeOf(row.time)
    const isInside = time !== null && time >= span.start && time <= span.end
    const at = isInside ? time : span.start
    this.#add(row._id, collection, text, span.member, 'comment', at, time ?? createdAt(row, at))
    return true
  }

  #add(
    id: string,
    collection: 'comments' | 'frontHistory',
    text: string,
    member: string,
    kind: 'status' | 'comment',
    at: Instant,
    created: Instant | null,
  ): void {
    const subject: Subject = { kind: 'front_note', name: this.context.names.get(member) ?? null }
    const refs = { member, by: null }
    const values = { kind, at, created }
    this.context.add(
      'front_notes',
      frontNote,
      { collection, id },
      { text },
      { subject, refs, values },
    )
  }
}
