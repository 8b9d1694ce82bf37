import { isArchived, isListed, type Member } from '../../api/types'
import { now } from '../../lib/clock'
import { formatAgo } from '../../lib/time'
import { listStrings, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'

interface Props {
  member: Member
  isHere: boolean
  /** End of the last stint. */
  until: number | null | undefined
}

/** Row of a member: avatar, name, whether archived, pronouns, last front, a lock if unlisted. */
export function MemberRow({ member, isHere, until }: Props) {
  const about = [
    isArchived(member) && listStrings.archived,
    member.pronouns,
    !isHere && until && formatAgo(now.value - until),
  ]
  return (
    <>
      <Avatar of={member} />
      <span class="about">
        <span class="name">
          <bdi>{member.display_name || member.name}</bdi>
        </span>{' '}
        <span class="quiet small">{about.filter(Boolean).join(' · ')}</span>
      </span>
      {isHere && <span class="pill">{strings.here}</span>}
      {!isListed(member) && (
        <span class="hidden-one">
          <Icon name="lock" />
          <span class="unseen">{listStrings.hiddenFromLists}</span>
        </span>
      )}
    </>
  )
}
