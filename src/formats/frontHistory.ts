import { collectStints } from '../model/fronting/stints'
import { createWalk } from '../model/fronting/walk'
import { formatInstant, type Instant, SECOND } from '../model/time'
import type { Pieces } from './switches'

/** One member's unbroken presence; without an end it lasts. */
export interface Presence {
  member: string
  start: Instant
  end: Instant | null
}

/** A presence with the member's name, as it is written. */
export interface FrontRow {
  start: Instant
  end: Instant | null
  member_id: string
  member: string
}

/** Who was there from when to when, in order of arrival. Takes switches oldest first. */
export async function presencesOf(
  switches: Pieces<readonly { timestamp: Instant; members: readonly string[] }[]>,
): Promise<Presence[]> {
  const stints = collectStints({ before: Infinity, limit: Infinity, isListed: () => true })
  const walk = createWalk({ since: -Infinity, until: Infinity }, [stints])
  for await (const page of switches) for (const shift of page) walk.step(shift)
  walk.finish()
  return stints.stints().map(({ member, from, to }) => ({ member, start: from, end: to }))
}

/** The table in chunks of text. */
export function frontHistoryCsv(rows: Iterable<FrontRow>): Generator<string> {
  return inChunks(csvLines(rows))
}

/**
 * A calendar of presences, in chunks of text. `now` stamps it, and is where a presence that lasts
 * ends for now.
 */
export function frontHistoryIcs(
  rows: Iterable<FrontRow>,
  now: Instant,
  name: string,
): Generator<string> {
  return inChunks(calendarLines(rows, now, name))
}

const LINES = 500

function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  for (const line of lines) {
    chunk.push(`${line}\r\n`)
    if (chunk.length < LINES) continue
    yield chunk.join('')
    chunk = []
  }
  yield chunk.join('')
}

function* csvLines(rows: Iterable<FrontRow>): Generator<string> {
  // Without the mark at the beginning, table programs take UTF-8 for something older.
  yield '\ufeffstart,end,seconds,member_id,member'
  for (const { start, end, member_id, member } of rows)
    yield [
      formatInstant(start),
      end === null ? '' : formatInstant(end),
      end === null ? '' : String((end - start) / SECOND),
      csv(member_id),
      csv(member),
    ].join()
}

function* calendarLines(rows: Iterable<FrontRow>, now: Instant, name: string): Generator<string> {
  const stamp = calendarTime(now)
  yield 'BEGIN:VCALENDAR'
  yield 'VERSION:2.0'
  yield 'PRODID:-//Multitude//Front history//EN'
  yield 'CALSCALE:GREGORIAN'
  yield fold(`X-WR-CALNAME:${calendarText(name)}`)
  const summaries = new Map<string, string>()
  for (const { start, end, member_id, member } of rows) {
    const from = calendarTime(start)
    const to = calendarTime(end ?? now)
    yield 'BEGIN:VEVENT'
    yield `UID:${member_id}-${start}@multitude`
    yield `DTSTAMP:${stamp}`
    yield `DTSTART:${from}`
    // An end must lie behind the start; without one the event is a moment.
    if (to > from) yield `DTEND:${to}`
    // The same few names come thousands of times.
    const summary = summaries.get(member) ?? fold(`SUMMARY:${calendarText(member)}`)
    summaries.set(member, summary)
    yield summary
    yield `STATUS:${end === null ? 'TENTATIVE' : 'CONFIRMED'}`
    yield 'TRANSP:TRANSPARENT'
    yield 'END:VEVENT'
  }
  yield 'END:VCALENDAR'
}

function csv(text: string): string {
  // A table program would compute what begins like this; behind a quote it is words.
  const words = /^\s*[=+\-@]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words
}

/** Whole seconds, which is all the format has. */
function calendarTime(instant: Instant): string {
  return `${formatInstant(instant).slice(0, 19).replace(/[-:]/g, '')}Z`
}

function calendarText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}/gu, '')
}

const MOST_OCTETS = 75

/** Breaks a line that is too long, never inside a character; what follows starts with a space. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= MOST_OCTETS) return line
  let folded = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > MOST_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}
