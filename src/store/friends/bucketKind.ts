import { ownedRowFacts } from '../core/ownedRows'

export const bucketKind = ownedRowFacts('buckets')
