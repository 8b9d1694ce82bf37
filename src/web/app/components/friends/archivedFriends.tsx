import { type Bucket, defaultBuckets, type Share } from '../../friends'
import { isOffline, preferences } from '../../store'
import { sharingStrings } from '../../strings'
import { useOwn } from '../../useOwn'

interface Props {
  onInvite: (findShare: (buckets: readonly Bucket[]) => Share) => void
}

/** Friend in an export of Simply Plural. */
interface ArchivedFriend {
  readonly _id?: unknown
  readonly frienduid?: unknown
  readonly seeFront?: unknown
  readonly seeMembers?: unknown
  /** Whether the friend was notified of changes. */
  readonly getFrontNotif?: unknown
  readonly trusted?: unknown
  /** IDs of the buckets in the file. */
  readonly buckets?: unknown
}

/** Buckets here by the IDs that they had in the file. */
type Imported = ReadonlyMap<unknown, string>

const PATH = 'ext/v1/systems/@me/archive/friends?limit=200'
const ORIGINS_PATH =
  'ext/v1/systems/@me/origins?app=simplyplural&collection=privacyBuckets&limit=1000'

/** Friends of a Simply Plural export; nothing without one. */
export function ArchivedFriends(props: Props) {
  return preferences.value.archive ? <Rows {...props} /> : null
}

function Rows({ onInvite }: Props) {
  const { data } = useOwn<{ readonly rows: readonly ArchivedFriend[] }>(PATH, 'archive')
  const origins = useOwn<{ readonly rows: readonly { id: string; target: string }[] }>(
    ORIGINS_PATH,
    'buckets',
  )
  if (!data?.rows.length) return null
  const imported: Imported = new Map(origins.data?.rows.map(({ id, target }) => [id, target]))
  return (
    <section class="card">
      <h2>{sharingStrings.archived}</h2>
      <p class="quiet">{sharingStrings.archivedMore}</p>
      <ul class="things">
        {data.rows.map((row, at) => (
          <li key={String(row._id ?? at)}>
            <div class="about">
              <bdi class="name">{String(row.frienduid ?? row._id ?? '')}</bdi>
              <div class="quiet small">{describe(row)}</div>
            </div>
            <button
              type="button"
              aria-label={sharingStrings.inviteNamed(String(row.frienduid ?? ''))}
              aria-disabled={isOffline.value}
              onClick={() =>
                isOffline.value || onInvite((buckets) => shareOf(row, buckets, imported))
              }
            >
              {sharingStrings.invite}
            </button>
          </li>
        ))}
      </ul>
    </section>
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
  const own = bucketsOf(friend, buckets, imported)
  const trustedOne = buckets.find(({ name }) => name === 'Trusted friends')
  return {
    see_front: seeFront === true,
    see_members: seeMembers === true,
    announce: getFrontNotif !== false,
    buckets: own ?? (trusted === true && trustedOne ? [trustedOne.id] : defaultBuckets(buckets)),
  }
}

/** Returns the imported buckets that the friend was in; null if none of them is here, or in old files. */
function bucketsOf(
  friend: ArchivedFriend,
  buckets: readonly Bucket[],
  imported: Imported,
): string[] | null {
  if (!Array.isArray(friend.buckets)) return null
  const ids = new Set(friend.buckets.map((id) => imported.get(id)))
  const found = buckets.flatMap(({ id }) => (ids.has(id) ? id : []))
  return found.length > 0 || friend.buckets.length === 0 ? found : null
}
