import { BYTE_ORDER_MARK, csvLine } from '../model/core/csv'
import { DAY, formatInstant, type Instant, SECOND } from '../model/core/time'
import { createReplay } from '../model/insights/replay'
import { collectStints } from '../model/insights/stints'
import type { Pieces } from './switches'

/** Time that a member fronts without a break; `end` is null while it continues. */
export interface Presence {
  member: string
  start: Instant
  end: Instant | null
}

/** A presence with the member's name, as written to the file. */
export interface FrontRow {
  start: Instant
  end: Instant | null
  member_id: string
  member: string
}

/** Converts switches, oldest first, to presences in order of their start. */
export async function presencesOf(
  switches: Pieces<readonly { timestamp: Instant; members: readonly string[] }[]>,
): Promise<Presence[]> {
  const stints = collectStints({ before: Infinity, limit: Infinity, isListed: () => true })
  const replay = createReplay({ since: -Infinity, until: Infinity }, [stints])
  for await (const page of switches) for (const point of page) replay.step(point)
  replay.finish()
  return stints.stints().map(({ member, from, to }) => ({ member, start: from, end: to }))
}

/** Generates the CSV table in chunks of text. */
export function frontHistoryCsv(rows: Iterable<FrontRow>): Generator<string> {
  return inChunks(csvLines(rows))
}

/**
 * Generates a calendar of presences in chunks of text. `now` is its timestamp and the provisional
 * end of presences that continue.
 */
export function frontHistoryIcs(
  rows: Iterable<FrontRow>,
  now: Instant,
  name: string,
): Generator<string> {
  return inChunks(calendarParts(rows, createCalendar(now, name)))
}

/** Calendar that is rendered event by event. */
export interface Calendar {
  readonly head: string
  event(row: FrontRow): string
  readonly foot: string
}

export function createCalendar(now: Instant, name: string): Calendar {
  const formatTime = createTimeFormat()
  const stamped = `@multitude\r\nDTSTAMP:${formatTime(now)}\r\nDTSTART:`
  // Cached, because the same few members occur thousands of times.
  const cache = new Map<string, ReturnType<typeof formatMember>>()
  const addToCache = (id: string, title: string) => {
    const formatted = formatMember(id, title)
    cache.set(id, formatted)
    return formatted
  }
  return {
    head: [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Multitude//Front history//EN',
      'CALSCALE:GREGORIAN',
      fold(`X-WR-CALNAME:${calendarText(name)}`),
      '',
    ].join('\r\n'),

    event({ start, end, member_id, member }) {
      const { before, ended, ongoing } = cache.get(member_id) ?? addToCache(member_id, member)
      const until = end ?? now
      // DTEND must be later than DTSTART; an event without DTEND has no duration.
      const isMoment = Math.floor(until / SECOND) <= Math.floor(start / SECOND)
      const ending = isMoment ? '' : `\r\nDTEND:${formatTime(until)}`
      return `${before}${start}${stamped}${formatTime(start)}${ending}${end === null ? ongoing : ended}`
    },

    foot: 'END:VCALENDAR\r\n',
  }
}

/** Returns the text before and after the times, which all events of a member share. */
function formatMember(id: string, title: string) {
  const after = (status: string) =>
    [
      '',
      fold(`SUMMARY:${calendarText(title)}`),
      `STATUS:${status}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      '',
    ].join('\r\n')
  return {
    before: `BEGIN:VEVENT\r\nUID:${id}-`,
    ended: after('CONFIRMED'),
    ongoing: after('TENTATIVE'),
  }
}

const PARTS_PER_CHUNK = 100

function* inChunks(parts: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  for (const part of parts) {
    chunk.push(part)
    if (chunk.length < PARTS_PER_CHUNK) continue
    yield chunk.join('')
    chunk = []
  }
  yield chunk.join('')
}

function* csvLines(rows: Iterable<FrontRow>): Generator<string> {
  yield BYTE_ORDER_MARK + csvLine(['start', 'end', 'seconds', 'member_id', 'member'])
  for (const { start, end, member_id, member } of rows)
    yield csvLine([
      formatInstant(start),
      end === null ? '' : formatInstant(end),
      end === null ? '' : (end - start) / SECOND,
      member_id,
      member,
    ])
}

function* calendarParts(rows: Iterable<FrontRow>, calendar: Calendar): Generator<string> {
  yield calendar.head
  for (const row of rows) yield calendar.event(row)
  yield calendar.foot
}

/**
 * Formats times in whole seconds, because the format has no fractions. Consecutive times mostly
 * share their date, so the formatted date is cached.
 */
function createTimeFormat(): (at: Instant) => string {
  const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
  let day = Number.NaN
  let date = ''
  return (at) => {
    const today = Math.floor(at / DAY)
    if (today !== day)
      date = formatInstant(today * DAY)
        .slice(0, 11)
        .replaceAll('-', '')
    day = today
    const seconds = Math.floor((at - today * DAY) / SECOND)
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    return `${date}${digits[hours]}${digits[minutes - hours * 60]}${digits[seconds - minutes * 60]}Z`
  }
}

function calendarText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}/gu, '')
}

const MAX_OCTETS = 75

/** Folds a long line, never inside a character. Continuation lines start with a space. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= MAX_OCTETS) return line
  let folded = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}
