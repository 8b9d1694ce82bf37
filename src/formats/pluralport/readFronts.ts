import type { JsonObject } from '../../model/core/entity'
import { formatInstant, parseInstant } from '../../model/core/time'
import { isObject } from '../../model/core/validation'
import { MAX_STATUS } from '../../model/front/frontNoteSize'
import { readRef, textOf } from '../repair'
import { readPresences, toSwitches } from '../simplyplural/fronts'
import { type Entry, isBlank, objectsIn, readKeys } from './entry'
import type { ReadContext } from './readContext'
import { commentRecord } from './records'
import { restoredRow } from './recordType'

/** Switches and front notes in the form of our own exports. */
export interface Fronts {
  switches: JsonObject[]
  /** Switches with their UUIDs, if we wrote the file. */
  uuids: JsonObject[]
  notes: JsonObject[]
}

/** Converts events, or periods if there are none, and the texts about them. */
export function readFronts(context: ReadContext): Fronts {
  const events = context.entries('front_events', 'switches')
  const periods = context.entries('front_periods', 'switches')
  const notes = new FrontNotes(context)
  for (const event of events) notes.addFront(event, 'front_events', 'at', eventKeys)
  for (const period of periods) notes.addFront(period, 'front_periods', 'started_at', periodKeys)
  const membersOfPeriods = new Map(
    periods.map(({ id, record }) => [id, objectsIn(record.assignments)]),
  )
  for (const comment of context.entries('front_comments', 'front_notes'))
    notes.addComment(comment, membersOfPeriods)
  return {
    switches:
      events.length > 0
        ? events.map(({ record }) => switchOf(record, context))
        : switchesOf(periods, context),
    uuids: context.own ? events.map(({ record, uuid }) => ({ timestamp: record.at, uuid })) : [],
    notes: notes.inOrder(),
  }
}

const eventKeys = ['at', 'assignments', 'note']
const periodKeys = ['started_at', 'ended_at', 'assignments', 'note', 'status']

function switchOf({ at, assignments }: JsonObject, context: ReadContext): JsonObject {
  return {
    timestamp: at,
    members: Array.isArray(assignments)
      ? inOrder(assignments).map(({ member_id }) => context.memberRef(member_id))
      : null,
  }
}

/** Puts the primary fronter first, because autoproxy uses the first one. */
function inOrder(assignments: unknown): JsonObject[] {
  const rank = ({ front_role }: JsonObject) => (front_role === 'primary' ? 0 : 1)
  return objectsIn(assignments).toSorted((a, b) => rank(a) - rank(b))
}

/** Converts periods, which may overlap, by the rule for presences. */
function switchesOf(periods: readonly Entry[], context: ReadContext): JsonObject[] {
  const rows = periods.flatMap(({ record, id }) =>
    inOrder(record.assignments).map(({ member_id }) => ({
      _id: id,
      member: member_id,
      startTime: record.started_at,
      endTime: record.ended_at,
    })),
  )
  const presences = readPresences(rows, context.idsOf('members'), context.log)
  return toSwitches(presences, context.log).map(({ timestamp, members }) => ({
    timestamp: formatInstant(timestamp),
    members,
  }))
}

/** Roles that mean nothing but being in front. */
const plainRoles: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  'primary',
  'co_front',
  'member',
  'custom_status',
  'unknown',
])

class FrontNotes {
  readonly #rows: JsonObject[] = []
  /** Places of our own rows among those of the same moment. */
  readonly #places = new Map<JsonObject, number>()
  /** Statuses by member and time, and comments; files that have events and periods repeat them. */
  readonly #texts = new Map<string, unknown>()

  constructor(readonly context: ReadContext) {
    const statusesAt = new Map<unknown, number>()
    for (const row of objectsIn(ownFrontNotes(context))) {
      const place = statusesAt.get(row.at) ?? 0
      statusesAt.set(row.at, place + 1)
      this.#places.set(row, place)
      this.#rows.push(row)
      if (row.kind === 'status') this.#texts.set(`${row.member} ${row.at}`, row.text)
    }
  }

