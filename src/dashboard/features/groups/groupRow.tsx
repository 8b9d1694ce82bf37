import { nameOfGroup } from '../../actions/groupTree'
import { type Group, isListed } from '../../api/types'
import { listStrings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { describeCount, membersOf } from './groupMembers'

interface Props {
  group: Group
  /** Names of the groups around it. */
  path?: readonly Group[]
  /** Shows the number of members, which is not public. */
  isOurs?: boolean
}

/** Row of a group: icon, name, number of members, and a lock if unlisted. */
export function GroupRow({ group, path = [], isOurs = true }: Props) {
  const about = [path.map(nameOfGroup).join(' › '), isOurs && describeCount(membersOf(group))]
  return (
    <>
      <Avatar of={{ ...group, avatar_url: group.icon }} />
      <span class="about">
        <span class="name">
          <bdi>{nameOfGroup(group)}</bdi>
        </span>{' '}
        <span class="quiet small">{about.filter(Boolean).join(' · ')}</span>
      </span>
      {!isListed(group) && (
        <span class="hidden-one">
          <Icon name="lock" />
          <span class="unseen">{listStrings.hiddenFromLists}</span>
        </span>
      )}
    </>
  )
}
