import { createFormat } from '../src/model/fronting/timeZone'
import { DAY, type Instant, MINUTE, parseInstant } from '../src/model/time'

/** Rule of a repeating reminder. */
export interface OracleRule {
  every_days: number
  at: string
  from: string
}

/** Offsets change at quarters of an hour only. */
const QUARTER = 15 * MINUTE

/** Local time at each minute of a span, as microseconds without a zone. */
export function* localMinutes(
  zone: string,
  since: Instant,
  until: Instant,
): Generator<{ at: Instant; local: number }> {
  const format = createFormat(zone)
  let ahead = 0
  for (let at = since; at <= until; at += MINUTE) {
    if (at === since || at % QUARTER === 0) {
      const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (
        format.format(at / 1000).match(/\d+/g) ?? []
      ).map(Number)
      ahead = Date.UTC(year, month - 1, day, hour, minute) * 1000 - at
    }
    yield { at, local: at + ahead }
  }
}

/**
 * Lists when a rule is due in a span, minute by minute: at the first minute that has its local time
 * or, if no minute has it, at the first one after it. Two that fall on the same minute are one.
 */
export function dueTimes(
  zone: string,
  { every_days, at, from }: OracleRule,
  since: Instant,
  until: Instant,
): Instant[] {
  const found = new Set<Instant>()
  let wanted = parseInstant(`${from}T${at}:00Z`) ?? 0
  let isFirst = true
  for (const minute of localMinutes(zone, since, until)) {
    // Times before the span are not due in it.
    while (isFirst && minute.local > wanted) wanted += every_days * DAY
    isFirst = false
    while (minute.local >= wanted) {
      found.add(minute.at)
      wanted += every_days * DAY
    }
  }
  return [...found]
}
