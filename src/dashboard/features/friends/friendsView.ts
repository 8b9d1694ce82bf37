import type { CustomField, Group, Member } from '../../api/types'
import { redactGroupForFriend, redactMemberForFriend } from '../privacy/redact'

/** View that a friend in a bucket has of a member. */
interface FriendMember {
  readonly member: Member
  readonly groups: readonly Group[]
  readonly fields: readonly CustomField[]
}

interface OwnData {
  readonly groups: readonly Group[]
  readonly fields: readonly CustomField[]
}

/** Returns what a friend in a bucket sees of a member; null if it is not in the bucket. */
export function friendMember(
  own: Member,
  { id }: { readonly id: string },
  { groups, fields }: OwnData,
): FriendMember | null {
  const isShared = ({ buckets }: { buckets?: readonly string[] }) => buckets?.includes(id) ?? false
  if (!isShared(own.ext ?? {})) return null
  const shared = fields.filter(isShared)
  return {
    member: redactMemberForFriend(own, shared),
    groups: groups
      .filter((one) => isShared(one) && one.members?.includes(own.uuid))
      .map(redactGroupForFriend),
    fields: shared,
  }
}
