import { useEffect } from 'preact/hooks'
import { DAY, HOUR } from '../../../model/core/time'
import { type HistoryQuery, historyHash, historyViews } from '../address'
import { formatter } from '../appearance'
import { now } from '../clock'
import { Days } from '../components/days'
import { FrontNoteSheet } from '../components/frontNoteSheet'
import { HistoryDay } from '../components/historyDay'
import { HistoryFilter } from '../components/historyFilter'
import { Icon } from '../components/icon'
import { LoadProblem } from '../components/loadProblem'
import { useIncrementalList } from '../components/memberGrid'
import { Month } from '../components/month'
import { Page } from '../components/page'
import { SwitchRows } from '../components/switchRows'
import { SwitchSheet } from '../components/switchSheet'
import { ZoneNote } from '../components/zoneNote'
import { frontNoteDraft, switchDraft } from '../drafts'
import { selectNotes, useFrontNotes } from '../frontNotes'
import { goTo, route } from '../route'
import { hasOlder, isFromCopy, loadBackTo, switches, zone } from '../store'
import { historyStrings, offlineStrings, strings } from '../strings'
import { daysIn, fieldsOf, instantOf } from '../time'
import { useScrollDay } from '../useScrollDay'

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
        {historyViews.map((one) => (
          <a
            key={one}
            class="chip"
            href={historyHash(one, kept)}
            aria-current={one === view ? 'page' : undefined}
          >
            {historyStrings[one]}
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
