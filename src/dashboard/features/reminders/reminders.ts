import { DAY, parseInstant, SECOND } from '../../../model/core/time'
import type { Reminder } from '../../api/types'
import { formatter } from '../../core/appearance'
import { memberWord, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { fieldsOf, formatDuration } from '../../lib/time'
import { reminderStrings } from '../../texts/texts'

/** Describes the rule of a reminder: "Every 3 days at 09:00". */
export function describeRule({ kind, every_days, at, after, on }: Reminder): string {
  if (kind === 'repeat') {
    const [hours = 0, minutes = 0] = (at ?? '').split(':').map(Number)
    return reminderStrings.repeats(every_days ?? 1, formatter.value.clock(hours + minutes / 60))
  }
  const length = formatDuration((after ?? 0) * SECOND)
  return reminderStrings.follows(length, reminderStrings.fronters[on ?? 'any'](memberWord.value))
}

/** Days after which the year is named, too. */
const SAME_YEAR = 300 * DAY

export function describeDue({ enabled, kind, due }: Reminder): string {
  if (!enabled) return reminderStrings.off
  const at = parseInstant(due ?? '')
  if (at === null) return kind === 'after_switch' ? reminderStrings.waits : reminderStrings.off
  if (at <= now.value) return reminderStrings.isDue
  const { time, day, date } = formatter.value
  const dayOf = (moment: number) => fieldsOf(moment, zone.value).date
  if (dayOf(at) === dayOf(now.value)) return reminderStrings.today(time(at))
  if (dayOf(at) === dayOf(now.value + DAY)) return reminderStrings.tomorrow(time(at))
  const shown = at - now.value < SAME_YEAR ? day(at) : date(at)
  return reminderStrings.onDay(shown, time(at))
}
