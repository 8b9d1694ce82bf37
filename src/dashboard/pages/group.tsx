import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { parseInstant } from '../../model/core/time'
import { group as table } from '../../model/groups/group'
import { nameOfGroup, pathOf, subgroupsOf } from '../actions/groupTree'
import { type Group, isListed, type Member } from '../api/types'
import { runWithToast } from '../core/actions'
import { formatter } from '../core/appearance'
import { lastHere } from '../core/history'
import { findByRoute } from '../core/route'
import { front, groups, isOffline, members, memberWord, switches, system } from '../core/store'
import { describeCount, membersOf } from '../features/groups/groupMembers'
import { GroupMembersSheet } from '../features/groups/groupMembersSheet'
import { GroupRow } from '../features/groups/groupRow'
import { MoveGroupSheet } from '../features/groups/moveGroupSheet'
import { useIncrementalList } from '../features/members/memberGrid'
import { MemberRow } from '../features/members/memberRow'
import {
  findNamingLists,
  hidden,
  isListPublic,
  namingLists,
  publicGroupMembers,
} from '../features/privacy/publicView'
import { redactForPublic } from '../features/privacy/redact'
import { type ViewMode, ViewModeToggle } from '../features/privacy/viewModeToggle'
import { groupTreeStrings, memberStrings } from '../texts/texts'
import { tint } from '../ui/avatar'
import { Icon } from '../ui/icon'
import { Markdown } from '../ui/markdown'
import { NotFound } from '../ui/notFound'
import { Page } from '../ui/page'
import { CopyId, Fact, ProfileHead } from '../ui/profile'

/** Page of a group, as its owner or an anonymous visitor sees it. */
export function GroupPage() {
  const group = findByRoute(groups.value)
  const [viewMode, setViewMode] = useState<ViewMode>('ours')
  const [isChoosing, setChoosing] = useState(false)
  const [isMoving, setMoving] = useState(false)
  if (!group) return <NotFound kind="groups" />
  const isOurs = viewMode === 'ours'
  const visible = isOurs ? group : redactForPublic(table, group)
  const created = parseInstant(visible.created ?? '')
  const all = isOurs ? groups.value : publicGroups()
  return (
    <Page
      title={group.display_name || group.name}
      heading={nameOfGroup(visible)}
      header={(heading) => (
        <ProfileHead of={visible} picture={visible.icon}>
          <div class="named">
            {heading}
            <GroupPath path={pathOf(all, group)} />
          </div>
          <div class="row">
            <button
              type="button"
              class="main"
              aria-disabled={isOffline.value}
              onClick={() => runWithToast(() => setChoosing(true))}
            >
              <Icon name="plus" />
              {memberStrings.editMembers(memberWord.value)}
            </button>
            <button
              type="button"
              onClick={() => {
                location.hash = `#/groups/${group.id}/edit`
              }}
            >
              <Icon name="edit" />
              {memberStrings.edit}
            </button>
            <button
              type="button"
              aria-disabled={isOffline.value}
              onClick={() => runWithToast(() => setMoving(true))}
            >
              {groupTreeStrings.move}
            </button>
          </div>
        </ProfileHead>
      )}
    >
      <ViewModeToggle mode={viewMode} onChange={setViewMode} entity={table} of={group} />
      {!isOurs && !isListed(group) && <p class="note">{memberStrings.unlisted}</p>}
      <div class="sides tinted" style={tint(visible.color)}>
        <div class="part">
          {visible.description ? (
            <Markdown text={visible.description} />
          ) : (
            <p class="quiet">
              {isOurs ? memberStrings.noDescription : memberStrings.noPublicDescription}
            </p>
          )}
          <Subgroups all={subgroupsOf(all, group.uuid)} isOurs={isOurs} />
          <GroupMembers group={group} isOurs={isOurs} />
        </div>
        <div class="part">
          <dl class="card facts">
            {visible.display_name && visible.display_name !== visible.name && (
              <Fact name={memberStrings.name}>
                <bdi>{visible.name}</bdi>
              </Fact>
            )}
            {created !== null && (
              <Fact name={memberStrings.addedOn}>{formatter.value.date(created)}</Fact>
            )}
            <CopyId id={visible.id} />
          </dl>
        </div>
      </div>
      {isMoving && <MoveGroupSheet own={group} onClose={() => setMoving(false)} />}
      {isChoosing && <GroupMembersSheet group={group} onClose={() => setChoosing(false)} />}
    </Page>
  )
}

/** Returns the groups that an anonymous visitor sees. */
function publicGroups(): Group[] {
  if (!system.value || !isListPublic(system.value, 'groups')) return []
  return groups.value.filter(isListed).map((group) => redactForPublic(table, group))
}

/** Groups that contain the group. */
function GroupPath({ path }: { path: readonly Group[] }) {
  if (path.length === 0) return null
  return (
    <nav
      class="row"
      aria-label={groupTreeStrings.inside}
      style={{ alignItems: 'center', gap: 0, marginInlineStart: 'max(-0.9rem, -3vw)' }}
    >
      {path.map((group) => (
        <Fragment key={group.uuid}>
          <a class="beside" href={`#/groups/${group.id}`}>
            <bdi>{nameOfGroup(group)}</bdi>
          </a>
          <Icon name="forth" />
        </Fragment>
      ))}
    </nav>
  )
}

/** Groups directly inside of the group that are visible in the view mode. */
function Subgroups({ all, isOurs }: { all: readonly Group[]; isOurs: boolean }) {
  if (all.length === 0) return null
  return (
    <section class="part">
      <h2>{groupTreeStrings.subgroups}</h2>
      <ul class="members">
        {all.map((group) => (
          <li key={group.id}>
            <a class="someone" href={`#/groups/${group.id}`}>
              <GroupRow group={group} isOurs={isOurs} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Members of the group that are visible in the view mode. */
function GroupMembers({ group, isOurs }: { group: Group; isOurs: boolean }) {
  const visible = isOurs ? membersOf(group) : publicGroupMembers(group, members.value)
  return (
    <section class="part">
      <header class="heading">
        <h2>{memberWord.value.title}</h2>
        {visible !== hidden && <p class="quiet">{describeCount(visible)}</p>}
      </header>
      {visible === hidden ? (
        <p class="quiet">{memberStrings.hiddenMembers}</p>
      ) : (
        <>
          {visible.length === 0 && <p class="quiet">{memberStrings.nobodyInIt}</p>}
          <MemberList all={visible} isOurs={isOurs} />
        </>
      )}
    </section>
  )
}

function MemberList({ all, isOurs }: { all: readonly Member[]; isOurs: boolean }) {
  const { shown, moreButton } = useIncrementalList(all)
  const open = isOurs ? namingLists : findNamingLists(system.value)
  const last = lastHere(open.includes('history') ? switches.value : [])
  const here = open.includes('fronters') ? (front.value?.members ?? []) : []
  return (
    <>
      <ul class="members">
        {shown.map((member, index) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={index + 1}>
            <a class="someone" href={`#/members/${member.id}`}>
              <MemberRow
                member={member}
                isHere={here.includes(member.id)}
                until={last.get(member.id)}
              />
            </a>
          </li>
        ))}
      </ul>
      {moreButton}
    </>
  )
}
