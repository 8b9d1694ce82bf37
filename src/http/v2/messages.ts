import { t } from 'elysia'
import type { Viewer } from '../../model/core/privacy'
import type { Deps } from '../../service/core/deps'
import { readMessage } from '../../service/reads/objects'
import { describe } from '../server/openapi'
import { parsePathId } from '../server/query'
import { direct, routes } from '../server/routeGroup'

export function messageRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get('/messages/:message', direct(deps, getMessage), {
    params: t.Object({
      message: t.String({
        description: 'ID of the proxied message or, for 30 minutes, of its original message',
      }),
    }),
    detail: describe({
      tag: 'Messages',
      id: 'getMessage',
      summary: 'Get a proxied message',
      description:
        'Looks a message up by its ID or, for 30 minutes, by the ID of the original message. `member` and `system` are `null` if they were deleted.',
      responses: { 200: 'Message' },
      errors: ['badRequest', 'messageNotFound'],
    }),
  })
}

function getMessage(deps: Deps, viewer: Viewer, id: string) {
  return readMessage(deps, viewer, parsePathId('message', id))
}
