import { useState } from 'preact/hooks'
import type { Bucket, CustomField, Member } from '../../api/types'
import { displayName, groups, memberWord } from '../../core/store'
import { sharingStrings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Skeleton } from '../../ui/page'

import { MemberFacts } from '../members/memberFacts'
import { FieldValues } from '../members/memberFields'
import { descriptionOf, useFields } from '../members/useMemberData'
import { titleOfBucket, useBuckets } from './friends'
import { friendMember } from './friendsView'

/** A member as a friend in a bucket sees it, with a choice of the bucket. */
export function FriendsView({ member }: { member: Member }) {
  const buckets = useBuckets()
  const fields = useFields()
  const [chosen, setChosen] = useState('')
  const failed = [buckets, fields].find(({ problem }) => problem !== '')
  if (failed) return <LoadProblem text={failed.problem} onRetry={failed.reload} />
  if (!buckets.data || !fields.data) return <Skeleton blocks={['card']} />
  const bucket = buckets.data.find(({ id }) => id === chosen) ?? buckets.data[0]
  if (!bucket)
    return (
      <p>
        {sharingStrings.noBucketsYet} <a href="#/friends">{sharingStrings.toFriends}</a>
      </p>
    )
  return (
    <>
      <label class="sorting">
        {sharingStrings.whichBucket}
        <select value={bucket.id} onChange={(event) => setChosen(event.currentTarget.value)}>
          {buckets.data.map((option) => (
            <option key={option.id} value={option.id}>
              {titleOfBucket(option)}
            </option>
          ))}
        </select>
      </label>
      <Shown member={member} bucket={bucket} fields={fields.data} />
    </>
  )
}

interface ShownProps {
  member: Member
  bucket: Bucket
  fields: readonly CustomField[]
}

function Shown({ member, bucket, fields }: ShownProps) {
  const shown = friendMember(member, bucket, { groups: groups.value, fields })
  if (shown === null)
    return (
      <p class="note" role="status">
        {sharingStrings.notVisible(displayName(member))}
      </p>
    )
  const description = descriptionOf(shown.member)
  return (
    <>
      <p class="quiet small">{sharingStrings.onlyIfShown(memberWord.value)}</p>
      <div class="sides tinted" style={tint(shown.member.color)}>
        <div class="part">
          {description && <Markdown text={description} />}
          <FieldValues member={shown.member} fields={shown.fields} />
        </div>
        <MemberFacts member={shown.member} inside={shown.groups} canSeeTimes={false} />
      </div>
    </>
  )
}
