import { useState } from 'preact/hooks'
import type { Bucket } from '../../api/types'
import { isOffline, memberWord } from '../../core/store'
import { useFocusAfterRemoval } from '../../core/useFocusAfterRemoval'
import { sharingStrings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Skeleton } from '../../ui/page'
import { BucketContents } from './bucketContents'
import { BucketSheet } from './bucketSheet'
import { useBuckets } from './friends'

type Opened = { kind: 'edit'; bucket?: Bucket } | { kind: 'contents'; bucket: Bucket }

/** Privacy buckets, with what is in them. */
export function Buckets() {
  const { data, problem, reload } = useBuckets()
  const [opened, setOpened] = useState<Opened | null>(null)
  const open = (next: Opened) => isOffline.value || setOpened(next)
  const close = () => setOpened(null)
  const finish = () => {
    close()
    reload()
  }
  return (
    <section class="card" aria-labelledby="buckets">
      <h2 id="buckets" tabIndex={-1}>
        {sharingStrings.buckets}
      </h2>
      <p class="quiet">{sharingStrings.bucketsMore(memberWord.value)}</p>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {data === null && problem === '' && <Skeleton blocks={['rows']} />}
      {data?.length === 0 && <p>{sharingStrings.noBucketsYet}</p>}
      <ul class="things">
        {data?.map((bucket) => (
          <BucketRow
            key={bucket.id}
            bucket={bucket}
            onEdit={() => open({ kind: 'edit', bucket })}
            onChoose={() => open({ kind: 'contents', bucket })}
          />
        ))}
      </ul>
      <div>
        <button
          type="button"
          aria-disabled={isOffline.value || data === null}
          onClick={() => data && open({ kind: 'edit' })}
        >
          <Icon name="plus" />
          {sharingStrings.addBucket}
        </button>
      </div>
      {opened?.kind === 'edit' && (
        <BucketSheet bucket={opened.bucket} onClose={close} onDone={finish} />
      )}
      {opened?.kind === 'contents' && (
        <BucketContents bucket={opened.bucket} onClose={close} onDone={finish} />
      )}
    </section>
  )
}

interface RowProps {
  bucket: Bucket
  onEdit: () => void
  onChoose: () => void
}

function BucketRow({ bucket, onEdit, onChoose }: RowProps) {
  const { name, about, members, groups, fields, friends } = bucket
  const row = useFocusAfterRemoval<HTMLLIElement>('#buckets')
  return (
    <li ref={row}>
      <Avatar of={{ ...bucket, display_name: bucket.emoji, avatar_url: null }} size="s" />
      <div class="about" style={{ flexBasis: '10rem' }}>
        <bdi class="name">{name}</bdi>
        {about && (
          <div class="small">
            <bdi>{about}</bdi>
          </div>
        )}
        <div class="quiet small">
          {sharingStrings.inBucket(memberWord.value, members, groups, fields, friends)}
        </div>
      </div>
      <div class="row">
        <button
          type="button"
          aria-label={sharingStrings.contentsNamed(name)}
          aria-disabled={isOffline.value}
          onClick={onChoose}
        >
          {sharingStrings.contents}
        </button>
        <button
          type="button"
          class="round"
          aria-label={sharingStrings.editBucket(name)}
          aria-disabled={isOffline.value}
          onClick={onEdit}
        >
          <Icon name="edit" />
        </button>
      </div>
    </li>
  )
}
