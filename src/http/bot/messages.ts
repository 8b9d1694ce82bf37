import { t } from 'elysia'
import { withBareIds } from '../../model/message'
import type { Deps } from '../../service/deps'
import { decideMessage } from '../../service/proxying'
import { deleteMessages, recordMessage } from '../../service/recording'
import {
  decisionToBot,
  deletedFromBot,
  incomingFromBot,
  MAX_DELETED,
  recordFromBot,
  schemasBot,
} from '../../wire/bot'
import { listBody } from '../../wire/schema'
import { messageToV2 } from '../../wire/v2'
import { describe, writeErrors } from '../docs'
import { pathIdOf } from '../query'
import { showMember, showSystem } from '../v2/views'
import { botRoutes, TAG } from './named'

/** Deciding what becomes of a message, and keeping the record of what was sent. */
export function messageRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit)
    .post(
      '/proxy',
      async ({ platform, body }) => {
        const incoming = incomingFromBot(body, platform)
        const at = incoming.at ?? deps.now()
        const { decision, system } = await decideMessage(deps, { ...incoming, platform, at })
        const member = decision.action === 'proxy' ? showMember(decision.member, true) : null
        return decisionToBot(decision, system?.hid, member)
      },
      {
        body: schemasBot.incoming,
        detail: describe({
          tag: TAG,
          summary: 'Decide what becomes of a message',
          description:
            'A `proxy` changes nothing until the message is recorded; `autoproxy_off` and `unlatch` take effect at once.',
          answers: { 200: schemasBot.decision },
          errors: [...writeErrors, 'invalidBody', 'forbidden'],
        }),
      },
    )
    .post(
      '/messages',
      async ({ platform, body, set }) => {
        const { message, member, system, isNew } = await recordMessage(
          deps,
          recordFromBot(body, platform),
        )
        set.status = isNew ? 201 : 200
        return messageToV2(
          withBareIds(message),
          system && showSystem(system, true),
          member && showMember(member, true),
        )
      },
      {
        body: schemasBot.record,
        detail: describe({
          tag: TAG,
          summary: 'Record a proxied message',
          description: 'With all its effects at once. Sent again, it changes nothing.',
          answers: { 201: 'Message', 200: 'Message' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'notYourMember', 'conflict'],
        }),
      },
    )
    .delete(
      '/messages/:id',
      async ({ params, platform, set }) => {
        await deleteMessages(deps, [pathIdOf(platform, 'id', params.id)])
        set.status = 204
      },
      {
        params: t.Object({ id: t.String({ description: 'ID of a proxied message' }) }),
        detail: describe({
          tag: TAG,
          summary: 'Forget a message',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
    .post(
      '/messages/delete',
      async ({ platform, body, set }) => {
        await deleteMessages(deps, deletedFromBot(body, platform))
        set.status = 204
      },
      {
        body: listBody('IDs of proxied messages', MAX_DELETED),
        detail: describe({
          tag: TAG,
          summary: 'Forget many messages',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
}
