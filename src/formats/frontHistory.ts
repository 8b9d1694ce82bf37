import { formatInstant, type Instant, SECOND } from '../model/time'

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
export function presencesOf(
  switches: Iterable<{ timestamp: Instant; members: readonly string[] }>,
): Presence[] {
  const presences: Presence[] = []
  const open = new Map<string, Presence>()
  for (const { timestamp, members } of switches) {
    const fronters = new Set(members)
    for (const [member, presence] of open)
      if (!fronters.has(member)) {
        presence.end = timestamp
        open.delete(member)
      }
    for (const member of fronters) {
      if (open.has(member)) continue
      const presence = { member, start: timestamp, end: null }
      presences.push(presence)
      open.set(member, presence)
    }
  }
  return presences
}

export function frontHistoryCsv(rows: Iterable<FrontRow>): string {
  const lines = ['start,end,seconds,member_id,member']
  for (const { start, end, member_id, member } of rows)
    lines.push(
      [
        formatInstant(start),
        end === null ? '' : formatInstant(end),
        end === null ? '' : String((end - start) / SECOND),
        csv(member_id),
        csv(member),
      ].join(),
    )
  return `${lines.join('\r\n')}\r\n`
}

/** A calendar of presences. `now` stamps it, and is where a presence that lasts ends for now. */
export function frontHistoryIcs(rows: Iterable<FrontRow>, now: Instant, name: string): string {
  const stamp = calendarTime(now)
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Multitude//Front history//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${calendarText(name)}`,
  ]
  for (const { start, end, member_id, member } of rows) {
    const from = calendarTime(start)
    const to = calendarTime(end ?? now)
    lines.push(
      'BEGIN:VEVENT',
      `UID:${member_id}-${start}@multitude`,
      `DTSTAMP:${stamp}`,
      `DTSTART:${from}`,
      // An end must lie behind the start; without one the event is a moment.
      ...(to > from ? [`DTEND:${to}`] : []),
      `SUMMARY:${calendarText(member)}`,
      `STATUS:${end === null ? 'TENTATIVE' : 'CONFIRMED'}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    )
  }
  lines.push('END:VCALENDAR')
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function csv(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
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
