import { useEffect } from 'preact/hooks'
import { HOUR, type Instant, MINUTE } from '../../../model/core/time'
import { type HistoryQuery, historyHash } from '../../core/address'
import { formatter } from '../../core/appearance'
import { frontNoteDraft } from '../../core/drafts'
import { exactFieldsOf } from '../../core/exactTime'
import { switchAt } from '../../core/history'
import { goTo } from '../../core/route'
import { loadBackTo, nameOf, switches, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { daysIn, fieldsOf, instantOf } from '../../lib/time'
import { frontNoteStrings, historyStrings, listNames, strings } from '../../texts/texts'
import { TimeFields } from '../../ui/form/timeFields'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Days } from './days'
import { FrontNoteRows, Pending } from './frontNoteRows'
import { selectNotes, useFrontNotes } from './frontNotes'
import { PeriodHeading } from './periodHeading'
import { SwitchRows } from './switchRows'

/** One day: who was here at a time, its chart, and its switches. */
export function HistoryDay({ query }: { query: HistoryQuery }) {
  const today = fieldsOf(now.value, zone.value)
  const { date = today.date, time = '' } = query
  const noon = instantOf(date, '12:00', zone.value) ?? now.value
  const [day] = daysIn(zone.value, { since: noon, until: noon + 1 })
  const start = day?.start ?? noon
  useEffect(() => {
    loadBackTo(start).catch(() => {})
  }, [start])
  const { notes, problem, reload } = useFrontNotes({ since: day?.start, until: day?.end })
  if (!day) return null
  const showDay = (at: Instant) =>
    goTo(historyHash('day', { ...query, date: fieldsOf(at, zone.value).date }))
  const shown = switches.value.filter(
    ({ timestamp, members }) =>
      timestamp >= day.start &&
      timestamp < day.end &&
      (query.member === undefined || members.includes(query.member)),
  )
  const comments = selectNotes(notes, { kind: 'comment', only: query.member })
  /** About the time that is asked for, or else about now or noon. */
  const addComment = () => {
    const asked = instantOf(date, time, zone.value)
    const at = asked ?? (day.end > now.value ? now.value : noon)
    frontNoteDraft.value = { kind: 'comment', text: '', moment: exactFieldsOf(at) }
  }
  // The switch in effect when the day began.
  const before = switchAt(switches.value, day.start - 1)
  return (
    <section class="part">
      <PeriodHeading
        title={formatter.value.longDay(noon)}
        previous={historyStrings.previousDay}
        next={historyStrings.nextDay}
        onPrevious={() => showDay(day.start - HOUR)}
        onNext={day.end > now.value ? null : () => showDay(day.end + HOUR)}
      />
      <fieldset class="choice">
        <legend>{strings.whoWasHere}</legend>
        <TimeFields
          date={date}
          time={time}
          problem=""
          onChange={(fields) => goTo(historyHash('day', { ...query, ...fields }))}
        />
        <p role="status">{time !== '' && describeMoment(instantOf(date, time, zone.value))}</p>
      </fieldset>
      <Days days={[day]} {...(query.member !== undefined && { only: query.member })} />
      <SwitchRows
        shown={before && query.member === undefined ? [...shown, before] : shown}
        dayOf={noon}
        notes={selectNotes(notes, { kind: 'status', only: query.member })}
      />
      <header class="heading">
        <h3>{frontNoteStrings.comments}</h3>
        <button type="button" class="plain" onClick={addComment}>
          <Icon name="plus" />
          {strings.addComment}
        </button>
      </header>
      {problem !== '' ? (
        <LoadProblem text={problem} onRetry={reload} />
      ) : notes === null ? (
        <Pending />
      ) : (
        comments.length === 0 && <p class="quiet">{frontNoteStrings.noComments}</p>
      )}
      <FrontNoteRows notes={comments} />
    </section>
  )
}

function describeMoment(at: Instant | null): string {
  if (at === null) return strings.notATime
  // The end of a minute, so that a switch within it counts.
  const entry = switchAt(switches.value, at + MINUTE - 1)
  if (at > now.value) return historyStrings.notYet
  if (!entry) return historyStrings.nothingLoggedThen
  const next = switches.value[switches.value.indexOf(entry) - 1]
  const names =
    entry.members.length === 0 ? strings.nobodyShort : listNames(entry.members.map(nameOf))
  const moment = (instant: Instant) => formatter.value.moment(instant, at)
  return next
    ? historyStrings.wasHere(names, moment(entry.timestamp), moment(next.timestamp))
    : historyStrings.hereSince(names, moment(entry.timestamp))
}
