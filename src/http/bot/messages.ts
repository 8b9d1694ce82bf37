import { t } from 'elysia'
import { withBareIds } from '../../model/message'
import {
  decisionToBot,
  deletedFromBot,
  EXAMPLE_MESSAGES,
  incomingFromBot,
  MAX_DELETED,
  recordFromBot,
  schemasBot,
} from '../../serializers/bot'
import { listBody } from '../../serializers/schema'
import { serializeMessage } from '../../serializers/v2'
import type { Deps } from '../../service/deps'
import { decideMessage } from '../../service/proxy/decideMessage'
import { deleteMessages, recordMessage } from '../../service/proxy/recordMessage'
import { describe, writeErrors } from '../openapi'
import { parseBotPathId } from '../query'
import { botRoutes, TAG } from './botRoutes'

/** What a bot does with each action. */
const WHAT_TO_DO = `Ask for every message that is no command of the bot’s own, and do what \`action\` says:

- \`proxy\`: send \`message.content\` under \`message.name\` and \`message.avatar_url\`, record it with \`POST /bot/messages\`, then delete the original. Nothing is counted or latched until it is recorded.
- \`ignore\`: leave the message as it is and say nothing. Keep the \`reason\` for whoever asks why.
- \`refuse\`: leave it as it is; where \`notify\` is true, tell its author the \`text\`, in private if the platform can.
- \`autoproxy_off\`: its author wrote three backslashes, and autoproxy is now off in this guild. Leave the message as it is, or delete it if nothing else is in it; say, if anything, that autoproxy is off.
- \`unlatch\`: its author wrote two backslashes while autoproxy latches, and the latch has now let go: the next message with tags latches anew. Leave the message as it is; nothing needs to be said.

The last two have taken effect when they are answered; do not record anything. With \`dry_run\` nothing takes effect.`

/** Deciding what becomes of a message, and keeping the record of what was sent. */
export function messageRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit)
    .post(
      '/proxy',
      async ({ platform, viewer, body }) => {
        const incoming = incomingFromBot(body, platform)
        const at = incoming.at ?? deps.now()
        const decided = await decideMessage(deps, viewer, { ...incoming, platform, at })
        return decisionToBot(decided.decision, decided.system, decided.member)
      },
      {
        body: schemasBot.incoming,
        detail: describe({
          tag: TAG,
          id: 'decideMessage',
          summary: 'Decide what becomes of a message',
          description: WHAT_TO_DO,
          responses: { 200: schemasBot.decision },
          errors: [...writeErrors, 'invalidBody', 'forbidden'],
        }),
      },
    )
    .post(
      '/messages',
      async ({ platform, viewer, body, set }) => {
        const { message, member, system, isNew } = await recordMessage(
          deps,
          viewer,
          recordFromBot(body, platform),
        )
        set.status = isNew ? 201 : 200
        return serializeMessage(withBareIds(message), system, member)
      },
      {
        body: schemasBot.record,
        detail: describe({
          tag: TAG,
          id: 'recordMessage',
          summary: 'Record a proxied message',
          description:
            'As soon as it is sent, with the platform’s own IDs: counts it, moves the latch, logs the switch where the system wants one, tells the events, all at once. Sent again with the same values it answers 200 and changes nothing, so repeat it until it is answered.',
          responses: { 201: 'Message', 200: 'Message' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'notYourMember', 'conflict'],
        }),
      },
    )
    .delete(
      '/messages/:id',
      async ({ params, platform, viewer, set }) => {
        await deleteMessages(deps, viewer, [parseBotPathId(platform, 'id', params.id)])
        set.status = 204
      },
      {
        params: t.Object({ id: t.String({ description: 'ID of a proxied message' }) }),
        detail: describe({
          tag: TAG,
          id: 'deleteMessage',
          summary: 'Forget a message',
          description: 'When it was deleted on the platform. Fine when it is not there.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
    .post(
      '/messages/delete',
      async ({ platform, viewer, body, set }) => {
        await deleteMessages(deps, viewer, deletedFromBot(body, platform))
        set.status = 204
      },
      {
        body: listBody('IDs of proxied messages', EXAMPLE_MESSAGES, MAX_DELETED),
        detail: describe({
          tag: TAG,
          id: 'deleteMessages',
          summary: 'Forget many messages',
          description: `As one, for up to ${MAX_DELETED} at once: when a moderator cleans a channel.`,
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
}
