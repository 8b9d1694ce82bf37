import { t } from 'elysia'
import { token } from '../../model/access/token'
import { error } from '../../model/core/errors'
import { bodySchema } from '../../serializers/schema'
import { createdTokenToV2, tokenFromV2, tokenToV2 } from '../../serializers/v2'
import { createToken, listTokens, revokeToken } from '../../service/access/tokens'
import type { Deps } from '../../service/core/deps'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

const TAG = 'Access'

/** Tokens of a system and their scopes. */
export function tokenRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/tokens',
      async ({ viewer }) => (await listTokens(deps, viewer)).map(tokenToV2),
      {
        detail: describe({
          tag: TAG,
          id: 'listTokens',
          summary: 'List tokens',
          description:
            'Returns the names and scopes of your system’s tokens, never the tokens themselves.',
          requiresAuth: true,
          responses: { 200: ['Token'] },
          errors: ['unauthorized', 'forbidden'],
        }),
      },
    )
    .post(
      '/systems/@me/tokens',
      async ({ viewer, body, set }) => {
        const created = await createToken(deps, viewer, tokenFromV2(body, deps.now()))
        set.status = 201
        return createdTokenToV2(created)
      },
      {
        body: bodySchema(token, 'draft'),
        detail: describe({
          tag: TAG,
          id: 'createOwnToken',
          summary: 'Create a token',
          description:
            'The token is shown only once. A session can create only tokens of the scopes `watch` and `calendar`.',
          responses: { 201: 'NewToken' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/@me/tokens/:name',
      async ({ params, viewer, set }) => {
        if (!(await revokeToken(deps, viewer, params.name))) throw error('notFound')
        set.status = 204
      },
      {
        params: t.Object({ name: t.String({ description: 'Name of a token' }) }),
        detail: describe({
          tag: TAG,
          id: 'revokeToken',
          summary: 'Revoke a token',
          description:
            'The token stops working immediately, and its sessions and streams are closed.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'notFound'],
        }),
      },
    )
}
