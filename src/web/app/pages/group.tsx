import { useState } from 'preact/hooks'
import { group as table } from '../../../model/group'
import { parseInstant } from '../../../model/time'
import { runWithToast } from '../actions'
import { formatter } from '../appearance'
import { tint } from '../components/avatar'
import { GroupMembersSheet } from '../components/groupMembersSheet'
import { Icon } from '../components/icon'
import { Markdown } from '../components/markdown'
import { useIncrementalList } from '../components/memberGrid'
import { MemberRow } from '../components/memberRow'
import { NotFound } from '../components/notFound'
import { Page } from '../components/page'
import { ProblemText } from '../components/problemText'
import { CopyId, Fact, ProfileHead } from '../components/profile'
import { type ViewMode, ViewModeToggle } from '../components/viewModeToggle'
import { lastHere } from '../history'
import { findNamingLists, hidden, namingLists, publicGroupMembers } from '../publicView'
import { redactForPublic } from '../redact'
import { findByRoute } from '../route'
import {
  front,
  type Group,
  groups,
  isOffline,
  type Member,
  members,
  memberWord,
  preferences,
  savePreferences,
  switches,
  system,
} from '../store'
import { memberStrings, strings } from '../strings'
import { isListed } from '../types'
import { useAction } from '../useAction'

/** Page of a group, as its owner or an anonymous visitor sees it. */
export function GroupPage() {
  const own = findByRoute(groups.value)
  const [viewMode, setViewMode] = useState<ViewMode>('ours')
  const [isChoosing, setChoosing] = useState(false)
  if (!own) return <NotFound kind="groups" />
  const isOurs = viewMode === 'ours'
  const visible = isOurs ? own : redactForPublic(table, own)
  const created = parseInstant(visible.created ?? '')
  return (
    <Page
      title={own.display_name || own.name}
      heading={visible.display_name || visible.name}
      header={(heading) => (
        <ProfileHead of={visible} picture={visible.icon}>
          <div class="named">{heading}</div>
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
                location.hash = `#/groups/${own.id}/edit`
              }}
            >
              <Icon name="edit" />
              {memberStrings.edit}
            </button>
          </div>
        </ProfileHead>
      )}
    >
      <ViewModeToggle mode={viewMode} onChange={setViewMode} entity={table} of={own} />
      {!isOurs && !isListed(own) && <p class="note">{memberStrings.unlisted}</p>}
      <div class="sides tinted" style={tint(visible.color)}>
        <div class="part">
          {visible.description ? (
            <Markdown text={visible.description} />
          ) : (
            <p class="quiet">
              {isOurs ? memberStrings.noDescription : memberStrings.noPublicDescription}
            </p>
          )}
          <GroupMembers own={own} isOurs={isOurs} />
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
          {isOurs && <Statuses own={own} />}
        </div>
      </div>
      {isChoosing && <GroupMembersSheet own={own} onClose={() => setChoosing(false)} />}
    </Page>
  )
}

/** Members of the group that are visible in the view mode. */
function GroupMembers({ own, isOurs }: { own: Group; isOurs: boolean }) {
  const visible = isOurs ? membersOf(own) : publicGroupMembers(own, members.value)
  return (
    <section class="part">
      <header class="heading">
        <h2>{memberWord.value.title}</h2>
        {visible !== hidden && (
          <p class="quiet">{strings.countOf(visible.length, memberWord.value)}</p>
        )}
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

function membersOf(own: Group): readonly Member[] {
  const uuids = new Set(own.members)
  return members.value.filter(({ uuid }) => uuids.has(uuid))
}

function MemberList({ all, isOurs }: { all: readonly Member[]; isOurs: boolean }) {
  const { shown, moreButton } = useIncrementalList(all)
  const open = isOurs ? namingLists : findNamingLists(system.value)
  const last = lastHere(open.includes('history') ? switches.value : [])
  const here = open.includes('fronters') ? (front.value?.members ?? []) : []
  return (
    <>
      <ul class="members">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={all.length} aria-posinset={at + 1}>
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

/** A preference of the dashboard, so it is stored outside the group. */
function Statuses({ own }: { own: Group }) {
  const { run, problem } = useAction({ canOverlap: true })
  const { statuses } = preferences.value
  const isMarked = statuses.includes(own.uuid)
  const mark = () => {
    const others = statuses.filter((uuid) => uuid !== own.uuid)
    run(() => savePreferences({ statuses: isMarked ? others : [...others, own.uuid] }))
  }
  return (
    <div class="card">
      <label class="check">
        <input type="checkbox" checked={isMarked} aria-disabled={isOffline.value} onClick={mark} />
        <span>
          {memberStrings.useAsStatuses}
          <br />
          <span class="quiet small">{memberStrings.statusesMore}</span>
        </span>
      </label>
      <ProblemText text={problem} />
    </div>
  )
}
