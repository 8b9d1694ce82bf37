import { useEffect, useState } from 'preact/hooks'
import { member as table } from '../../../model/member'
import { DAY } from '../../../model/time'
import { logSwitch, runWithToast, showToast } from '../actions'
import { historyHash } from '../address'
import { now } from '../clock'
import { tint } from '../components/avatar'
import { Days } from '../components/days'
import { Icon } from '../components/icon'
import { Markdown } from '../components/markdown'
import { MemberFacts } from '../components/memberFacts'
import { NotFound } from '../components/notFound'
import { Page } from '../components/page'
import { ProfileHead } from '../components/profile'
import { StillNamed } from '../components/stillNamed'
import { type ViewMode, ViewModeToggle } from '../components/viewModeToggle'
import { hidden, type PublicMember, publicMember } from '../publicView'
import { findByRoute } from '../route'
import {
  front,
  groups,
  isOffline,
  loadBackTo,
  type Member,
  members,
  nameOf,
  preferences,
  savePreferences,
  system,
  zone,
} from '../store'
import { historyStrings, memberStrings, strings } from '../strings'
import { daysIn } from '../time'
import { isListed } from '../types'

/** Page of a member, as its owner or an anonymous visitor sees it. */
export function MemberPage() {
  const own = findByRoute(members.value)
  const [viewMode, setViewMode] = useState<ViewMode>('ours')
  const us = system.value
  if (!own || !us) return <NotFound kind="members" />
  const isOurs = viewMode === 'ours'
  const shown = isOurs ? null : publicMember(own, { system: us, groups: groups.value })
  const visible = shown?.member ?? own
  const inside = shown?.groups ?? groups.value.filter((one) => one.members?.includes(own.uuid))
  const name = visible.display_name || visible.name
  const canSeeTimes = shown?.hasTimes ?? true
  return (
    <Page
      title={own.display_name || own.name}
      heading={name}
      header={(heading) => (
        <ProfileHead of={visible} picture={visible.avatar_url}>
          <div class="named">
            {heading}
            {visible.pronouns && (
              <p class="quiet">
                <bdi>{visible.pronouns}</bdi>
              </p>
            )}
          </div>
          <Actions own={own} canSeeFront={shown?.isInFronters ?? true} />
        </ProfileHead>
      )}
    >
      <ViewModeToggle mode={viewMode} onChange={setViewMode} entity={table} of={own} />
      {!isOurs && !isListed(own) && (
        <>
          <p class="note">{memberStrings.unlisted}</p>
          <StillNamed />
        </>
      )}
      <div class="sides tinted" style={tint(visible.color)}>
        <div class="part">
          {visible.description ? (
            <Markdown text={visible.description} />
          ) : (
            <p class="quiet">
              {isOurs ? memberStrings.noDescription : memberStrings.noPublicDescription}
            </p>
          )}
          {canSeeTimes && <LastWeek id={own.id} />}
          {shown && !shown.hasTimes && <p class="quiet">{describeHiddenTimes(shown)}</p>}
        </div>
        <MemberFacts
          member={visible}
          inside={inside === hidden ? [] : inside}
          canSeeTimes={canSeeTimes}
        />
      </div>
    </Page>
  )
}

function describeHiddenTimes({ isInHistory, isInFronters }: PublicMember): string {
  if (isInHistory) return memberStrings.hiddenInsights
  return isInFronters ? memberStrings.hiddenEarlierTimes : memberStrings.hiddenTimes
}

function Actions({ own, canSeeFront }: { own: Member; canSeeFront: boolean }) {
  const isHere = front.value?.members.includes(own.id) ?? false
  const switchToMember = () => runWithToast(() => logSwitch([own.id], null))
  const edit = () => {
    location.hash = `#/members/${own.id}/edit`
  }
  return (
    <div class="row">
      {isHere ? (
        canSeeFront && <span class="pill">{memberStrings.hereNow}</span>
      ) : (
        <button type="button" class="main" aria-disabled={isOffline.value} onClick={switchToMember}>
          <Icon name="swap" />
          {strings.switchTo([own.display_name || own.name])}
        </button>
      )}
      <button type="button" onClick={edit}>
        <Icon name="edit" />
        {memberStrings.edit}
      </button>
      <PinButton own={own} />
    </div>
  )
}

/** Pinned members are suggested first on Now. */
function PinButton({ own }: { own: Member }) {
  const { pinned } = preferences.value
  const isPinned = pinned.includes(own.uuid)
  const others = pinned.filter((uuid) => uuid !== own.uuid)
  const toggle = () =>
    runWithToast(async () => {
      await savePreferences({ pinned: isPinned ? others : [...others, own.uuid] })
      const name = own.display_name || own.name
      showToast({ text: isPinned ? memberStrings.isUnpinned(name) : memberStrings.isPinned(name) })
    })
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isPinned}
      aria-disabled={isOffline.value}
      onClick={toggle}
    >
      <Icon name={isPinned ? 'check' : 'plus'} />
      {memberStrings.pin}
    </button>
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
      <a class="beside" href={historyHash('days', { member: id })}>
        {historyStrings.ownHistory(nameOf(id))}
      </a>
    </section>
  )
}
