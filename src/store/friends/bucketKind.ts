import { desc, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { buckets } from '../../db/tables'
import { visibleBuckets } from '../../db/visible'
import { smallLimits } from '../../model/access/rowLimits'
import { bucket } from '../../model/friends/bucket'
import type { OwnedRowKind } from '../core/ownedRows'

export const bucketKind: OwnedRowKind<typeof bucket> = {
  entity: bucket,
  table: buckets,
  rows: visibleBuckets,
  references: {},
  order: 'position',
  missing: 'bucketNotFound',
  events: { created: 'CREATE_BUCKET', changed: 'UPDATE_BUCKET', removed: 'DELETE_BUCKET' },
  limit: { max: smallLimits.buckets, what: 'privacy buckets' },
  timeKeys: [],
  permissions: { read: 'manage_friends', write: 'manage_friends' },
  eventData: () => ({}),
  // A new bucket is the last one, unless the client says otherwise.
  async chooseValues(tx, systemId, given, before) {
    if (before !== null || given.position !== undefined) return {}
    const last = await lastPosition(tx).get({ system: systemId })
    return { position: (last?.position ?? -1) + 1 }
  },
}

const lastPosition = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ position: visibleBuckets.position })
    .from(visibleBuckets)
    .where(eq(visibleBuckets.system_id, system))
    .orderBy(desc(visibleBuckets.position))
    .limit(1),
)
