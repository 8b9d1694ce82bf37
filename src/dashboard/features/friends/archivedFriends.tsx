import { useEffect, useRef, useState } from 'preact/hooks'
import { archivedRowsPath, originsPath } from '../../api/resources'
import type { ArchivePage, Bucket, Share } from '../../api/types'
import { isOffline, preferences } from '../../core/store'
import { useQuery } from '../../core/useQuery'
import { sharingStrings, strings } from '../../texts/texts'
import { LoadProblem } from '../../ui/loadProblem'
import { Skeleton } from '../../ui/page'
import { defaultBuckets } from './friends'

interface Props {
  onInvite: (findShare: (buckets: readonly Bucket[]) => Share) => void
}

/** Friend in an export of Simply Plural. */
interface ArchivedFriend {
  readonly _id?: unknown
  readonly frienduid?: unknown
  readonly seeFront?: unknown
  readonly seeMembers?: unknown
  /** True if the friend was notified of changes. */
  readonly getFrontNotif?: unknown
  readonly trusted?: unknown
  /** IDs of the buckets in the file. */
  readonly buckets?: unknown
}

/** Buckets here by the IDs that they had in the file. */
type Imported = ReadonlyMap<unknown, string>

/** Friends loaded at once: buckets and links follow below. */
const PAGE_SIZE = 20

/** Friends of a Simply Plural export; nothing without one. */
export function ArchivedFriends(props: Props) {
  return preferences.value.archive ? <Section {...props} /> : null
}

function Section(props: Props) {
  const first = useArchived('0')
  const origins = useQuery(originsPath('privacyBuckets'), 'buckets')
  const failed = [first, origins].find(({ problem }) => problem !== '')
  if (failed) return <LoadProblem text={failed.problem} onRetry={failed.reload} />
  // Without the origins an invitation would begin with other buckets than the friend was in.
  if (!first.data?.rows.length || !origins.data) return null
  const imported: Imported = new Map(origins.data.rows.map(({ id, target }) => [id, target]))
  return (
    <section class="card">
      <h2>{sharingStrings.archived}</h2>
      <p class="quiet">{sharingStrings.archivedMore}</p>
      <Rows {...props} imported={imported} page={first.data} />
    </section>
  )
}

function useArchived(after: string) {
  return useQuery<ArchivePage<ArchivedFriend>>(
    archivedRowsPath('friends', after, PAGE_SIZE),
    'archive',
  )
}

interface RowsProps extends Props {
  imported: Imported
  page: ArchivePage<ArchivedFriend>
  /** Takes the focus, because the button that requested the page is gone. */
  isNext?: boolean
}

/** A page of friends, and the following ones on request. */
function Rows({ page: { rows, next }, isNext = false, ...props }: RowsProps) {
  const [hasMore, setMore] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (isNext) list.current?.querySelector('button')?.focus()
  }, [])
  return (
    <>
      <ul ref={list} class="things">
        {rows.map((row, index) => (
          <Row key={String(row._id ?? index)} row={row} {...props} />
        ))}
      </ul>
      {next !== null &&
        (hasMore ? (
          <NextRows {...props} after={next} />
        ) : (
          <button type="button" class="plain" onClick={() => setMore(true)}>
            {strings.showMore}
          </button>
        ))}
    </>
  )
}

function NextRows({ after, ...props }: Omit<RowsProps, 'page'> & { after: string }) {
  const { data, problem, reload } = useArchived(after)
  if (problem !== '') return <LoadProblem text={problem} onRetry={reload} />
  return data ? <Rows {...props} page={data} isNext /> : <Skeleton blocks={['rows']} />
}

function Row({ row, imported, onInvite }: Omit<RowsProps, 'page'> & { row: ArchivedFriend }) {
  const name = String(row.frienduid ?? row._id ?? '')
  return (
    <li>
      <div class="about" style={{ flexBasis: '10rem' }}>
        <bdi class="name">{name}</bdi>
        <div class="quiet small">{describe(row)}</div>
      </div>
      <button
        type="button"
        aria-label={sharingStrings.inviteNamed(name)}
        aria-disabled={isOffline.value}
        onClick={() => isOffline.value || onInvite((buckets) => shareOf(row, buckets, imported))}
      >
        {sharingStrings.invite}
      </button>
    </li>
  )
}

function describe({ seeFront, seeMembers }: ArchivedFriend): string {
  const { front, members, nothing } = sharingStrings.couldSee
  const parts = [seeFront === true ? front : '', seeMembers === true ? members : '']
  return parts.filter((part) => part !== '').join(' · ') || nothing
}

/** Returns what an invitation with the same share shows. */
function shareOf(friend: ArchivedFriend, buckets: readonly Bucket[], imported: Imported): Share {
  const { seeFront, seeMembers, getFrontNotif, trusted } = friend
  const bucketIds = bucketsOf(friend, buckets, imported)
  const trustedOne = buckets.find(({ name }) => name === 'Trusted friends')
  return {
    see_front: seeFront === true,
    see_members: seeMembers === true,
    announce: getFrontNotif !== false,
    buckets:
      bucketIds ?? (trusted === true && trustedOne ? [trustedOne.id] : defaultBuckets(buckets)),
  }
}

/** Returns the imported buckets that the friend was in; null in files from before buckets. */
function bucketsOf(
  friend: ArchivedFriend,
  buckets: readonly Bucket[],
  imported: Imported,
): string[] | null {
  if (!Array.isArray(friend.buckets)) return null
  const ids = new Set(friend.buckets.map((id) => imported.get(id)))
  return buckets.flatMap(({ id }) => (ids.has(id) ? id : []))
}
