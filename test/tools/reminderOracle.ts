import { DAY, type Instant, MINUTE, parseInstant } from '../../src/model/core/time'
import { createFormat } from '../../src/model/insights/timeZone'

/** Rule of a repeating reminder. */
export interface OracleRule {
  every_days: number
  at: string
  from: string
}

/** Offsets change at quarters of an hour only. */
const QUARTER = 15 * MINUTE

const formats = new Map<string, ReturnType<typeof createFormat>>()

/** Returns how far the local time is ahead of UTC. */
function readOffset(zone: string, at: Instant): number {
  const format = formats.get(zone) ?? createFormat(zone)
  formats.set(zone, format)
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (
    format.format(at / 1000).match(/\d+/g) ?? []
  ).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute) * 1000 - at
}

/** Part of a span, from its first minute until before its last, in which the offset is the same. */
interface Piece {
  start: Instant
  end: Instant
  ahead: number
}

/** Splits a span into days, and a day that begins and ends with different offsets into quarters. */
function* piecesOf(zone: string, since: Instant, until: Instant): Generator<Piece> {
  const after = until + MINUTE
  for (let day = since; day < after; day += DAY) {
    const end = Math.min(day + DAY, after)
    const isSame = readOffset(zone, day) === readOffset(zone, end)
    for (let start = day; start < end; ) {
      const quarterEnd = (Math.floor(start / QUARTER) + 1) * QUARTER
      const pieceEnd = isSame ? end : Math.min(quarterEnd, end)
      yield { start, end: pieceEnd, ahead: readOffset(zone, start) }
      start = pieceEnd
    }
  }
}

/**
 * Lists when a rule is due in a span: at the first minute that has its local time or, if no minute
 * has it, at the first one after it. Two that fall on the same minute are one.
 */
export function dueTimes(
  zone: string,
  { every_days, at, from }: OracleRule,
  since: Instant,
  until: Instant,
): Instant[] {
  const found = new Set<Instant>()
  let wanted = parseInstant(`${from}T${at}:00Z`) ?? 0
  // Times before the span are not due in it.
  while (wanted < since + readOffset(zone, since)) wanted += every_days * DAY
  for (const { start, end, ahead } of piecesOf(zone, since, until))
    for (; wanted < end + ahead; wanted += every_days * DAY)
      found.add(Math.max(start, wanted - ahead))
  return [...found]
}
