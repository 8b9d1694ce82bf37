import { useState } from 'preact/hooks'
import {
  type CustomField,
  isCustomFront,
  type Member,
  type SerializedMember,
} from '../../api/types'
import { publicViewStrings, strings, type Word } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { useIncrementalList } from './memberGrid'
import { PublicMemberSheet } from './publicMemberSheet'

interface Props {
  /** Redacted for the visitor. */
  members: readonly Member[]
  /** Fields that the visitor sees. */
  fields: readonly CustomField[]
  /** The system's word for members. */
  word: Word
  heading: 'h2' | 'h4'
  /** Requests a member as the visitor sees it. */
  load: (uuid: string, signal: AbortSignal) => Promise<SerializedMember | null>
}

/** Members and custom fronts of another system; each opens in a sheet. */
export function MemberTiles({ members, fields, word, heading: Heading, load }: Props) {
  const [shownId, setShownId] = useState('')
  const shown = members.find(({ id }) => id === shownId)
  const customFronts = members.filter(isCustomFront)
  const people = members.filter((member) => !isCustomFront(member))
  return (
    <>
      <section class="part">
        <Heading>
          {people.length === 0
            ? publicViewStrings.noMembers(word)
            : strings.countOf(people.length, word)}
        </Heading>
        <AvatarList members={people} onOpen={setShownId} />
      </section>
      {customFronts.length > 0 && (
        <section class="part">
          <Heading>{strings.customFronts}</Heading>
          <AvatarList members={customFronts} onOpen={setShownId} />
        </section>
      )}
      {shown && (
        <PublicMemberSheet
          member={shown}
          fields={fields}
          load={load}
          onClose={() => setShownId('')}
        />
      )}
    </>
  )
}

function AvatarList({
  members,
  onOpen,
}: {
  members: readonly Member[]
  onOpen: (id: string) => void
}) {
  const { shown, moreButton } = useIncrementalList(members)
  return (
    <>
      <ul class="tiles">
        {shown.map((member, index) => (
          <li key={member.id} aria-setsize={members.length} aria-posinset={index + 1}>
            <button type="button" class="tile" onClick={() => onOpen(member.id)}>
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
