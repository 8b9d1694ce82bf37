import type { Member } from '../store'
import { isListed } from '../things'
import { now } from '../ticking'
import { spellAgo } from '../time'
import { words } from '../words'
import { listWords } from '../words/members'
import { Face } from './face'
import { Icon } from './icon'

interface Props {
  member: Member
  isHere: boolean
  /** When they were here last. */
  until: number | null | undefined
}

/** What a row says of somebody: face, name, pronouns, when they were here, whether they are hidden. */
export function Someone({ member, isHere, until }: Props) {
  const about = [member.pronouns, !isHere && until ? spellAgo(now.value - until) : null]
  return (
    <>
      <Face of={member} />
      <span class="about">
        <span class="name">
          <bdi>{member.display_name || member.name}</bdi>
        </span>{' '}
        <span class="quiet small">{about.filter(Boolean).join(' · ')}</span>
      </span>
      {isHere && <span class="pill">{words.here}</span>}
      {!isListed(member) && (
        <span class="hidden-one">
          <Icon name="lock" />
          <span class="unseen">{listWords.hiddenFromLists}</span>
        </span>
      )}
    </>
  )
}
