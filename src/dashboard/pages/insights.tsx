import { useEffect, useState } from 'preact/hooks'
import { DAY, type Instant, SECOND } from '../../model/core/time'
import type { Span } from '../../model/insights/replay'
import { errorMessage } from '../api/client'
import { isCustomFront } from '../api/types'
import { announce } from '../core/actions'
import { formatter } from '../core/appearance'
import { members, nameOf, switches, zone } from '../core/store'
import {
  customSpan,
  type Figures,
  longestStay,
  nearestSpan,
  recentSpan,
  spanDraft,
  spanKinds,
  switchesADay,
} from '../features/insights/insights'
import { findFirstDay, loadInsights } from '../features/insights/insightsApi'
import { TimeBars } from '../features/insights/timeBars'
import { TimeOfDayHeatmap } from '../features/insights/timeOfDayHeatmap'
import { TogetherTable } from '../features/insights/togetherTable'
import { WeeklyChart } from '../features/insights/weeklyChart'
import { now, tick } from '../lib/clock'
import { fieldsOf, formatDuration } from '../lib/time'
import { historyStrings, insightsStrings, strings } from '../texts/texts'
import { ChipGroup } from '../ui/chipGroup'
import { LoadProblem } from '../ui/loadProblem'
import { Page, Skeleton } from '../ui/page'
import { ProblemText } from '../ui/problemText'
import { ZoneNote } from '../ui/zoneNote'

export function Insights() {
  const [isWithoutCustomFronts, setWithoutCustomFronts] = useState(false)
  const { figures, problem, isBusy, hasFailed, retry } = useFigures(isWithoutCustomFronts)
  return (
    <Page title={strings.insights}>
      <Spans />
      <ZoneNote />
      {hasFailed ? <LoadProblem text={problem} onRetry={retry} /> : <ProblemText text={problem} />}
      {members.value.some(isCustomFront) && (
        <label class="check">
          <input
            type="checkbox"
            checked={isWithoutCustomFronts}
            onChange={(event) => setWithoutCustomFronts(event.currentTarget.checked)}
          />
          {insightsStrings.hideCustomFronts}
        </label>
      )}
      <div class="insights" aria-busy={isBusy}>
        {figures ? (
          <FiguresView figures={figures} />
        ) : (
          problem === '' && <Skeleton blocks={['card', 'rows']} />
        )}
      </div>
    </Page>
  )
}

/** Changes within this time cause one request. */
const DEBOUNCE_MS = 400

/** Loads the figures of the selected span, and again after every change of the history. */
function useFigures(isWithoutCustomFronts: boolean) {
  const [figures, setFigures] = useState<Figures | null>(null)
  const [problem, setProblem] = useState('')
  const [hasFailed, setFailed] = useState(false)
  const [attempts, setAttempts] = useState(0)
  const [isBusy, setBusy] = useState(true)
  const [loadedSwitches, setLoadedSwitches] = useState(switches.value)
  const { kind, from, to } = spanDraft.value
  const timeZone = zone.value

  useEffect(() => {
    if (loadedSwitches === switches.value) return
    const timer = setTimeout(() => setLoadedSwitches(switches.value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [switches.value])

  useEffect(() => {
    const controller = new AbortController()
    const load = async () => {
      tick()
      const span = kind === 'own' ? customSpan({ from, to }, timeZone, now.value) : await spanOf()
      setProblem(typeof span === 'string' ? insightsStrings[span] : '')
      if (typeof span === 'string') return
      const loaded = await loadInsights(span, timeZone, {
        isWithoutCustomFronts,
        signal: controller.signal,
      })
      if (!loaded || controller.signal.aborted) return
      setFigures(loaded)
      announce(insightsStrings.loaded(insightsStrings.spans[kind], loaded.switches))
    }
    const spanOf = async () => {
      const recent = recentSpan(kind, now.value)
      if (recent) return recent
      const since = await findFirstDay(timeZone, now.value, controller.signal)
      return { since: since ?? now.value - DAY, until: now.value }
    }
    setBusy(true)
    load()
      .then(
        () => setFailed(false),
        (cause) => {
          if (controller.signal.aborted) return
          setProblem(errorMessage(cause))
          setFailed(true)
        },
      )
      .finally(() => {
        if (!controller.signal.aborted) setBusy(false)
      })
    return () => controller.abort()
  }, [kind, from, to, timeZone, loadedSwitches, attempts, isWithoutCustomFronts])

  return { figures, problem, isBusy, hasFailed, retry: () => setAttempts(attempts + 1) }
}

function Spans() {
  const { kind, from, to } = spanDraft.value
  const choose = (chosen: typeof kind) => {
    const isFirst = chosen === 'own' && from === ''
    const day = (at: Instant) => fieldsOf(at, zone.value).date
    spanDraft.value = isFirst
      ? { kind: chosen, from: day(now.value - 29 * DAY), to: day(now.value) }
      : { kind: chosen, from, to }
  }
  return (
    <ChipGroup
      legend={insightsStrings.span}
      isLegendHidden
      options={spanKinds.map((kind) => [kind, insightsStrings.spans[kind]])}
      value={kind}
      onChange={choose}
    >
      {kind === 'own' && (
        <div class="time-fields own-span">
          <label class="field">
            {historyStrings.from}
            <input
              type="date"
              value={from}
              onInput={({ currentTarget: { value } }) => {
                spanDraft.value = { kind, from: value, to }
              }}
            />
          </label>
          <label class="field">
            {historyStrings.to}
            <input
              type="date"
              value={to}
              onInput={({ currentTarget: { value } }) => {
                spanDraft.value = { kind, from, to: value }
              }}
            />
          </label>
        </div>
      )}
    </ChipGroup>
  )
}

function FiguresView({ figures }: { figures: Figures }) {
  const { members, span } = figures
  return (
    <>
      <p class="quiet">{describeSpan(span)}</p>
      {figures.switches === 0 && <EmptySpan />}
      {figures.switches > 0 && members.length === 0 && <p>{insightsStrings.nobodyHere}</p>}
      {members.length > 0 && (
        <>
          <Summary figures={figures} />
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

/** Describes the span of the figures; a custom span in the past consists of whole days. */
function describeSpan({ since, until }: Span): string {
  if (now.value - until < DAY)
    return insightsStrings.untilNow(formatter.value.moment(since, now.value))
  return insightsStrings.fromTo(formatter.value.longDay(since), formatter.value.longDay(until - 1))
}

/** Shown for an empty span; offers the shortest span that contains switches. */
function EmptySpan() {
  const { kind } = spanDraft.value
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
      <p>{insightsStrings.noSwitches[kind]}</p>
      <button
        type="button"
        onClick={() => {
          spanDraft.value = { ...spanDraft.value, kind: nearest }
        }}
      >
        {insightsStrings.showSpan[nearest]}
      </button>
    </div>
  )
}

function Summary({ figures }: { figures: Figures }) {
  const longest = longestStay(figures.members)
  const perDay = switchesADay(figures)
  const items: [figure: string, what: string][] = [
    [strings.number(figures.switches), insightsStrings.switches(figures.switches)],
    [strings.number(Math.round(perDay * 10) / 10), insightsStrings.perDay],
  ]
  if (longest)
    items.push([
      formatDuration(longest.longest * SECOND),
      insightsStrings.longestTime(nameOf(longest.member)),
    ])
  return (
    <section class="card" aria-label={insightsStrings.summary}>
      <ul class="in-short">
        {items.map(([figure, label]) => (
          <li key={label}>
            <b>{figure}</b> <span class="quiet">{label}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
