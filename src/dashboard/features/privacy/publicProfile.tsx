import { parseInstant } from '../../../model/core/time'
import { requestOnce } from '../../api/client'
import { memberPath } from '../../api/paths'
import type { PublicSwitch } from '../../api/types'
import { formatter } from '../../core/appearance'
import { now } from '../../lib/clock'
import { listNames, publicViewStrings, strings, type Word } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { Markdown } from '../../ui/markdown'
import { ProfileHead } from '../../ui/profile'
import { GroupSection } from '../groups/groupSection'
import { MemberTiles } from '../members/memberTiles'
import { Fronters } from './fronters'
import { hidden, type PublicView } from './publicView'

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
        <MemberTiles
          members={members}
          fields={fields}
          word={word}
          heading={Part}
          load={requestPublicMember}
        />
      )}
      {groups === hidden ? (
        <Closed text={publicViewStrings.groupsHidden} />
      ) : (
        <GroupSection
          groups={groups}
          members={members === hidden ? [] : members}
          word={word}
          heading={Part}
        />
      )}
      {switches === hidden ? (
        <Closed text={publicViewStrings.historyHidden} />
      ) : (
        <section class="part">
          <Part>{publicViewStrings.recently}</Part>
          <RecentSwitches switches={switches} view={view} />
        </section>
      )}
    </div>
  )
}

function requestPublicMember(uuid: string, signal: AbortSignal) {
  return requestOnce(memberPath(uuid), { isAnonymous: true, signal })
}

function Closed({ text }: { text: string }) {
  return (
    <p class="closed quiet">
      <Icon name="lock" />
      {text}
    </p>
  )
}

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
    [...listed, ...here].map((member) => [member.id, member.display_name || member.name] as const),
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
  const shown = ids.flatMap((id) => names.get(id) ?? [])
  const unknown = ids.length - shown.length
  if (shown.length === 0) return publicViewStrings.onlyHidden(unknown)
  return listNames(unknown === 0 ? shown : [...shown, publicViewStrings.hiddenOnes(unknown)])
}
