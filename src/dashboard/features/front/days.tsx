import { useState } from 'preact/hooks'
import { HOUR, type Instant } from '../../../model/core/time'
import type { Bucket } from '../../../model/insights/calendar'
import { historyHash } from '../../core/address'
import { formatter } from '../../core/appearance'
import type { Piece } from '../../core/history'
import { membersById, nameOf, zone } from '../../core/store'
import { fieldsOf, formatDuration, hourMarks } from '../../lib/time'
import { listNames, strings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { lazy } from '../../ui/lazy'
import { nameDay, piecesIn, type ShownProps } from './dayPieces'

const HOURS = [0, 6, 12, 18, 24]
const MARKS = [6, 12, 18]

const DaysTable = lazy(async () => (await import('./daysTable')).DaysTable)

interface Props {
  days: readonly Bucket[]
  /** Marks the time of a switch to be added. */
  mark?: Instant | null
  /** Short ID of the only member to show. */
  only?: string
}

/** Chart with one row per day. Co-fronters share the height of their bar. */
export function Days({ days, mark = null, only }: Props) {
  const [isTable, setTable] = useState(false)
  return (
    <div class={only === undefined ? 'card days' : 'days days-of-one'}>
      {isTable ? (
        <DaysTable days={days} only={only} />
      ) : (
        <>
          <div class="hours" aria-hidden="true">
            {HOURS.map((hour) => (
              <span key={hour}>{formatter.value.hour(hour)}</span>
            ))}
          </div>
          {days.map((day) => (
            <Row key={day.start} day={day} mark={mark} only={only} />
          ))}
        </>
      )}
      <button type="button" class="plain small" onClick={() => setTable(!isTable)}>
        {isTable ? strings.asChart : strings.asTable}
      </button>
    </div>
  )
}

function Row({ day, mark, only }: ShownProps & { day: Bucket; mark: Instant | null }) {
  const pieces = piecesIn(day, only)
  const length = day.end - day.start
  const positionOf = (at: Instant) => `${((at - day.start) / length) * 100}%`
  const styleOf = ({ from, to }: Piece) => ({
    insetInlineStart: positionOf(from),
    width: `${((to - from) / length) * 100}%`,
  })
  const { date } = fieldsOf(day.start + length / 2, zone.value)
  const member = only === undefined ? {} : { member: only }
  const isMarked = mark !== null && mark >= day.start && mark < day.end
  return (
    <div class="day" data-date={date}>
      <div class="day-name">
        <a href={historyHash('day', { date, ...member })}>{nameDay(day)}</a>
        {length !== 24 * HOUR && <span class="quiet"> {formatDuration(length)}</span>}
      </div>
      <div class="hits">
        <div class="track" role="img" aria-label={describeDay(day, pieces)}>
          {hourMarks(zone.value, day, MARKS).map((part) => (
            <span key={part} class="hour" style={{ insetInlineStart: `${part * 100}%` }} />
          ))}
          {pieces.map((piece) => (
            <span key={piece.from} class="piece" style={styleOf(piece)}>
              {piece.members.map((id) => (
                <span key={id} class="bar" style={tint(membersById.value.get(id)?.color)}>
                  {only === undefined && piece.members.length < 4 && <bdi>{nameOf(id)}</bdi>}
                </span>
              ))}
            </span>
          ))}
          {isMarked && <span class="landing" style={{ insetInlineStart: positionOf(mark) }} />}
        </div>
        {pieces.map((piece) => (
          // Not a stop of the Tab key: the page of the day lists the same switches.
          <a
            key={piece.from}
            class="hit"
            tabIndex={-1}
            href={historyHash('day', {
              date,
              time: fieldsOf(piece.from, zone.value).time,
              ...member,
            })}
            style={styleOf(piece)}
          >
            <span class="unseen">
              {strings.timeOf(
                listNames(piece.members.map(nameOf)),
                formatDuration(piece.to - piece.from),
              )}
            </span>
          </a>
        ))}
      </div>
    </div>
  )
}

/** Describes a row in one sentence. */
function describeDay(day: Bucket, pieces: readonly Piece[]): string {
  const times = new Map<string, number>()
  for (const { from, to, members } of pieces)
    for (const id of members) times.set(id, (times.get(id) ?? 0) + to - from)
  const parts = [...times]
    .sort(([, a], [, b]) => b - a)
    .map(([id, time]) => strings.timeOf(nameOf(id), formatDuration(time)))
  return strings.dayOf(nameDay(day), parts)
}
