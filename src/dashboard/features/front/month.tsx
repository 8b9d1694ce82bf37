import { useEffect } from 'preact/hooks'
import { HOUR, type Instant, SECOND } from '../../../model/core/time'
import { sumDays } from '../../../model/insights/days'
import { createReplay } from '../../../model/insights/replay'
import { type HistoryQuery, historyHash } from '../../core/address'
import { formatter, weekStart } from '../../core/appearance'
import { goTo } from '../../core/route'
import { loadBackTo, membersById, nameOf, switches, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { daysIn, fieldsOf, formatDuration, instantOf, monthOf, weekdayOf } from '../../lib/time'
import { historyStrings, strings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { PeriodHeading } from './periodHeading'

/** Calendar in which each day has the name and colour of the member with the most fronting time. */
export function Month({ query }: { query: HistoryQuery }) {
  const at = instantOf(query.date ?? '', '12:00', zone.value) ?? now.value
  const setAt = (to: Instant) =>
    goTo(historyHash('month', { ...query, date: fieldsOf(to, zone.value).date }))
  const ofMember = query.member === undefined ? {} : { member: query.member }
  const month = monthOf(zone.value, at)
  const start = month?.start ?? at
  useEffect(() => {
    loadBackTo(start).catch(() => {})
  }, [start])
  if (!month) return null
  const span = { since: month.start, until: Math.min(month.end, Math.max(now.value, start + 1)) }
  const buckets = daysIn(zone.value, { since: month.start, until: month.end }).toReversed()
  const sums = sumDays(buckets, null)
  const replay = createReplay(span, [sums])
  for (const entry of switches.value.toReversed()) replay.step(entry)
  replay.finish()
  const days = [...sums.days()]
  const timesOf = <T extends readonly [string, number]>(times: readonly T[]) =>
    query.member === undefined ? times : times.filter(([id]) => id === query.member)
  const isEmpty = days.every((day) => timesOf(day.members).length === 0)
  const newest = switches.value.find(({ timestamp }) => timestamp < month.end)
  return (
    <section class="part">
      <PeriodHeading
        title={formatter.value.month(month.start + 12 * HOUR)}
        previous={historyStrings.previousMonth}
        next={historyStrings.nextMonth}
        onPrevious={() => setAt(month.start - HOUR)}
        onNext={month.end > now.value ? null : () => setAt(month.end + HOUR)}
      />
      {isEmpty && <p>{historyStrings.noSwitches}</p>}
      {isEmpty && newest && newest.timestamp < month.start && (
        <button type="button" class="plain" onClick={() => setAt(newest.timestamp)}>
          {historyStrings.toLast(formatter.value.longDay(newest.timestamp))}
        </button>
      )}
      <div class="calendar" aria-hidden="true">
        {[0, 1, 2, 3, 4, 5, 6].map((index) => (
          <span key={index} class="weekday">
            {formatter.value.weekday(((weekStart.value - 1 + index) % 7) + 1)}
          </span>
        ))}
      </div>
      <ul class="calendar">
        {days.map((day, index) => {
          const [id, seconds] = timesOf(day.members).toSorted(([, a], [, b]) => b - a)[0] ?? []
          const { date } = fieldsOf(day.start + 12 * HOUR, zone.value)
          const first =
            index === 0 ? { gridColumnStart: String(columnOf(day.start + 12 * HOUR)) } : {}
          return (
            <li
              key={date}
              class="cell"
              style={{ ...first, ...tint(id && membersById.value.get(id)?.color) }}
            >
              <a href={historyHash('day', { date, ...ofMember })}>
                <b>{strings.number(Number(date.slice(8)))}</b>
              </a>
              {id !== undefined && (
                <>
                  <bdi>{nameOf(id)}</bdi>
                  <span class="unseen">{formatDuration((seconds ?? 0) * SECOND)}</span>
                </>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Returns 1 for the first day of the week. */
function columnOf(at: Instant): number {
  return ((weekdayOf(at, zone.value) - weekStart.value + 7) % 7) + 1
}
