import { useEffect, useState } from 'preact/hooks'
import type { Span } from '../../../model/fronting/replay'
import { DAY, type Instant, SECOND } from '../../../model/time'
import { say } from '../acts'
import { explainRefusal } from '../client'
import { askedSpan } from '../drafts'
import { findFirstDay, loadFigures } from '../figures'
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
import { spell } from '../look'
import { TimeHere } from '../parts/insights/bars'
import { TimeOfDay } from '../parts/insights/heat'
import { Together } from '../parts/insights/pairs'
import { Weeks } from '../parts/insights/weeks'
import { Page, Waiting } from '../parts/page'
import { membersById, nameOf, statuses, switches, zone } from '../store'
import { now, tick } from '../ticking'
import { fieldsOf, spellLength } from '../time'
import { words } from '../words'
import { insightsWords } from '../words/insights'

/** What the history shows when one steps back from it. */
export function Insights() {
  const [isWithout, setWithout] = useState(false)
  const { figures, problem, isBusy } = useFigures()
  const isOut = (id: string) => statuses.value.has(membersById.value.get(id)?.uuid ?? '')
  return (
    <Page place={words.insights}>
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
          {insightsWords.leaveStatuses}
        </label>
      )}
      <div class="insights" aria-busy={isBusy}>
        {figures ? (
          <Shown figures={isWithout ? leaveOut(figures, isOut) : figures} />
        ) : (
          problem === '' && <Waiting blocks={['card', 'rows']} />
        )}
      </div>
    </Page>
  )
}

/** What comes in one breath is asked for together. */
const BREATH_MS = 400

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
    const timer = setTimeout(() => setSeen(switches.value), BREATH_MS)
    return () => clearTimeout(timer)
  }, [switches.value])

  useEffect(() => {
    const leaving = new AbortController()
    const load = async () => {
      tick()
      const span = kind === 'own' ? ownSpan({ from, to }, inZone, now.value) : await spanOf()
      setProblem(typeof span === 'string' ? insightsWords[span] : '')
      if (typeof span === 'string') return
      const found = await loadFigures(span, inZone, leaving.signal)
      if (!found || leaving.signal.aborted) return
      setFigures(found)
      say(insightsWords.loaded(insightsWords.spans[kind], found.switches))
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
        if (!leaving.signal.aborted) setProblem(explainRefusal(cause, words.away))
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
      <legend class="unseen">{insightsWords.span}</legend>
      <div class="chips">
        {spanKinds.map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={one === kind}
            onClick={() => choose(one)}
          >
            {insightsWords.spans[one]}
          </button>
        ))}
      </div>
      {kind === 'own' && (
        <div class="time-fields own-span">
          <label class="field">
            {words.from}
            <input
              type="date"
              value={from}
              onInput={({ currentTarget: { value } }) => {
                askedSpan.value = { kind, from: value, to }
              }}
            />
          </label>
          <label class="field">
            {words.to}
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
      <p class="quiet">{tellSpan(span)}</p>
      {figures.switches === 0 && <Nothing />}
      {figures.switches > 0 && members.length === 0 && <p>{insightsWords.nobodyHere}</p>}
      {members.length > 0 && (
        <>
          <InShort figures={figures} />
          <div class="charts">
            <div class="column">
              <TimeHere members={members} />
            </div>
            <div class="column">
              <TimeOfDay ids={members.map(({ member }) => member)} hours={figures.hours} />
              <Together pairs={figures.pairs} />
            </div>
          </div>
          <Weeks by={figures.by} periods={figures.periods} members={members} />
        </>
      )}
    </>
  )
}

/** Which time the figures are of; an own one in the past is of whole days. */
function tellSpan({ since, until }: Span): string {
  if (now.value - until < DAY) return insightsWords.untilNow(spell.value.moment(since, now.value))
  return insightsWords.fromTo(spell.value.longDay(since), spell.value.longDay(until - 1))
}

/** Nothing in the span: the nearest one that has some is a press away. */
function Nothing() {
  const { kind } = askedSpan.value
  const [newest] = switches.value
  if (!newest)
    return (
      <div class="card">
        <p>{words.nothingYet}</p>
        <a class="button" href="#/now">
          {insightsWords.toNow}
        </a>
      </div>
    )
  const nearest = kind === 'own' ? 'all' : nearestSpan(newest.timestamp, now.value)
  return (
    <div class="card">
      <p>{insightsWords.inSpan[kind]}</p>
      <button
        type="button"
        onClick={() => {
          askedSpan.value = { ...askedSpan.value, kind: nearest }
        }}
      >
        {insightsWords.lookAt(insightsWords.spans[nearest])}
      </button>
    </div>
  )
}

function InShort({ figures }: { figures: Figures }) {
  const longest = longestStay(figures.members)
  const perDay = switchesADay(figures)
  const many: [figure: string, what: string][] = [
    [String(figures.switches), insightsWords.switches(figures.switches)],
    [perDay.toLocaleString(undefined, { maximumFractionDigits: 1 }), insightsWords.aDay],
  ]
  if (longest)
    many.push([
      spellLength(longest.longest * SECOND),
      `${insightsWords.longestStay} ${insightsWords.by(nameOf(longest.member))}`,
    ])
  return (
    <section class="card" aria-label={insightsWords.figures}>
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
