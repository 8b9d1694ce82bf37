import { bucketContentsFromExt, bucketToExt } from '../../serializers/extFriends'
import { EXAMPLE_MEMBER, rawBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import {
  createBucket,
  deleteBucket,
  listBuckets,
  orderBuckets,
  patchBucket,
  putBucketContents,
} from '../../service/friends/buckets'
import { describe, memberRefErrors, ownWriteErrors } from '../server/openapi'
import { idParams, ownedRoutes } from './ownedRoutes'

const references = { type: 'array', items: { type: 'string' } }

export function bucketRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'buckets',
    listPath: 'buckets',
    noun: 'privacy bucket',
    tag: 'Friends',
    docs: {
      create: 'A friend sees the members, groups and custom fields that share a bucket with them.',
      patch: 'Changes only the given keys.',
      delete: 'Ends sharing by this bucket. What was in it remains.',
    },
    operations: {
      create: createBucket,
      patch: patchBucket,
      delete: deleteBucket,
      order: orderBuckets,
    },
    serialize: bucketToExt,
    listing: {
      read: listBuckets,
      isPaged: false,
      serialize: bucketToExt,
      description: 'By `position`, with the numbers of what is in each.',
    },
  }).put(
    '/buckets/:id/contents',
    async ({ params, viewer, body }) =>
      bucketToExt(await putBucketContents(deps, viewer, params.id, bucketContentsFromExt(body))),
    {
      params: idParams,
      body: rawBody({
        type: 'object',
        properties: { members: references, groups: references, fields: references },
        example: { members: [EXAMPLE_MEMBER] },
      }),
      detail: describe({
        tag: 'Friends',
        id: 'setBucketContents',
        summary: 'Replace what a privacy bucket contains',
        description: 'Each list replaces the present one; kinds that are not given do not change.',
        responses: { 200: 'Bucket' },
        errors: [
          ...ownWriteErrors,
          'invalidBody',
          'bucketNotFound',
          'fieldNotFound',
          ...memberRefErrors,
          'groupRefNotFound',
          'notYourGroupRef',
        ],
      }),
    },
  )
}
