import { CSV_MARK, csvLine } from '../model/csv'
import { createReplay } from '../model/fronting/replay'
import { collectStints } from '../model/fronting/stints'
import { DAY, formatInstant, type Instant, SECOND } from '../model/time'
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
  const walk = createReplay({ since: -Infinity, until: Infinity }, [stints])
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
  return inChunks(calendarParts(rows, createCalendar(now, name)))
}

/** A calendar whose events come one by one. */
export interface Calendar {
  readonly head: string
  event(row: FrontRow): string
  readonly foot: string
}

export function createCalendar(now: Instant, name: string): Calendar {
  const spell = createTimeFormatter()
  const stamped = `@multitude\r\nDTSTAMP:${spell(now)}\r\nDTSTART:`
  // The same few members come thousands of times.
  const known = new Map<string, ReturnType<typeof formatMember>>()
  const learn = (id: string, title: string) => {
    const spelled = formatMember(id, title)
    known.set(id, spelled)
    return spelled
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
      const { before, over, lasting } = known.get(member_id) ?? learn(member_id, member)
      const until = end ?? now
      // An end must lie behind the start; without one the event is a moment.
      const isMoment = Math.floor(until / SECOND) <= Math.floor(start / SECOND)
      const ending = isMoment ? '' : `\r\nDTEND:${spell(until)}`
      return `${before}${start}${stamped}${spell(start)}${ending}${end === null ? lasting : over}`
    },

    foot: 'END:VCALENDAR\r\n',
  }
}

/** What all events of a member have in common, before and behind their times. */
function formatMember(id: string, title: string) {
  const behind = (status: string) =>
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
    over: behind('CONFIRMED'),
    lasting: behind('TENTATIVE'),
  }
}

const PARTS = 100

function* inChunks(parts: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  for (const part of parts) {
    chunk.push(part)
    if (chunk.length < PARTS) continue
    yield chunk.join('')
    chunk = []
  }
  yield chunk.join('')
}

function* csvLines(rows: Iterable<FrontRow>): Generator<string> {
  yield CSV_MARK + csvLine(['start', 'end', 'seconds', 'member_id', 'member'])
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
 * Spells times in whole seconds, which is all the format has. Those of one day mostly follow each
 * other, so a date is spelled when it changes.
 */
function createTimeFormatter(): (at: Instant) => string {
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
