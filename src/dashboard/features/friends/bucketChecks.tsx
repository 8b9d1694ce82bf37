import { sharingStrings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { LoadProblem } from '../../ui/loadProblem'
import { type LoadedBuckets, titleOfBucket } from './friends'

interface Props {
  /** Loaded by the form, which begins with some of them. */
  buckets: LoadedBuckets
  legend: string
  hint: string
  /** Shown instead of the buckets while there are none. */
  empty: string
  /** IDs. */
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

export function BucketChecks({ buckets, legend, hint, empty, chosen, onChange }: Props) {
  const { data, problem, reload } = buckets
  const toggle = (id: string, isIn: boolean) => {
    const ids = data?.map((bucket) => bucket.id) ?? []
    onChange(ids.filter((other) => (other === id ? isIn : chosen.includes(other))))
  }
  return (
    <fieldset class="choice" aria-busy={data === null && problem === ''}>
      <legend>{legend}</legend>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      <p class="quiet small">{data?.length === 0 ? empty : hint}</p>
      {data?.map((bucket) => (
        <CheckField
          key={bucket.id}
          id={`bucket-${bucket.id}`}
          label={<bdi>{titleOfBucket(bucket)}</bdi>}
          hint={bucket.about && <bdi>{bucket.about}</bdi>}
          value={chosen.includes(bucket.id)}
          onChange={(isIn) => toggle(bucket.id, isIn)}
        />
      ))}
    </fieldset>
  )
}

/** Check boxes of the buckets whose friends see something, for the forms of members and others. */
export function VisibleTo(props: Pick<Props, 'buckets' | 'chosen' | 'onChange'>) {
  return (
    <BucketChecks
      legend={sharingStrings.visibleTo}
      hint={sharingStrings.visibleToMore}
      empty={sharingStrings.noBucketsYet}
      {...props}
    />
  )
}
