import { bucket } from '../../model/friends/bucket'
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
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { idParams, ownedRoutes, ownReadErrors } from './ownedRoutes'

const references = { type: 'array', items: { type: 'string' } }

/** Lists privacy buckets, and replaces what one contains. */
export function bucketListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get('/buckets', async ({ viewer }) => (await listBuckets(deps, viewer)).map(bucketToExt), {
      detail: describe({
        tag: 'Friends',
        id: 'listBuckets',
        summary: 'List privacy buckets',
        description: 'By `position`, with the numbers of what is in each.',
        requiresAuth: true,
        responses: { 200: ['Bucket'] },
        errors: ownReadErrors,
      }),
    })
    .put(
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
          description:
            'Each list replaces the present one; kinds that are not given do not change.',
          responses: { 200: 'Bucket' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'bucketNotFound',
            'fieldNotFound',
            'memberRefNotFound',
            'groupRefNotFound',
            'notYourMemberRef',
            'notYourGroupRef',
          ],
        }),
      },
    )
}

/** Creates, changes and deletes one privacy bucket. */
export function bucketRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: bucket,
    path: 'buckets',
    listPath: 'buckets',
    name: 'Bucket',
    noun: 'privacy bucket',
    tag: 'Friends',
    component: 'Bucket',
    missing: 'bucketNotFound',
    errors: [],
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
  })
}
