import { t } from 'elysia'
import { error } from '../../model/errors'
import { normalizeId } from '../../model/platform'
import { isOwner } from '../../model/privacy'
import type { Deps } from '../../service/deps'
import { getMessage } from '../../service/messages'
import { messageToV1, schemasV1 } from '../../wire/v1'
import { describe } from '../openapi'
import { routes } from '../routes'
import { showMember, showSystem, TAG } from './views'

export function messageRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/msg/:id',
    async ({ params, viewer }) => {
      const id = normalizeId(params.id)
      if (id === null) throw error('messageNotFound')
      const { message, member, system } = await getMessage(deps, id)
      const owner = isOwner(viewer, message.system_id)
      return messageToV1(
        message,
        system && showSystem(system, owner),
        member && showMember(member, owner),
      )
    },
    {
      params: t.Object({
        id: t.String({ description: 'ID of a proxied message, or of the one that triggered it' }),
      }),
      detail: describe({
        tag: TAG,
        deprecated: true,
        id: 'getMessageV1',
        summary: 'Get a proxied message',
        description: 'In version 2: `GET /v2/messages/{message}`.',
        answers: { 200: schemasV1.message },
        errors: ['badRequest', 'messageNotFound'],
      }),
    },
  )
}
