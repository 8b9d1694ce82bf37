import { t } from 'elysia'
import type { Deps } from '../../service/deps'
import { readMessage } from '../../service/read/v2'
import { directRead } from '../directReads'
import { describe } from '../openapi'
import { parsePathId } from '../query'
import { routes } from '../routeGroup'

export function messageRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/messages/:message',
    directRead('message', (viewer, given) =>
      readMessage(deps, viewer, parsePathId('message', given)),
    ),
    {
      params: t.Object({
        message: t.String({
          description:
            'ID of the proxied message, or for 30 minutes of the message that triggered it',
        }),
      }),
      detail: describe({
        tag: 'Messages',
        id: 'getMessage',
        summary: 'Get a proxied message',
        description:
          'By either ID: that of the proxied message, or for 30 minutes that of the message that triggered it. `member` and `system` are `null` once they are deleted.',
        responses: { 200: 'Message' },
        errors: ['badRequest', 'messageNotFound'],
      }),
    },
  )
}
