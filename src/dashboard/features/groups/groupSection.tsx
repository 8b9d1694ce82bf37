import type { Group, Member } from '../../api/types'
import { listNames, publicViewStrings, strings, type Word } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Markdown } from '../../ui/markdown'

interface Props {
  /** Redacted for the visitor. */
  groups: readonly Group[]
  /** Members that the visitor sees. */
  members: readonly Member[]
  /** The system's word for members. */
  word: Word
  heading: 'h2' | 'h4'
}

/** Groups of another system; nothing without one. */
export function GroupSection({ groups, members, word, heading: Heading }: Props) {
  if (groups.length === 0) return null
  return (
    <section class="part">
      <Heading>{publicViewStrings.groups}</Heading>
      <ul class="things">
        {groups.map((group) => (
          <GroupRow key={group.id} group={group} members={members} word={word} />
        ))}
      </ul>
    </section>
  )
}

interface RowProps {
  group: Group
  members: readonly Member[]
  word: Word
}

function GroupRow({ group, members, word }: RowProps) {
  const uuids = group.members ?? []
  const inside = members.filter(({ uuid }) => uuids.includes(uuid))
  const named = inside.map((member) => member.display_name || member.name)
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
