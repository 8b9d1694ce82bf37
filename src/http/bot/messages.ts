import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { member } from '../../model/members/member'
import { withBareIds } from '../../model/proxy/message'
import { system } from '../../model/systems/system'
import {
  decisionToBot,
  deletedFromBot,
  EXAMPLE_MESSAGES,
  incomingFromBot,
  MAX_DELETED,
  messageToBot,
  recordFromBot,
  schemasBot,
} from '../../serializers/bot'
import { listBody } from '../../serializers/schema'
import { messageToV2, serializeMessage, toV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { decideMessage } from '../../service/proxy/decideMessage'
import {
  getLastMessage,
  getMessageForAccount,
  type MessageForAccount,
} from '../../service/proxy/messages'
import { deleteMessages, recordMessage } from '../../service/proxy/recordMessage'
import { describe, writeErrors } from '../server/openapi'
import {
  parameter,
  parameters,
  parseBotId,
  parseBotPathId,
  requiredParameter,
} from '../server/query'
import { botRoutes } from '../server/routeGroup'
import { TAG } from './params'

/** Describes what a bot should do for each action. */
const ACTIONS = `Call this for every message that is not a command of the bot, and act on \`action\`:

- \`proxy\`: send \`message.content\` with \`message.name\` and \`message.avatar_url\`, record it with \`POST /bot/messages\`, then delete the original. Nothing is counted or latched until it is recorded.
- \`ignore\`: leave the message unchanged and do not reply. Keep the \`reason\` in case a user asks why the message was not proxied.
- \`refuse\`: leave the message unchanged. If \`notify\` is true, send the \`text\` to its author, in private if the platform supports it.
- \`autoproxy_off\`: the author wrote three backslashes, and autoproxy is now off in this guild. Leave the message unchanged, or delete it if it contains nothing else. A reply is optional.
- \`unlatch\`: the author wrote two backslashes in latch mode, and the latch is now cleared; the next message with proxy tags latches again. Leave the message unchanged. No reply is needed.

The last two have already taken effect when the response arrives; do not record anything. With \`dry_run\`, nothing takes effect.

To proxy a text as a certain member, for example for a command that repeats a message as another member, name the member in \`as\`. Give the ID of the message in \`original\` if the bot may receive a message twice: if its proxied message is recorded, the decision is \`ignore\` with the reason \`already_proxied\`.`

/** Matches messages to members, and records proxied messages. */
export function messageRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit)
    .post(
      '/proxy',
      async ({ platform, viewer, body }) => {
        const incoming = incomingFromBot(body, platform, deps.now)
        const { decision, system, member } = await decideMessage(deps, viewer, incoming)
        return decisionToBot(decision, system, member)
      },
      {
        body: schemasBot.incoming,
        detail: describe({
          tag: TAG,
          id: 'decideMessage',
          summary: 'Decide how to handle a message',
          description: ACTIONS,
          responses: { 200: schemasBot.decision },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'notYourMember'],
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
            'Call this as soon as the message is sent, with the platform’s own IDs. In one transaction it counts the message, moves the latch, logs a switch if the system’s settings ask for one, and records the events. The call is idempotent: repeated with the same values it responds with 200 and changes nothing, so retry it until it succeeds.',
          responses: { 201: 'Message', 200: 'Message' },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'notYourMember', 'conflict'],
        }),
      },
    )
    .get(
      '/messages/:id',
      async ({ params, query, platform, viewer }) => {
        const id = parseBotPathId(platform, 'id', params.id)
        const account = parseBotId(platform, 'account_id', query.account_id)
        return showMessage(await getMessageForAccount(deps, viewer, id, account))
      },
      {
        params: t.Object({
          id: t.String({
            description: 'ID of the proxied message or, for 30 minutes, of its original message',
          }),
        }),
        query: parameters({
          account_id: parameter({ type: 'string', description: 'Account that asks' }),
        }),
        detail: describe({
          tag: TAG,
          id: 'getMessageForAccount',
          summary: 'Get a message for an account',
          description:
            'Returns a recorded message as the account sees it: with private data if the account is linked to the system of the message, and `own` if it may edit or delete the message. Without `account_id`, as a stranger sees it. `member` and `system` are `null` if they were deleted.',
          responses: { 200: 'MessageForAccount' },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'messageNotFound'],
        }),
      },
    )
    .get(
      '/accounts/:account_id/last-message',
      async ({ params, query, platform, viewer }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        const channel = parseBotId(platform, 'channel_id', query.channel_id)
        if (channel === null) throw error('badRequest', 'channel_id is required')
        return showMessage(await getLastMessage(deps, viewer, account, channel))
      },
      {
        params: t.Object({ account_id: t.String({ description: 'ID of a chat account' }) }),
        query: parameters({
          channel_id: requiredParameter({
            type: 'string',
            description: 'Channel, as in the record of the message',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'getLastMessage',
          summary: 'Get the last message of an account',
          description:
            'Returns the last proxied message that the account sent in the channel within ten minutes, for commands such as “edit my last message”.',
          responses: { 200: 'MessageForAccount' },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'messageNotFound'],
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
          summary: 'Delete the record of a message',
          description:
            'Call this when the message was deleted on the platform. Succeeds if no record exists.',
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
          summary: 'Delete the records of many messages',
          description: `Deletes up to ${MAX_DELETED} records at once, for example when a moderator clears a channel.`,
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
}

function showMessage({
  message,
  member: speaker,
  system: owner,
  own,
  pings_enabled,
}: MessageForAccount) {
  const shown = messageToV2(
    withBareIds(message),
    owner && toV2(system, owner),
    speaker && toV2(member, speaker),
  )
  return messageToBot(shown, own, pings_enabled)
}
