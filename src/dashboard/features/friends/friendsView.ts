import type { CustomField, Group, Member } from '../../api/types'
import { redactGroupForFriend, redactMemberForFriend } from '../privacy/redact'

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
  member: Member,
  { id }: { readonly id: string },
  { groups, fields }: OwnData,
): FriendMember | null {
  const isShared = ({ buckets }: { buckets?: readonly string[] }) => buckets?.includes(id) ?? false
  if (!isShared(member.ext ?? {})) return null
  const shared = fields.filter(isShared)
  return {
    member: redactMemberForFriend(member, shared),
    groups: groups
      .filter((group) => isShared(group) && group.members?.includes(member.uuid))
      .map(redactGroupForFriend),
    fields: shared,
  }
}
