import { useEffect, useState } from 'preact/hooks'
import type { Span } from '../../../model/fronting/replay'
import { DAY, type Instant, SECOND } from '../../../model/time'
import { announce } from '../actions'
import { errorMessage } from '../api'
import { formatter } from '../appearance'
import { now, tick } from '../clock'
import { TimeBars } from '../components/insights/timeBars'
import { TimeOfDayHeatmap } from '../components/insights/timeOfDayHeatmap'
import { TogetherTable } from '../components/insights/togetherTable'
import { WeeklyChart } from '../components/insights/weeklyChart'
import { Page, Skeleton } from '../components/page'
import { askedSpan } from '../drafts'
import {
  type Figures,
  leaveOut,
  longestStay,
  nearestSpan,
  ownSpan,
  recentSpan,
  spanKinds,
  switchesADay,
} from '../insights'
import { findFirstDay, loadInsights } from '../insightsApi'
import { membersById, nameOf, statuses, switches, zone } from '../store'
import { strings } from '../strings'
import { insightsStrings } from '../strings/insights'
import { fieldsOf, formatDuration } from '../time'

/** What the history shows when one steps back from it. */
export function Insights() {
  const [isWithout, setWithout] = useState(false)
  const { figures, problem, isBusy } = useFigures()
  const isOut = (id: string) => statuses.value.has(membersById.value.get(id)?.uuid ?? '')
  return (
    <Page place={strings.insights}>
      <Spans />
      <p class="problem" role="alert">
        {problem}
      </p>
      {statuses.value.size > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isWithout}
            onChange={(event) => setWithout(event.currentTarget.checked)}
          />
          {insightsStrings.leaveStatuses}
        </label>
      )}
      <div class="insights" aria-busy={isBusy}>
        {figures ? (
          <Shown figures={isWithout ? leaveOut(figures, isOut) : figures} />
        ) : (
          problem === '' && <Skeleton blocks={['card', 'rows']} />
        )}
      </div>
    </Page>
  )
}

/** What comes in one breath is asked for together. */
const DEBOUNCE_MS = 400

/** The figures of the time that is asked for, and again whenever the history changes. */
function useFigures() {
  const [figures, setFigures] = useState<Figures | null>(null)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(true)
  const [seen, setSeen] = useState(switches.value)
  const { kind, from, to } = askedSpan.value
  const inZone = zone.value

  useEffect(() => {
    if (seen === switches.value) return
    const timer = setTimeout(() => setSeen(switches.value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [switches.value])

  useEffect(() => {
    const leaving = new AbortController()
    const load = async () => {
      tick()
      const span = kind === 'own' ? ownSpan({ from, to }, inZone, now.value) : await spanOf()
      setProblem(typeof span === 'string' ? insightsStrings[span] : '')
      if (typeof span === 'string') return
      const found = await loadInsights(span, inZone, leaving.signal)
      if (!found || leaving.signal.aborted) return
      setFigures(found)
      announce(insightsStrings.loaded(insightsStrings.spans[kind], found.switches))
    }
    const spanOf = async () => {
      const usual = recentSpan(kind, now.value)
      if (usual) return usual
      const since = await findFirstDay(inZone, now.value, leaving.signal)
      return { since: since ?? now.value - DAY, until: now.value }
    }
    setBusy(true)
    load()
      .catch((cause) => {
        if (!leaving.signal.aborted) setProblem(errorMessage(cause, strings.away))
      })
      .finally(() => {
        if (!leaving.signal.aborted) setBusy(false)
      })
    return () => leaving.abort()
  }, [kind, from, to, inZone, seen])

  return { figures, problem, isBusy }
}

function Spans() {
  const { kind, from, to } = askedSpan.value
  const choose = (chosen: typeof kind) => {
    const isFirst = chosen === 'own' && from === ''
    const day = (at: Instant) => fieldsOf(at, zone.value).date
    askedSpan.value = isFirst
      ? { kind: chosen, from: day(now.value - 29 * DAY), to: day(now.value) }
      : { kind: chosen, from, to }
  }
  return (
    <fieldset class="choice">
      <legend class="unseen">{insightsStrings.span}</legend>
      <div class="chips">
        {spanKinds.map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={one === kind}
            onClick={() => choose(one)}
          >
            {insightsStrings.spans[one]}
          </button>
        ))}
      </div>
      {kind === 'own' && (
        <div class="time-fields own-span">
          <label class="field">
            {strings.from}
            <input
              type="date"
              value={from}
              onInput={({ currentTarget: { value } }) => {
                askedSpan.value = { kind, from: value, to }
              }}
            />
          </label>
          <label class="field">
            {strings.to}
            <input
              type="date"
              value={to}
              onInput={({ currentTarget: { value } }) => {
                askedSpan.value = { kind, from, to: value }
              }}
            />
          </label>
        </div>
      )}
    </fieldset>
  )
}

function Shown({ figures }: { figures: Figures }) {
  const { members, span } = figures
  return (
    <>
      <p class="quiet">{describeSpan(span)}</p>
      {figures.switches === 0 && <Nothing />}
      {figures.switches > 0 && members.length === 0 && <p>{insightsStrings.nobodyHere}</p>}
      {members.length > 0 && (
        <>
          <InShort figures={figures} />
          <div class="charts">
            <div class="column">
              <TimeBars members={members} />
            </div>
            <div class="column">
              <TimeOfDayHeatmap ids={members.map(({ member }) => member)} hours={figures.hours} />
              <TogetherTable pairs={figures.pairs} />
            </div>
          </div>
          <WeeklyChart by={figures.by} periods={figures.periods} members={members} />
        </>
      )}
    </>
  )
}

/** Which time the figures are of; an own one in the past is of whole days. */
function describeSpan({ since, until }: Span): string {
  if (now.value - until < DAY)
    return insightsStrings.untilNow(formatter.value.moment(since, now.value))
  return insightsStrings.fromTo(formatter.value.longDay(since), formatter.value.longDay(until - 1))
}

/** Nothing in the span: the nearest one that has some is a press away. */
function Nothing() {
  const { kind } = askedSpan.value
  const [newest] = switches.value
  if (!newest)
    return (
      <div class="card">
        <p>{strings.nothingYet}</p>
        <a class="button" href="#/now">
          {insightsStrings.toNow}
        </a>
      </div>
    )
  const nearest = kind === 'own' ? 'all' : nearestSpan(newest.timestamp, now.value)
  return (
    <div class="card">
      <p>{insightsStrings.inSpan[kind]}</p>
      <button
        type="button"
        onClick={() => {
          askedSpan.value = { ...askedSpan.value, kind: nearest }
        }}
      >
        {insightsStrings.lookAt(insightsStrings.spans[nearest])}
      </button>
    </div>
  )
}

function InShort({ figures }: { figures: Figures }) {
  const longest = longestStay(figures.members)
  const perDay = switchesADay(figures)
  const many: [figure: string, what: string][] = [
    [String(figures.switches), insightsStrings.switches(figures.switches)],
    [perDay.toLocaleString(undefined, { maximumFractionDigits: 1 }), insightsStrings.aDay],
  ]
  if (longest)
    many.push([
      formatDuration(longest.longest * SECOND),
      `${insightsStrings.longestStay} ${insightsStrings.by(nameOf(longest.member))}`,
    ])
  return (
    <section class="card" aria-label={insightsStrings.figures}>
      <ul class="in-short">
        {many.map(([figure, what]) => (
          <li key={what}>
            <b>{figure}</b> <span class="quiet">{what}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
