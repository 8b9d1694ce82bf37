import type { bucket } from '../../model/friends/bucket'
import { type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'

export const bucketKind: OwnedRowKind<typeof bucket> = {
  ...ownedRowFacts('buckets'),
  references: {},
  events: { created: 'CREATE_BUCKET', changed: 'UPDATE_BUCKET', removed: 'DELETE_BUCKET' },
  permissions: { read: 'manage_friends', write: 'manage_friends' },
  eventData: () => ({}),
}
