import { Elysia, t } from 'elysia'
import { error } from '../model/core/errors'
import { anonymousViewer } from '../model/core/privacy'
import { pictureTypes } from '../model/pictures/picture'
import type { Deps } from '../service/core/deps'
import { findPicture, hasPicture } from '../service/pictures/pictures'
import type { ApiModule } from './server/apiModule'
import { describe } from './server/openapi'
import { includesETag } from './server/response'

const CACHE_SECONDS = 24 * 60 * 60

/** Headers of every response: a picture is never run as a page, whatever its bytes are. */
const protection = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
}

/** Serves pictures to every caller that has their random name, as hosts of avatars do. */
export function pictures(deps: Deps): ApiModule {
  const prefix = '/pictures'
  return {
    prefix,
    routes: () =>
      new Elysia({ prefix, normalize: false }).get(
        '/:file',
        async ({ params, request }) => {
          const { file } = params
          const etag = `"${file}"`
          // A day, because a picture that was deleted would remain in caches for as long.
          const caching = { 'cache-control': `public, max-age=${CACHE_SECONDS}`, etag }
          const ifNoneMatch = request.headers.get('if-none-match')
          if (ifNoneMatch !== null && includesETag(ifNoneMatch, etag)) {
            if (!(await hasPicture(deps, anonymousViewer, file))) throw error('notFound')
            return new Response(null, { status: 304, headers: { ...caching, ...protection } })
          }
          const picture = await findPicture(deps, anonymousViewer, file)
          if (!picture) throw error('notFound')
          const headers = { 'content-type': pictureTypes[picture.type], ...caching, ...protection }
          return new Response(Buffer.from(picture.bytes, 'base64'), { headers })
        },
        {
          params: t.Object({
            file: t.String({ description: 'Name of the file, as in the URL of the picture' }),
          }),
          detail: describe({
            tag: 'Pictures',
            id: 'getPicture',
            summary: 'Get a picture',
            description:
              'Returns the bytes of a picture. They never change, and may be cached for a day: a picture that was deleted is not found.',
            responses: { 200: t.String({ format: 'binary' }) },
            types: Object.values(pictureTypes),
            errors: ['notFound'],
          }),
        },
      ),
    policy: { isPublic: true, headers: protection },
    resources: {},
  }
}
