import type { Share, ShareFlags } from '../../friends'
import { memberWord } from '../../store'
import { sharingStrings } from '../../strings'
import { CheckField } from '../checkField'
import { BucketChecks } from './bucketChecks'

interface Props {
  share: Share
  onChange: (share: Share) => void
}

/** What a friend sees: three switches, and the buckets that the friend is in. */
export function ShareFields({ share, onChange }: Props) {
  const field = (key: keyof ShareFlags, label: string, hint: string) => (
    <CheckField
      id={`share-${key}`}
      isSwitch
      label={label}
      hint={hint}
      value={share[key]}
      onChange={(value) => onChange({ ...share, [key]: value })}
    />
  )
  const { seeFront, seeFrontMore, seeMembers, seeMembersMore, announce, announceMore } =
    sharingStrings
  return (
    <>
      {field('see_front', seeFront, seeFrontMore)}
      {field('see_members', seeMembers(memberWord.value), seeMembersMore)}
      {field('announce', announce, announceMore)}
      <BucketChecks
        legend={sharingStrings.inBuckets}
        hint={share.buckets.length === 0 ? sharingStrings.seesNothing : ''}
        empty={sharingStrings.noBuckets}
        chosen={share.buckets}
        onChange={(buckets) => onChange({ ...share, buckets })}
      />
    </>
  )
}
