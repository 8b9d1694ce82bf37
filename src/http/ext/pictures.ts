import { t } from 'elysia'
import { MAX_PICTURE_BYTES, pictureTypes } from '../../model/pictures/picture'
import { originPageToExt, pictureToExt } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import {
  deleteGroupPicture,
  deleteMemberPicture,
  deleteSystemPicture,
  putGroupPicture,
  putMemberPicture,
  putSystemPicture,
} from '../../service/pictures/pictures'
import { listOrigins } from '../../service/transfer/import/origins'
import { arrivalLimits } from '../server/bodyArrival'
import { describe, ownReadErrors, ownWriteErrors } from '../server/openapi'
import {
  parameter,
  parameters,
  parseLimit,
  requiredParameter,
  requireSingleValue,
} from '../server/query'
import { type BodyStream, routes, uploadRoutes } from '../server/routeGroup'
import { groupRef, memberRef } from '../v2/params'

const TAG = 'Pictures'

const bodyTypes = Object.values(pictureTypes)

/** Smallest GIF, of one pixel. */
const EXAMPLE_PICTURE = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'

/** Picture as a body; its type is detected from its first bytes. */
const pictureBody = t.Unsafe<BodyStream>({
  ...t.Unknown(),
  type: 'string',
  format: 'binary',
  description: 'PNG, JPEG, WebP or GIF of at most 512 KiB, and of 4,096 pixels a side',
  example: EXAMPLE_PICTURE,
})

const PUT_TEXT =
  'Send the bytes of the picture as the body. Its type is detected from the bytes. Exif, XMP, texts and comments, which may tell where and with what a photo was taken, are removed; the orientation stays. The server must know its `PUBLIC_URL`. A picture that this one replaces is deleted at once, unless another URL of your system names it; one that no URL names for another reason, after a day.'

const DELETE_TEXT =
  'The picture is not found from then on, unless another URL of your system names it.'

const putErrors = [...ownWriteErrors, 'limitReached'] as const
const deleteErrors = [...ownWriteErrors, 'notFound'] as const
const memberErrors = ['memberNotFound', 'notYourMember'] as const
const groupErrors = ['groupNotFound', 'notYourGroup'] as const

/** Uploads and deletes pictures of members, groups and the own system. */
export function pictureRoutes(deps: Deps) {
  return uploadRoutes(MAX_PICTURE_BYTES, arrivalLimits.file)
    .put(
      '/members/:memberRef/picture',
      async ({ params, viewer, body }) =>
        pictureToExt(await putMemberPicture(deps, viewer, params.memberRef, body.open())),
      {
        params: t.Object({ memberRef }),
        body: pictureBody,
        detail: describe({
          tag: TAG,
          id: 'putMemberPicture',
          summary: 'Set the picture of a member',
          description: `Sets \`avatar_url\`. ${PUT_TEXT}`,
          bodyTypes,
          responses: { 200: 'Picture' },
          errors: [...putErrors, ...memberErrors],
        }),
      },
    )
    .delete(
      '/members/:memberRef/picture',
      async ({ params, viewer, set }) => {
        await deleteMemberPicture(deps, viewer, params.memberRef)
        set.status = 204
      },
      {
        params: t.Object({ memberRef }),
        detail: describe({
          tag: TAG,
          id: 'deleteMemberPicture',
          summary: 'Remove the picture of a member',
          description: `Clears \`avatar_url\` if it names a picture of this server. ${DELETE_TEXT}`,
          responses: { 204: null },
          errors: [...deleteErrors, ...memberErrors],
        }),
      },
    )
    .put(
      '/groups/:groupRef/picture',
      async ({ params, viewer, body }) =>
        pictureToExt(await putGroupPicture(deps, viewer, params.groupRef, body.open())),
      {
        params: t.Object({ groupRef }),
        body: pictureBody,
        detail: describe({
          tag: TAG,
          id: 'putGroupPicture',
          summary: 'Set the icon of a group',
          description: `Sets \`icon\`. ${PUT_TEXT}`,
          bodyTypes,
          responses: { 200: 'Picture' },
          errors: [...putErrors, ...groupErrors],
        }),
      },
    )
    .delete(
      '/groups/:groupRef/picture',
      async ({ params, viewer, set }) => {
        await deleteGroupPicture(deps, viewer, params.groupRef)
        set.status = 204
      },
      {
        params: t.Object({ groupRef }),
        detail: describe({
          tag: TAG,
          id: 'deleteGroupPicture',
          summary: 'Remove the icon of a group',
          description: `Clears \`icon\` if it names a picture of this server. ${DELETE_TEXT}`,
          responses: { 204: null },
          errors: [...deleteErrors, ...groupErrors],
        }),
      },
    )
    .put(
      '/systems/@me/picture',
      async ({ viewer, body }) => pictureToExt(await putSystemPicture(deps, viewer, body.open())),
      {
        body: pictureBody,
        detail: describe({
          tag: TAG,
          id: 'putSystemPicture',
          summary: 'Set the picture of your system',
          description: `Sets \`avatar_url\`. ${PUT_TEXT}`,
          bodyTypes,
          responses: { 200: 'Picture' },
          errors: [...putErrors],
        }),
      },
    )
    .delete(
      '/systems/@me/picture',
      async ({ viewer, set }) => {
        await deleteSystemPicture(deps, viewer)
        set.status = 204
      },
      {
        detail: describe({
          tag: TAG,
          id: 'deleteSystemPicture',
          summary: 'Remove the picture of your system',
          description: `Clears \`avatar_url\` if it names a picture of this server. ${DELETE_TEXT}`,
          responses: { 204: null },
          errors: [...deleteErrors],
        }),
      },
    )
}

/** Lists where rows came from, by which a page finds the members of an avatar archive. */
export function originRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/systems/@me/origins',
    async ({ viewer, query }) => {
      const page = await listOrigins(deps, viewer, {
        app: requireSingleValue('app', query.app) ?? '',
        collection: requireSingleValue('collection', query.collection) ?? '',
        after: requireSingleValue('after', query.after) ?? '',
        limit: parseLimit(query.limit, 100, 1_000),
      })
      return originPageToExt(page)
    },
    {
      query: parameters({
        app: requiredParameter({
          type: 'string',
          description: 'App that the file came from',
          example: 'simplyplural',
        }),
        collection: requiredParameter({
          type: 'string',
          description: 'Collection of the file',
          example: 'members',
        }),
        limit: parameter({
          type: 'integer',
          description: 'Number of rows: 100 by default, at most 1,000',
        }),
        after: parameter({ type: 'string', description: '`next` of the page before' }),
      }),
      detail: describe({
        tag: 'Import and export',
        id: 'listOrigins',
        summary: 'List the origins of imported rows',
        description:
          'Returns the IDs that rows of one collection had in imported files, each with the UUID of the row here, in the order of the IDs.',
        requiresAuth: true,
        responses: { 200: 'OriginPage' },
        errors: ownReadErrors,
      }),
    },
  )
}
