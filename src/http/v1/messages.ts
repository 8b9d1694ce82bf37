import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { normalizeId } from '../../model/core/platform'
import { memberToV1, messageToV1, schemasV1, systemToV1 } from '../../serializers/v1'
import type { Deps } from '../../service/core/deps'
import { getVisibleMessage } from '../../service/proxy/messages'
import { describe } from '../server/openapi'
import { routes } from '../server/routeGroup'
import { TAG } from './views'

export function messageRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/msg/:id',
    async ({ params, viewer }) => {
      const id = normalizeId(params.id)
      if (id === null) throw error('messageNotFound')
      const { message, member, system } = await getVisibleMessage(deps, viewer, id)
      return messageToV1(message, system && systemToV1(system), member && memberToV1(member))
    },
    {
      params: t.Object({
        id: t.String({ description: 'ID of a proxied message, or of its original message' }),
      }),
      detail: describe({
        tag: TAG,
        deprecated: true,
        id: 'getMessageV1',
        summary: 'Get a proxied message',
        description: 'In version 2: `GET /v2/messages/{message}`.',
        responses: { 200: schemasV1.message },
        errors: ['badRequest', 'messageNotFound'],
      }),
    },
  )
}
