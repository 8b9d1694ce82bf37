import { useEffect } from 'preact/hooks'
import { DAY, HOUR } from '../../model/core/time'
import { type HistoryQuery, historyHash, historyViews } from '../core/address'
import { formatter } from '../core/appearance'
import { frontNoteDraft, switchDraft } from '../core/drafts'
import { goTo, route } from '../core/route'
import { hasOlder, isFromCopy, loadBackTo, switches, zone } from '../core/store'
import { Days } from '../features/front/days'
import { FrontNoteSheet } from '../features/front/frontNoteSheet'
import { selectNotes, useFrontNotes } from '../features/front/frontNotes'
import { HistoryDay } from '../features/front/historyDay'
import { HistoryFilter } from '../features/front/historyFilter'
import { Month } from '../features/front/month'
import { SwitchRows } from '../features/front/switchRows'
import { SwitchSheet } from '../features/front/switchSheet'
import { useScrollDay } from '../features/front/useScrollDay'
import { useIncrementalList } from '../features/members/memberGrid'
import { now } from '../lib/clock'
import { daysIn, fieldsOf, instantOf } from '../lib/time'
import { historyStrings, offlineStrings, strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { LoadProblem } from '../ui/loadProblem'
import { Page } from '../ui/page'
import { ZoneNote } from '../ui/zoneNote'

/** History as days, list, month or one day; every switch can be edited, moved and deleted. */
export function History() {
  const { page: _, ...rest } = route.value
  const { view, ...query } = 'view' in rest ? rest : { view: 'days' as const }
  const { date, member } = query as HistoryQuery
  const kept = { ...(date !== undefined && { date }), ...(member !== undefined && { member }) }
  useScrollDay(view, query)
  return (
    <Page
      title={strings.history}
      actions={
        <button type="button" onClick={addPast}>
          <Icon name="plus" />
          {historyStrings.addPast}
        </button>
      }
    >
      <nav class="chips" aria-label={historyStrings.view}>
        {historyViews.map((option) => (
          <a
            key={option}
            class="chip"
            href={historyHash(option, kept)}
            aria-current={option === view ? 'page' : undefined}
          >
            {historyStrings[option]}
          </a>
        ))}
      </nav>
      <HistoryFilter view={view} query={query} />
      {view !== 'day' && <ZoneNote />}
      {isFromCopy.value && <p class="quiet">{offlineStrings.onlyLatest}</p>}
      {switches.value.length === 0 && <p>{strings.nothingYet}</p>}
      {view === 'days' && <DaysView query={query} />}
      {view === 'list' && <ListView query={query} />}
      {view === 'month' && <Month query={query} />}
      {view === 'day' && <HistoryDay query={query} />}
      {switchDraft.value && <SwitchSheet draft={switchDraft.value} />}
      {frontNoteDraft.value && <FrontNoteSheet draft={frontNoteDraft.value} />}
    </Page>
  )
}

function addPast(): void {
  const fields = fieldsOf(now.value - HOUR, zone.value)
  switchDraft.value = { id: null, ...fields, members: [], until: null, timestamp: null }
}

const WEEK = 7

/** Returns the last moment of the newest day to show. */
function endOf({ date }: HistoryQuery): number {
  const noon = instantOf(date ?? '', '12:00', zone.value)
  const day = noon === null ? undefined : daysIn(zone.value, { since: noon, until: noon + 1 })[0]
  return Math.min(now.value, (day?.end ?? Number.POSITIVE_INFINITY) - 1)
}

function DaysView({ query }: { query: HistoryQuery }) {
  const count = Number(query.days ?? WEEK)
  const until = endOf(query)
  const since = until - (count - 1) * DAY
  useEffect(() => {
    loadBackTo(until - count * DAY).catch(() => {})
  }, [count, query.date])
  const days = daysIn(zone.value, { since, until: until + 1 }).slice(0, count)
  const newest = switches.value[0]
  const isEmpty = newest !== undefined && newest.members.length === 0 && newest.timestamp < since
  const { date: _, ...withoutDate } = query
  const later = until + WEEK * DAY
  return (
    <>
      {isEmpty && <p>{historyStrings.noSwitches}</p>}
      {until < now.value && (
        <a
          class="beside"
          href={historyHash(
            'days',
            later > now.value
              ? withoutDate
              : { ...withoutDate, date: fieldsOf(later, zone.value).date },
          )}
        >
          {historyStrings.laterDays}
        </a>
      )}
      <Days days={days} {...(query.member !== undefined && { only: query.member })} />
      <button
        type="button"
        class="plain"
        onClick={() => goTo(historyHash('days', { ...query, days: String(count + WEEK) }))}
      >
        {historyStrings.earlierDays}
      </button>
    </>
  )
}

function ListView({ query }: { query: HistoryQuery }) {
  const until = endOf(query)
  const { member, at } = query
  const all = switches.value.filter(
    ({ timestamp, members }) =>
      timestamp <= until && (member === undefined || members.includes(member)),
  )
  const top = instantOf(at ?? '', '00:00', zone.value)
  useEffect(() => {
    loadBackTo(Math.min(until, top ?? until) - WEEK * DAY).catch(() => {})
  }, [query.date])
  const start = top === null ? 0 : all.filter(({ timestamp }) => timestamp >= top).length
  const { shown, isMore, more, end } = useIncrementalList(all, { start, listKey: `${member}` })
  const oldest = shown.at(-1)?.timestamp
  const { notes, problem, reload } = useFrontNotes(
    until < now.value ? { until: until + 1 } : {},
    oldest,
  )
  const byDay = Map.groupBy(shown, ({ timestamp }) => fieldsOf(timestamp, zone.value).date)
  const showMore = () => {
    if (!isMore) loadBackTo((switches.value.at(-1)?.timestamp ?? 0) - 1).catch(() => {})
    more()
  }
  return (
    <>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {[...byDay].map(([date, list]) => (
        <section key={date} class="part" data-date={date}>
          <h2>{formatter.value.longDay(list[0]?.timestamp ?? 0)}</h2>
          <SwitchRows shown={list} notes={selectNotes(notes, { only: member })} />
        </section>
      ))}
      {(isMore || (hasOlder.value && !isFromCopy.value)) && (
        <button type="button" ref={end} class="plain" onClick={showMore}>
          {strings.showMore}
        </button>
      )}
    </>
  )
}
