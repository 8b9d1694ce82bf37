import { useEffect, useState } from 'preact/hooks'
import { member as table } from '../../../model/member'
import { DAY } from '../../../model/time'
import { logSwitch, showToast } from '../actions'
import { errorMessage } from '../api'
import { now } from '../clock'
import { tint } from '../components/avatar'
import { Days } from '../components/days'
import { Icon } from '../components/icon'
import { Markdown } from '../components/markdown'
import { MemberFacts } from '../components/memberFacts'
import { NotFound } from '../components/notFound'
import { Page } from '../components/page'
import { ProfileHead } from '../components/profile'
import { type ViewMode, ViewModeToggle } from '../components/viewModeToggle'
import { redactForPublic } from '../redact'
import { route } from '../route'
import { front, isOffline, loadBackTo, type Member, members, system, zone } from '../store'
import { strings } from '../strings'
import { memberStrings } from '../strings/member'
import { daysIn } from '../time'
import { isListed } from '../types'

/** Somebody, as we see them or as a stranger does. */
export function MemberPage() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = members.value.find((one) => one.id === id || one.uuid === id)
  const [eyes, setEyes] = useState<ViewMode>('ours')
  if (!own)
    return (
      <NotFound
        message={memberStrings.nobodyByThatId}
        href="#/members"
        onward={memberStrings.toEveryone}
      />
    )
  const isOurs = eyes === 'ours'
  const seen = isOurs ? own : redactForPublic(table, own)
  const name = seen.display_name || seen.name
  const seesTimes =
    isOurs || (isListed(own) && system.value?.privacy?.front_history_privacy === 'public')
  return (
    <Page
      place={own.display_name || own.name}
      heading={name}
      around={(heading) => (
        <ProfileHead of={seen} picture={seen.avatar_url}>
          <div class="named">
            {heading}
            {seen.pronouns && <p class="quiet">{seen.pronouns}</p>}
          </div>
          <Acts own={own} />
        </ProfileHead>
      )}
    >
      <ViewModeToggle mode={eyes} onChange={setEyes} entity={table} of={own} />
      {!isOurs && !isListed(own) && <p class="note">{memberStrings.unlisted}</p>}
      <div class="sides tinted" style={tint(seen.color)}>
        <div class="part">
          {seen.description ? (
            <Markdown text={seen.description} />
          ) : (
            <p class="quiet">
              {isOurs ? memberStrings.noDescription : memberStrings.strangersSeeNothing}
            </p>
          )}
          {seesTimes ? <LastWeek id={own.id} /> : <p class="quiet">{memberStrings.hiddenTimes}</p>}
        </div>
        <MemberFacts seen={seen} isOurs={isOurs} seesTimes={seesTimes} />
      </div>
    </Page>
  )
}

function Acts({ own }: { own: Member }) {
  const isHere = front.value?.members.includes(own.id) ?? false
  const come = () => {
    if (isOffline.value) return
    logSwitch([own.id], null).catch((cause) =>
      showToast({ text: errorMessage(cause, strings.away) }),
    )
  }
  const edit = () => {
    location.hash = `#/members/${own.id}/edit`
  }
  return (
    <div class="row">
      {isHere ? (
        <span class="pill">{memberStrings.hereNow}</span>
      ) : (
        <button type="button" class="main" aria-disabled={isOffline.value} onClick={come}>
          <Icon name="swap" />
          {strings.switchTo(own.display_name || own.name)}
        </button>
      )}
      <button type="button" onClick={edit}>
        <Icon name="edit" />
        {memberStrings.edit}
      </button>
    </div>
  )
}

const WEEK = 7

function LastWeek({ id }: { id: string }) {
  const since = now.value - (WEEK - 1) * DAY
  useEffect(() => {
    loadBackTo(now.value - WEEK * DAY).catch(() => {})
  }, [])
  const days = daysIn(zone.value, { since, until: now.value + 1 }).slice(0, WEEK)
  return (
    <section class="part">
      <h2>{memberStrings.lastWeek}</h2>
      <Days days={days} only={id} />
    </section>
  )
}
