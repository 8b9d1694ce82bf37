import { computed } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { DAY, HOUR } from '../../../model/time'
import { logSwitch, say } from '../acts'
import { explainRefusal } from '../client'
import { choice, earlier, toggleChoice } from '../drafts'
import { likelyOnes, switchAt, weighTime } from '../history'
import { wanted } from '../keys'
import { ActionBar } from '../parts/actionBar'
import { Days } from '../parts/days'
import { EarlierButton, EarlierPanel, momentOf } from '../parts/earlier'
import { HereNow } from '../parts/hereNow'
import { Icon } from '../parts/icon'
import { MakeFirst } from '../parts/make'
import { Page } from '../parts/page'
import { Search } from '../parts/search'
import { Tiles } from '../parts/tiles'
import { searchMembers } from '../search'
import {
  front,
  isAway,
  members,
  membersById,
  nameOf,
  preferences,
  statuses,
  switches,
  system,
  zone,
} from '../store'
import { now, tick } from '../ticking'
import { daysIn, fieldsOf } from '../time'
import { listNames, words } from '../words'

const LIKELY = 8

/** Who is here, and the switch: a face, then one button. */
export function Now() {
  const [problem, setProblem] = useState('')
  const card = useRef<HTMLHeadingElement>(null)
  const moment = momentOf(earlier.value, now.value, zone.value)

  /** The choice goes at once, and comes back if it was refused. */
  const log = async (ids: readonly string[]) => {
    const at = earlier.value && momentOf(earlier.value, now.value, zone.value)
    // The banner and the bar say so for as long as it lasts.
    if (isAway.value) return
    if (earlier.value && at === null) return setProblem(words.notATime)
    if (at !== null && at > now.value) return setProblem(words.notYet)
    const [chosen, when] = [choice.value, earlier.value]
    choice.value = []
    earlier.value = null
    setProblem('')
    card.current?.focus()
    try {
      await logSwitch(ids, at)
      tick()
    } catch (cause) {
      choice.value = chosen
      earlier.value = when
      setProblem(explainRefusal(cause, words.away))
    }
  }

  const standing = earlier.value
    ? ((moment === null ? null : switchAt(switches.value, moment))?.members ?? [])
    : (front.value?.members ?? [])
  const name = system.value?.name ?? words.yourSystem
  const hour = Number(fieldsOf(now.value, zone.value).time.slice(0, 2))

  useEffect(() => {
    const names = listNames((front.value?.members ?? []).map(nameOf))
    if (names !== '') say(words.hereAre(names))
  }, [front.value?.id])

  return (
    <Page place={words.now} heading={words.greet(hour, name)} isQuiet>
      {members.value.length === 0 ? (
        <MakeFirst />
      ) : (
        <>
          <HereNow heading={card} onStay={log} />
          <Choosing />
          <div class="row">
            <button
              type="button"
              class="plain"
              aria-disabled={isAway.value}
              onClick={() => log([])}
            >
              {words.nobodyOrUnsure}
            </button>
            <EarlierButton onChange={() => setProblem('')} />
          </div>
          <EarlierPanel problem={problem} onChange={() => setProblem('')} />
          <section class="part">
            <header class="heading">
              <h2>{words.todayAndYesterday}</h2>
              <a class="beside" href="#/history">
                {words.allHistory}
              </a>
            </header>
            <Days days={lastTwoDays()} mark={moment} />
          </section>
          <ActionBar
            standing={standing}
            problem={earlier.value ? '' : problem}
            onSwitch={log}
            onClear={() => {
              choice.value = []
              setProblem('')
            }}
          />
        </>
      )}
    </Page>
  )
}

/** The likely ones; or everyone, with a search. */
function Choosing() {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // At once, or the next key would be lost.
  useLayoutEffect(() => {
    if (wanted.value !== 'switch') return
    wanted.value = null
    setOpen(true)
  }, [wanted.value])
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  useEffect(() => {
    if (choice.value.length > 0) return
    setOpen(false)
    setTyped('')
  }, [choice.value.length === 0])

  const states = members.value.filter(({ uuid }) => statuses.value.has(uuid))
  const shown = isOpen ? searchMembers(members.value, typed) : likely.value
  const search = (value: string) => {
    setTyped(value)
    say(words.found(searchMembers(members.value, value).length))
  }
  return (
    <section class="part">
      <header class="heading">
        <h2>{words.whoIsComing}</h2>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="search" />
          {words.everyone(members.value.length)}
        </button>
      </header>
      {isOpen && <Search value={typed} onChange={search} field={field} />}
      {shown.length === 0 && <p class="quiet">{words.nobodyFound}</p>}
      <Tiles
        key={String(isOpen)}
        members={shown}
        chosen={choice.value}
        label={isOpen ? words.whoIsComing : words.likely}
        onToggle={toggleChoice}
      />
      {!isOpen && states.length > 0 && (
        <>
          <h3 class="quiet small">{words.statuses}</h3>
          <Tiles
            members={states}
            chosen={choice.value}
            label={words.statuses}
            onToggle={toggleChoice}
          />
        </>
      )}
    </section>
  )
}

const likely = computed(() => {
  const people = members.value.filter(({ uuid }) => !statuses.value.has(uuid))
  const weights = weighTime(switches.value, now.value)
  const here = front.value?.members ?? []
  return likelyOnes(people, preferences.value.pinned, weights, here, LIKELY).flatMap(
    (id) => membersById.value.get(id) ?? [],
  )
})

function lastTwoDays() {
  // An hour after midnight may be a day before where the clocks changed.
  return daysIn(zone.value, { since: now.value - DAY - HOUR, until: now.value + 1 }).slice(0, 2)
}
