import { computed } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { DAY, HOUR } from '../../model/core/time'
import { requestedFocus } from '../actions/shortcuts'
import { isArchived } from '../api/types'
import { announce, findLost, logSwitch, lostSwitch } from '../core/actions'
import { historyHash } from '../core/address'
import { earlier, selection, switchStatus, toggleSelection } from '../core/drafts'
import { switchAt } from '../core/history'
import {
  canLog,
  customFronts,
  front,
  members,
  membersById,
  nameOf,
  preferences,
  switches,
  switchQueue,
  system,
  unreadPosts,
  zone,
} from '../core/store'
import { useAction } from '../core/useAction'
import { ActionBar } from '../features/front/actionBar'
import { CurrentFronters } from '../features/front/currentFronters'
import { Days } from '../features/front/days'
import { listLikely } from '../features/front/likely'
import { describeFuture, momentOf, PastTimeButton } from '../features/front/pastTime'
import { EmptyState } from '../features/members/emptyState'
import { MemberGrids } from '../features/members/memberGrid'
import { listSections } from '../features/members/memberSections'
import { now, tick } from '../lib/clock'
import { searchMembers } from '../lib/search'
import { daysIn, fieldsOf } from '../lib/time'
import { strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { lazy } from '../ui/lazy'
import { Page } from '../ui/page'
import { ProblemText } from '../ui/problemText'
import { Search } from '../ui/searchField'

const LIKELY = 8

/** Current fronters and a switch in two taps: a member, then a button. */
export function Now() {
  const { run, problem, setProblem } = useAction({ canOverlap: true, isSwitching: true })
  const card = useRef<HTMLHeadingElement>(null)
  const moment = momentOf(earlier.value, now.value, zone.value)

  /** Clears the selection at once and restores it if the request fails. */
  const log = (ids: readonly string[]) =>
    run(async () => {
      const at = earlier.value && momentOf(earlier.value, now.value, zone.value)
      if (earlier.value && at === null) return setProblem(strings.notATime)
      if (at !== null && at > now.value) return setProblem(describeFuture())
      const [chosen, when] = [selection.value, earlier.value]
      selection.value = []
      earlier.value = null
      card.current?.focus()
      try {
        const status = chosen.length === 1 && switchStatus.value
        await logSwitch(ids, at, status ? [status] : [])
        switchStatus.value = null
        tick()
      } catch (cause) {
        selection.value = chosen
        earlier.value = when
        throw cause
      }
    })

  // A switch whose answer was lost turned out to be logged.
  useEffect(() => {
    if (!lostSwitch.value || !findLost(lostSwitch.value)) return
    lostSwitch.value = null
    selection.value = []
    earlier.value = null
    switchStatus.value = null
    setProblem('')
  }, [switches.value])

  const current = earlier.value
    ? ((moment === null ? null : switchAt(switches.value, moment))?.members ?? [])
    : (front.value?.members ?? [])
  const name = system.value?.name ?? strings.yourSystem
  const hour = Number(fieldsOf(now.value, zone.value).time.slice(0, 2))

  useEffect(() => {
    const names = (front.value?.members ?? []).map(nameOf)
    if (names.length > 0) announce(strings.hereAre(names))
  }, [front.value?.id])

  return (
    <Page title={strings.now} heading={strings.greet(hour, name)} isQuiet>
      {members.value.length === 0 ? (
        <EmptyState />
      ) : (
        <>
          {switchQueue.value?.isStuck && <QueueCard />}
          <CurrentFronters heading={card} onStay={log} />
          {front.value?.members.some(
            (id) => unreadPosts.value[membersById.value.get(id)?.uuid ?? ''],
          ) && <NewPosts />}
          <MemberChooser />
          <div class="row">
            <button
              type="button"
              class="plain"
              aria-disabled={!canLog.value}
              onClick={() => log([])}
            >
              {strings.nobodyOrUnsure}
            </button>
            <PastTimeButton onChange={() => setProblem('')} />
          </div>
          {earlier.value === null && selection.value.length === 0 && <ProblemText text={problem} />}
          {earlier.value && <PastTimePanel problem={problem} onChange={() => setProblem('')} />}
          {preferences.value.archive?.convertible[0] && <ConvertOffer />}
          <section class="part">
            <header class="heading">
              <h2>{strings.todayAndYesterday}</h2>
              <div class="links">
                <a class="beside" href={historyHash('day', fieldsOf(now.value, zone.value))}>
                  {strings.whoWasHere}
                </a>
                <a class="beside" href="#/history">
                  {strings.allHistory}
                </a>
              </div>
            </header>
            <Days days={lastTwoDays()} mark={moment} />
          </section>
          <ActionBar
            current={current}
            problem={earlier.value ? '' : problem}
            onSwitch={log}
            onClear={() => {
              selection.value = []
              switchStatus.value = null
              setProblem('')
            }}
          />
        </>
      )}
    </Page>
  )
}

/** Likely fronters, or all members with a search. */
function MemberChooser() {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // Before paint, or the next keystroke would be lost.
  useLayoutEffect(() => {
    if (requestedFocus.value !== 'switch') return
    requestedFocus.value = null
    setOpen(true)
  }, [requestedFocus.value])
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  const hadSelection = useRef(false)
  useEffect(() => {
    const isEmpty = selection.value.length === 0
    if (isEmpty && hadSelection.current) {
      setOpen(false)
      setTyped('')
    }
    hadSelection.current = !isEmpty
  }, [selection.value.length === 0])

  const shown = listSections(isOpen ? find(typed) : [...likely.value, ...customFronts.value])
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(find(value).length))
  }
  return (
    <section class="part">
      <header class="heading">
        <h2>{strings.whoIsSwitchingIn}</h2>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="search" />
          {strings.everyone(find('').length - customFronts.value.length)}
        </button>
      </header>
      {isOpen && <Search value={typed} onChange={search} field={field} />}
      {shown.length === 0 && <p class="quiet">{strings.nobodyFound}</p>}
      <MemberGrids
        key={String(isOpen)}
        sections={shown}
        chosen={selection.value}
        label={isOpen ? strings.whoIsSwitchingIn : strings.suggested}
        onToggle={toggleSelection}
      />
    </section>
  )
}

const PastTimePanel = lazy(async () => (await import('../features/front/nowParts')).PastTimePanel)
const NewPosts = lazy(async () => (await import('../features/front/nowParts')).NewPosts)
const QueueCard = lazy(async () => (await import('../features/front/queueCard')).QueueCard)
const ConvertOffer = lazy(async () => (await import('./transfer')).ConvertOffer)

/** Returns the members that match; archived ones only if something is typed. */
function find(typed: string) {
  const all = members.value
  return searchMembers(typed === '' ? all.filter((member) => !isArchived(member)) : all, typed)
}

const likely = computed(() => listLikely(front.value?.members ?? [], LIKELY))

function lastTwoDays() {
  // On a day with a clock change, 24 hours ago may be the day before yesterday.
  return daysIn(zone.value, { since: now.value - DAY - HOUR, until: now.value + 1 }).slice(0, 2)
}
