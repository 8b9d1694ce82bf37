import type { Share, ShareFlags } from '../../api/types'
import { memberWord } from '../../core/store'
import { sharingStrings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { BucketChecks } from './bucketChecks'
import type { LoadedBuckets } from './friends'

interface Props {
  buckets: LoadedBuckets
  share: Share
  onChange: (patch: Partial<Share>) => void
}

/** Inputs for what a friend sees: three switches, and the buckets that the friend is in. */
export function ShareFields({ buckets, share, onChange }: Props) {
  const chosen = buckets.data?.filter(({ id }) => share.buckets.includes(id)) ?? []
  const isEmpty = chosen.length > 0 && chosen.every(({ members }) => members === 0)
  const field = (key: keyof ShareFlags, label: string, hint: string) => (
    <CheckField
      id={`share-${key}`}
      isSwitch
      label={label}
      hint={hint}
      value={share[key]}
      onChange={(value) => onChange({ [key]: value })}
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
        hint={
          share.buckets.length === 0
            ? sharingStrings.seesNothing
            : isEmpty
              ? sharingStrings.seesNothingYet(memberWord.value)
              : ''
        }
        empty={sharingStrings.noBuckets}
        buckets={buckets}
        chosen={share.buckets}
        onChange={(ids) => onChange({ buckets: ids })}
      />
    </>
  )
}
