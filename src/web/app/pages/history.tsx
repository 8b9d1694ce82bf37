import { useEffect, useState } from 'preact/hooks'
import { DAY, HOUR } from '../../../model/time'
import { historyViews } from '../address'
import { formatter } from '../appearance'
import { now } from '../clock'
import { Avatar } from '../components/avatar'
import { Days } from '../components/days'
import { Icon } from '../components/icon'
import { useIncrementalList } from '../components/memberGrid'
import { Month } from '../components/month'
import { Page } from '../components/page'
import { draftOf, SwitchSheet } from '../components/switchSheet'
import { switchDraft } from '../drafts'
import { route } from '../route'
import { hasOlder, loadBackTo, membersById, nameOf, switches, zone } from '../store'
import { historyStrings, listNames, strings } from '../strings'
import { daysIn, fieldsOf, formatDuration } from '../time'

/** History as days, list or month; every switch can be edited, moved and deleted. */
export function History() {
  const view = route.value.page === 'history' ? route.value.view : 'days'
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
            href={`#/history/${one}`}
            aria-current={one === view ? 'page' : undefined}
          >
            {historyStrings[one]}
          </a>
        ))}
      </nav>
      {switches.value.length === 0 && <p>{strings.nothingYet}</p>}
      {view === 'days' && <DaysView />}
      {view === 'list' && <ListView />}
      {view === 'month' && <Month />}
      {switchDraft.value && <SwitchSheet draft={switchDraft.value} />}
    </Page>
  )
}

function addPast(): void {
  const fields = fieldsOf(now.value - HOUR, zone.value)
  switchDraft.value = { id: null, ...fields, members: [], timestamp: null }
}

const WEEK = 7

function DaysView() {
  const [count, setCount] = useState(WEEK)
  const since = now.value - (count - 1) * DAY
  useEffect(() => {
    loadBackTo(now.value - count * DAY).catch(() => {})
  }, [count])
  const days = daysIn(zone.value, { since, until: now.value + 1 }).slice(0, count)
  const newest = switches.value[0]
  const isEmpty = newest !== undefined && newest.members.length === 0 && newest.timestamp < since
  return (
    <>
      {isEmpty && <p>{historyStrings.noSwitches}</p>}
      <Days days={days} />
      <button type="button" class="plain" onClick={() => setCount(count + WEEK)}>
        {historyStrings.earlierDays}
      </button>
    </>
  )
}

function ListView() {
  const { shown, isMore, more, end } = useIncrementalList(switches.value)
  const byDay = Map.groupBy(shown, ({ timestamp }) => fieldsOf(timestamp, zone.value).date)
  const showMore = () => {
    if (!isMore) loadBackTo((switches.value.at(-1)?.timestamp ?? 0) - 1).catch(() => {})
    more()
  }
  return (
    <>
      {[...byDay].map(([date, list]) => (
        <section key={date} class="part">
          <h2>{formatter.value.longDay(list[0]?.timestamp ?? 0)}</h2>
          <ul class="switches">
            {list.map((one) => (
              <SwitchRow key={one.id} index={switches.value.indexOf(one)} />
            ))}
          </ul>
        </section>
      ))}
      {(isMore || hasOlder.value) && (
        <button type="button" ref={end} class="plain" onClick={showMore}>
          {strings.showMore}
        </button>
      )}
    </>
  )
}

function SwitchRow({ index }: { index: number }) {
  const one = switches.value[index]
  if (!one) return null
  const next = switches.value[index - 1]
  const length = formatDuration((next?.timestamp ?? now.value) - one.timestamp)
  const names = one.members.length === 0 ? strings.nobodyShort : listNames(one.members.map(nameOf))
  const edit = () => {
    switchDraft.value = draftOf(one)
  }
  return (
    <li>
      <span class="at">{formatter.value.time(one.timestamp)}</span>
      <span class="avatars">
        {one.members.slice(0, 3).map((id) => (
          <Avatar key={id} of={membersById.value.get(id)} size="s" />
        ))}
      </span>
      <span class="about">
        <bdi class="name">{names}</bdi>
        <br />
        <span class="quiet small">{next ? length : historyStrings.soFar(length)}</span>
      </span>
      <button
        type="button"
        class="round"
        aria-label={historyStrings.editNamed(
          formatter.value.moment(one.timestamp, now.value),
          names,
        )}
        title={historyStrings.edit}
        onClick={edit}
      >
        <Icon name="edit" />
      </button>
    </li>
  )
}