  /** Returns all rows; those of the same moment are in the order of the export. */
  inOrder(): JsonObject[] {
    const place = (row: JsonObject) => this.#places.get(row) ?? Number.MAX_SAFE_INTEGER
    return this.#rows.toSorted((a, b) => place(a) - place(b))
  }

  /** Adds the texts of an event or a period, and archives what has no counterpart. */
  addFront(
    entry: Entry,
    collection: string,
    timeKey: 'at' | 'started_at',
    imported: readonly string[],
  ): void {
    const { record, id } = entry
    const time = textOf(record[timeKey])
    const instant = time === undefined ? null : parseInstant(time)
    const fronters = objectsIn(record.assignments)
    if (instant === null) {
      this.context.archiveRest(collection, entry, null)
      return
    }
    const at = formatInstant(instant)
    let number = 0
    const add = (text: string, member: string | null, isStatus: boolean) =>
      this.#add({ collection, id: `${id}#${number++}`, record }, text, member, at, isStatus)
    const unread: JsonObject[] = []
    for (const { member_id, front_role, note, source_refs: _, ...rest } of fronters) {
      const member = this.context.find('members', member_id)
      const noteText = textOf(note)
      const ofPeriod = textOf(record.status)
      if (member !== null && noteText !== undefined) add(noteText, member, true)
      if (member !== null && ofPeriod !== undefined) add(ofPeriod, member, true)
      const kept = Object.entries({
        ...rest,
        ...(!plainRoles.has(front_role) && { front_role }),
        ...(member === null && { note }),
      }).filter(([, value]) => !isBlank(value))
      if (kept.length > 0) unread.push({ member_id, ...Object.fromEntries(kept) })
    }
    const whole = textOf(record.note)
    const only = fronters.length === 1 ? this.context.find('members', fronters[0]?.member_id) : null
    if (whole !== undefined) add(whole, only, false)
    const assignments = unread.length > 0 ? unread : undefined
    const read = assignments ? imported.filter((key) => key !== 'assignments') : imported
    this.context.archiveRest(collection, { ...entry, record: { ...record, assignments } }, read)
  }

  addComment(entry: Entry, periods: ReadonlyMap<string, readonly JsonObject[]>): void {
    const { record, uuid, own } = entry
    const subject = { kind: 'front_note', name: null } as const
    const read = commentRecord.read(record, this.context.refs(subject))
    const fronters = periods.get(readRef(record.front_period_id) ?? '')
    const about =
      fronters?.length === 1 ? this.context.find('members', fronters[0]?.member_id) : null
    const restored = restoredRow({ ...read, ...(about && { member: about }) }, own)
    const { statuses_before, ...row }: JsonObject = restored
    if (typeof row.text !== 'string' || parseInstant(String(row.at)) === null) {
      this.context.archiveRest('front_comments', entry, null)
      return
    }
    const comment = { ...row, id: uuid }
    this.#rows.push(comment)
    const before = Number.isSafeInteger(statuses_before) ? Number(statuses_before) : 0
    // Between two statuses, whose places are whole numbers.
    if (own) this.#places.set(comment, before - 0.5)
    this.context.archiveRest('front_comments', entry, readKeys(commentRecord, entry, row))
  }

  #add(
    source: { collection: string; id: string; record: JsonObject },
    text: string,
    member: string | null,
    at: string,
    isStatus: boolean,
  ): void {
    const status = `${member} ${at}`
    const comment = JSON.stringify([member, at, text])
    if (this.#texts.get(status) === text || this.#texts.has(comment)) return
    const isFirst = isStatus && text.length <= MAX_STATUS && !this.#texts.has(status)
    this.#texts.set(isFirst ? status : comment, text)
    const { source_refs: _, ...record } = source.record
    const id = this.context.newUuid(source.collection, source.id, record)
    this.#rows.push({ id, kind: isFirst ? 'status' : 'comment', member, at, text, created: at })
  }
}

function ownFrontNotes({ own }: ReadContext): unknown {
  return isObject(own?.ext) ? own.ext.front_notes : null
}
