import { useState } from 'preact/hooks'
import { member as table } from '../../model/members/member'
import { isArchived, isCustomFront, isListed, type Member } from '../api/types'
import { logSwitch, runWithToast, showToast } from '../core/actions'
import { type MemberTab, memberTabs } from '../core/address'
import { findByRoute, route } from '../core/route'
import {
  canLog,
  front,
  groups,
  isOffline,
  members,
  preferences,
  savePreferences,
  system,
} from '../core/store'
import { FriendsView } from '../features/friends/friendPreview'
import { MemberHistory } from '../features/front/memberHistory'
import { ArchivedNote } from '../features/members/archiveMember'
import { MemberFacts } from '../features/members/memberFacts'
import { MemberFields } from '../features/members/memberFields'
import { descriptionOf, requestMember, useWholeMember } from '../features/members/useMemberData'
import { PublicListWarning } from '../features/privacy/publicListWarning'
import { hidden, type PublicMember, publicMember } from '../features/privacy/publicView'
import { redactMemberForFriend } from '../features/privacy/redact'
import { type ViewMode, ViewModeToggle } from '../features/privacy/viewModeToggle'
import { memberExtStrings, memberStrings, strings } from '../texts/texts'
import { tint } from '../ui/avatar'
import { Icon } from '../ui/icon'
import { Markdown } from '../ui/markdown'
import { NotFound } from '../ui/notFound'
import { Page } from '../ui/page'
import { ProfileHead } from '../ui/profile'
import { Tabs } from '../ui/tabs'
import { MemberBoard, MemberNotes } from './memberJournal'

/** Page of a member, as its owner or an anonymous visitor sees it. */
export function MemberPage() {
  const listed = findByRoute(members.value)
  return listed ? <Found listed={listed} /> : <NotFound kind="members" />
}

function Found({ listed }: { listed: Member }) {
  const member = useWholeMember(listed, requestMember, listed).member ?? listed
  const [viewMode, setViewMode] = useState<ViewMode>('ours')
  const us = system.value
  if (!us) return <NotFound kind="members" />
  const isOurs = viewMode === 'ours'
  const shown =
    viewMode === 'strangers' ? publicMember(member, { system: us, groups: groups.value }) : null
  const visible =
    shown?.member ?? (viewMode === 'friends' ? redactMemberForFriend(member, []) : member)
  const name = visible.display_name || visible.name
  const tabs = memberTabs.filter((name) => hasTab(member, name, isOurs))
  const chosen = ('tab' in route.value && route.value.tab) || 'about'
  const tab = tabs.includes(chosen) ? chosen : 'about'
  return (
    <Page
      title={member.display_name || member.name}
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
            {isCustomFront(visible) && <p class="quiet">{memberExtStrings.customFront}</p>}
          </div>
          <Actions member={member} canSeeFront={shown?.isInFronters ?? true} />
        </ProfileHead>
      )}
    >
      <ViewModeToggle
        mode={viewMode}
        onChange={setViewMode}
        hasFriends
        entity={table}
        of={member}
      />
      {shown && !isListed(member) && (
        <>
          <p class="note">{memberStrings.unlisted}</p>
          <PublicListWarning />
        </>
      )}
      {isOurs && isArchived(member) && (
        <div class="note">
          <ArchivedNote member={member} />
        </div>
      )}
      {viewMode === 'friends' ? (
        <FriendsView member={member} />
      ) : (
        <Tabs
          label={name}
          options={tabs.map((name) => [name, memberStrings.tabs[name]])}
          value={tab}
          onChange={(name) => {
            location.hash = `#/members/${member.id}${name === 'about' ? '' : `/${name}`}`
          }}
        >
          {tab === 'about' && <About member={member} shown={shown} />}
          {tab === 'history' &&
            (shown && !shown.hasTimes ? (
              <p class="quiet">{describeHiddenTimes(shown)}</p>
            ) : (
              <MemberHistory id={member.id} isOurs={isOurs} />
            ))}
          {tab === 'notes' && <MemberNotes member={member} />}
          {tab === 'board' && <MemberBoard member={member} />}
        </Tabs>
      )}
    </Page>
  )
}

/** Notes and boards are never public, and a custom front has neither. */
function hasTab(member: Member, tab: MemberTab, isOurs: boolean): boolean {
  return (tab !== 'notes' && tab !== 'board') || (isOurs && !isCustomFront(member))
}

interface AboutProps {
  member: Member
  /** View of an anonymous visitor; null in the owner's view. */
  shown: PublicMember | null
}

function About({ member, shown }: AboutProps) {
  const visible = shown?.member ?? member
  const description = descriptionOf(visible)
  const inside =
    shown?.groups ?? groups.value.filter((group) => group.members?.includes(member.uuid))
  return (
    <div class="sides tinted" style={tint(visible.color)}>
      <div class="part">
        {description ? (
          <Markdown text={description} />
        ) : (
          <p class="quiet">
            {shown ? memberStrings.noPublicDescription : memberStrings.noDescription}
          </p>
        )}
        <MemberFields member={member} isOurs={shown === null} />
      </div>
      <MemberFacts
        member={visible}
        inside={inside === hidden ? [] : inside}
        canSeeTimes={shown?.hasTimes ?? true}
      />
    </div>
  )
}

function describeHiddenTimes({ isInHistory, isInFronters }: PublicMember): string {
  if (isInHistory) return memberStrings.hiddenInsights
  return isInFronters ? memberStrings.hiddenEarlierTimes : memberStrings.hiddenTimes
}

function Actions({ member, canSeeFront }: { member: Member; canSeeFront: boolean }) {
  const isHere = front.value?.members.includes(member.id) ?? false
  const switchToMember = () => runWithToast(() => logSwitch([member.id], null), canLog.value)
  const edit = () => {
    location.hash = `#/members/${member.id}/edit`
  }
  return (
    <div class="row">
      {isHere ? (
        canSeeFront && <span class="pill">{memberStrings.hereNow}</span>
      ) : (
        <button type="button" class="main" aria-disabled={!canLog.value} onClick={switchToMember}>
          <Icon name="swap" />
          {strings.switchTo([member.display_name || member.name])}
        </button>
      )}
      <button type="button" onClick={edit}>
        <Icon name="edit" />
        {memberStrings.edit}
      </button>
      {!isArchived(member) && !isCustomFront(member) && <PinButton member={member} />}
    </div>
  )
}

/** Pinned members are suggested first on Now. */
function PinButton({ member }: { member: Member }) {
  const { pinned } = preferences.value
  const isPinned = pinned.includes(member.uuid)
  const others = pinned.filter((uuid) => uuid !== member.uuid)
  const toggle = () =>
    runWithToast(async () => {
      await savePreferences({ pinned: isPinned ? others : [...others, member.uuid] })
      const name = member.display_name || member.name
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
