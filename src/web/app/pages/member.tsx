import { useEffect, useState } from 'preact/hooks'
import { member as table } from '../../../model/member'
import { DAY } from '../../../model/time'
import { logSwitch, runWithToast } from '../actions'
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
import { findByRoute } from '../route'
import { front, isOffline, loadBackTo, type Member, members, system, zone } from '../store'
import { memberStrings, strings } from '../strings'
import { daysIn } from '../time'
import { isListed } from '../types'

/** Page of a member, as its owner or an anonymous visitor sees it. */
export function MemberPage() {
  const own = findByRoute(members.value)
  const [viewMode, setViewMode] = useState<ViewMode>('ours')
  if (!own) return <NotFound kind="members" />
  const isOurs = viewMode === 'ours'
  const visible = isOurs ? own : redactForPublic(table, own)
  const name = visible.display_name || visible.name
  const isFrontPublic = system.value?.privacy?.front_privacy === 'public'
  const isHistoryPublic = system.value?.privacy?.front_history_privacy === 'public'
  const canSeeTimes = isOurs || (isListed(own) && isHistoryPublic)
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
          <Actions own={own} />
        </ProfileHead>
      )}
    >
      <ViewModeToggle mode={viewMode} onChange={setViewMode} entity={table} of={own} />
      {!isOurs && !isListed(own) && (
        <p class="note">
          {isFrontPublic ? memberStrings.unlistedButShown : memberStrings.unlisted}
        </p>
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
          {!isOurs && !isHistoryPublic && <p class="quiet">{memberStrings.hiddenTimes}</p>}
        </div>
        <MemberFacts member={visible} isOurs={isOurs} canSeeTimes={canSeeTimes} />
      </div>
    </Page>
  )
}

function Actions({ own }: { own: Member }) {
  const isHere = front.value?.members.includes(own.id) ?? false
  const switchToMember = () => runWithToast(() => logSwitch([own.id], null))
  const edit = () => {
    location.hash = `#/members/${own.id}/edit`
  }
  return (
    <div class="row">
      {isHere ? (
        <span class="pill">{memberStrings.hereNow}</span>
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
