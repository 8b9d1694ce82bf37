import { t } from 'elysia'
import { isOwner } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { getMessage } from '../../service/messages'
import { messageToV2 } from '../../wire/v2'
import { describe } from '../docs'
import { pathSnowflake } from '../query'
import { routes } from '../viewer'
import { showMember, showSystem } from './views'

export function messageRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/messages/:message',
    async ({ params, viewer }) => {
      const id = pathSnowflake('message', params.message)
      const { message, member, system } = await getMessage(deps, id)
      const owner = isOwner(viewer, message.system_id)
      return messageToV2(
        message,
        system && showSystem(system, owner),
        member && showMember(member, owner),
      )
    },
    {
      params: t.Object({
        message: t.String({
          description:
            'ID of the proxied message, or for 30 minutes of the message that triggered it',
        }),
      }),
      detail: describe({
        tag: 'Messages',
        summary: 'Get a proxied message',
        answers: { 200: 'Message' },
        errors: ['badRequest', 'messageNotFound'],
      }),
    },
  )
}
