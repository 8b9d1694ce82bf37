import { useEffect } from 'preact/hooks'
import { DAY, type Instant } from '../../../model/core/time'
import { historyHash } from '../../core/address'
import { switchDraft } from '../../core/drafts'
import { loadBackTo, nameOf, switches, zone } from '../../core/store'
import { now } from '../../lib/clock'
import { daysIn } from '../../lib/time'
import { historyStrings, memberStrings } from '../../texts/texts'
import { Days } from './days'
import { selectNotes, useFrontNotes } from './frontNotes'
import { SwitchRows } from './switchRows'
import { SwitchSheet } from './switchSheet'

const WEEK = 7

/** The last week of a member: chart and, for the owner, the switches that it is in. */
export function MemberHistory({ id, isOurs }: { id: string; isOurs: boolean }) {
  useEffect(() => {
    loadBackTo(now.value - WEEK * DAY).catch(() => {})
  }, [])
  const since = now.value - (WEEK - 1) * DAY
  const days = daysIn(zone.value, { since, until: now.value + 1 }).slice(0, WEEK)
  return (
    <section class="part">
      <h2>{memberStrings.lastWeek}</h2>
      <Days days={days} only={id} />
      {isOurs && <OwnSwitches id={id} since={days.at(-1)?.start ?? since} />}
      <a class="beside" href={historyHash('list', { member: id })}>
        {historyStrings.ownHistory(nameOf(id))}
      </a>
    </section>
  )
}

/** Switches with their status texts and comments, which are the owner's alone. */
function OwnSwitches({ id, since }: { id: string; since: Instant }) {
  const { notes } = useFrontNotes({ since })
  const shown = switches.value.filter(
    ({ timestamp, members }) => timestamp >= since && members.includes(id),
  )
  return (
    <>
      {shown.length > 0 && (
        <SwitchRows shown={shown} dayOf={now.value} notes={selectNotes(notes, { only: id })} />
      )}
      {switchDraft.value && <SwitchSheet draft={switchDraft.value} />}
    </>
  )
}
