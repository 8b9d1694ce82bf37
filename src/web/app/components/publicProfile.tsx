import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/time'
import { formatter } from '../appearance'
import { now } from '../clock'
import { hidden, type PublicSwitch, type PublicView } from '../publicView'
import { listNames, publicViewStrings, strings, type Word } from '../strings'
import { type Group, isCustomFront, type Member } from '../types'
import { Avatar } from './avatar'
import { Fronters } from './fronters'
import { Icon } from './icon'
import { Markdown } from './markdown'
import { useIncrementalList } from './memberGrid'
import { ProfileHead } from './profile'
import { PublicMemberSheet } from './publicMemberSheet'

interface Props {
  view: PublicView
  /** The system's word for members. */
  word: Word
  /** Lowers the heading levels, for use within another page. */
  isInside?: boolean
}

/** Public view of a system. Hidden lists are marked as hidden. */
export function PublicProfile({ view, word, isInside = false }: Props) {
  const { system, members, fields, groups, front, switches } = view
  const listed = members === hidden ? [] : members
  const customFronts = listed.filter(isCustomFront)
  const people = listed.filter((one) => !isCustomFront(one))
  const [shown, setShown] = useState<Member | null>(null)
  const [Title, Part] = isInside ? (['h3', 'h4'] as const) : (['h1', 'h2'] as const)
  const name = system.name || publicViewStrings.system(system.id)
  const profile = { ...system, name, display_name: null }
  return (
    <div class="outside">
      <ProfileHead of={profile} picture={system.avatar_url}>
        <div class="named">
          <Title tabIndex={-1}>
            <bdi>{name}</bdi>
          </Title>
          {(system.pronouns || system.tag) && (
            <p class="quiet">
              <bdi>{system.pronouns}</bdi> {system.tag && <bdi class="tag">{system.tag}</bdi>}
            </p>
          )}
        </div>
      </ProfileHead>
      {system.description && <Markdown text={system.description} />}
      {front === hidden ? (
        <Closed text={publicViewStrings.frontHidden} />
      ) : (
        <Fronters front={front} heading={isInside ? 'h4' : 'h2'} />
      )}
      {members === hidden ? (
        <Closed text={publicViewStrings.membersHidden(word)} />
      ) : (
        <section class="part">
          <Part>
            {people.length === 0
              ? publicViewStrings.noMembers(word)
              : strings.countOf(people.length, word)}
          </Part>
          <AvatarList members={people} onOpen={setShown} />
        </section>
      )}
      {customFronts.length > 0 && (
        <section class="part">
          <Part>{strings.customFronts}</Part>
          <AvatarList members={customFronts} onOpen={setShown} />
        </section>
      )}
      {groups === hidden ? (
        <Closed text={publicViewStrings.groupsHidden} />
      ) : (
        groups.length > 0 && (
          <section class="part">
            <Part>{publicViewStrings.groups}</Part>
            <ul class="things">
              {groups.map((group) => (
                <GroupRow key={group.id} group={group} members={members} word={word} />
              ))}
            </ul>
          </section>
        )
      )}
      {switches === hidden ? (
        <Closed text={publicViewStrings.historyHidden} />
      ) : (
        <section class="part">
          <Part>{publicViewStrings.recently}</Part>
          <RecentSwitches switches={switches} view={view} />
        </section>
      )}
      {shown && <PublicMemberSheet member={shown} fields={fields} onClose={() => setShown(null)} />}
    </div>
  )
}

function Closed({ text }: { text: string }) {
  return (
    <p class="closed quiet">
      <Icon name="lock" />
      {text}
    </p>
  )
}

function AvatarList({
  members,
  onOpen,
}: {
  members: readonly Member[]
  onOpen: (one: Member) => void
}) {
  const { shown, moreButton } = useIncrementalList(members)
  return (
    <>
      <ul class="tiles">
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={members.length} aria-posinset={at + 1}>
            <button type="button" class="tile" onClick={() => onOpen(member)}>
              <Avatar of={member} />
              <bdi class="name">{member.display_name || member.name}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {moreButton}
    </>
  )
}

interface GroupProps {
  group: Group
  members: PublicView['members']
  word: Word
}

function GroupRow({ group, members, word }: GroupProps) {
  const uuids = group.members ?? []
  const known = members === hidden ? [] : members.filter(({ uuid }) => uuids.includes(uuid))
  const named = known.map((one) => one.display_name || one.name)
  const icon = { ...group, avatar_url: group.icon }
  return (
    <li>
      <Avatar of={icon} size="s" />
      <div class="about">
        <bdi class="name">{group.display_name || group.name}</bdi>
        <div class="quiet small">
          {named.length > 0 && named.length <= MAX_NAMES
            ? listNames(named)
            : uuids.length > 0 && strings.countOf(uuids.length, word)}
        </div>
        {group.description && <Markdown text={group.description} />}
      </div>
    </li>
  )
}

/** Larger groups show a count instead of names. */
const MAX_NAMES = 8

function RecentSwitches({
  switches,
  view,
}: {
  switches: readonly PublicSwitch[]
  view: PublicView
}) {
  if (switches.length === 0) return <p>{publicViewStrings.noHistory}</p>
  const listed = view.members === hidden ? [] : view.members
  const here = view.front === hidden ? [] : (view.front?.fronters ?? []).map(({ member }) => member)
  const names = new Map(
    [...listed, ...here].map((one) => [one.id, one.display_name || one.name] as const),
  )
  return (
    <ul class="things">
      {switches.map(({ id, timestamp, members }) => (
        <li key={id}>
          <div class="about">
            <bdi class="name">{nameMembers(members, names)}</bdi>
            <div class="quiet small">
              {formatter.value.moment(parseInstant(timestamp) ?? now.value, now.value)}
            </div>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Lists the known names and counts the others: an ID says nothing to a visitor. */
function nameMembers(ids: readonly string[], names: ReadonlyMap<string, string>): string {
  if (ids.length === 0) return strings.nobodyShort
  const known = ids.flatMap((id) => names.get(id) ?? [])
  const unknown = ids.length - known.length
  if (known.length === 0) return publicViewStrings.onlyHidden(unknown)
  return listNames(unknown === 0 ? known : [...known, publicViewStrings.hiddenOnes(unknown)])
}
