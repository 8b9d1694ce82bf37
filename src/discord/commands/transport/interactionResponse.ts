import type { APIInteraction } from 'discord-api-types/v10'
import type { Bot } from '../../bot/bot'
import { describeError } from '../../bot/core'
import { hasCode } from '../../rest/errors'
import type { Texts } from '../../text/texts'
import { type Answer, toMessageBody, toModalBody } from '../answer'
import type { Choice } from '../slash/complete'

/** Types of "Interaction Callback Type". */
const Callback = {
  Message: 4,
  DeferredMessage: 5,
  DeferredUpdate: 6,
  Update: 7,
  Choices: 8,
  Modal: 9,
} as const

const EPHEMERAL = 1 << 6

/** The interaction, its channel or its message is gone, or it was answered before. */
const GONE = [10003, 10008, 10015, 10062, 40060, 50027]

/** Response to one interaction. Its token authorizes it and appears in no log. */
export interface InteractionResponse {
  /** Tells Discord that the answer takes longer; does nothing if it was told before. */
  defer(): Promise<void>
  send(answer: Answer): Promise<void>
  sendChoices(choices: readonly Choice[]): Promise<void>
}

export function createInteractionResponse(
  bot: Bot,
  interaction: APIInteraction,
  texts: Texts,
): InteractionResponse {
  const { rest, identity, background, stopSignal, log } = bot
  const { id: interaction_id, token } = interaction
  const source = 'message' in interaction ? interaction.message : undefined
  /** Announcement of a late answer, which must wait for it; null if there was none. */
  let deferred: Promise<void> | null = null

  const attempt = async (request: Promise<unknown>) => {
    try {
      await request
    } catch (cause) {
      if (!hasCode(cause, ...GONE)) throw cause
      log.debug('Discord interaction not answered', {
        interaction: interaction_id,
        error: describeError(cause),
      })
    }
  }
  const respond = (type: number, data?: object) =>
    attempt(
      rest.request('POST', '/interactions/{interaction_id}/{interaction_token}/callback', {
        params: { interaction_id, interaction_token: token },
        body: { type, ...(data && { data }) },
        auth: false,
      }),
    )
  const webhook = { webhook_id: identity.applicationId, webhook_token: token }
  const followUp = (body: object) =>
    attempt(
      rest.request('POST', '/webhooks/{webhook_id}/{webhook_token}', {
        params: webhook,
        body,
        auth: false,
      }),
    )
  const original = (method: 'PATCH' | 'DELETE', body?: object) =>
    attempt(
      rest.request(method, '/webhooks/{webhook_id}/{webhook_token}/messages/@original', {
        params: webhook,
        ...(body && { body }),
        auth: false,
      }),
    )

  /** A private answer replaces only a message that other accounts do not see. */
  const isReplacement = ({ replaces, isPrivate }: Answer): boolean => {
    if (!replaces || !source) return false
    const isHidden = interaction.guild_id === undefined || ((source.flags ?? 0) & EPHEMERAL) !== 0
    return !isPrivate || isHidden
  }

  const sendFirst = (answer: Answer) => {
    if (answer.modal) return respond(Callback.Modal, toModalBody(answer.modal))
    if (isReplacement(answer)) return respond(Callback.Update, toMessageBody(answer))
    return respond(Callback.Message, toNewMessage(answer))
  }

  /** Sends the answer after `defer`, when Discord expects no first response any more. */
  const sendLate = async (answer: Answer) => {
    // A form can only be the first response.
    if (answer.modal) return sendLate({ content: texts.refusal(texts.unavailable) })
    if (isReplacement(answer)) return original('PATCH', toMessageBody(answer))
    // A pressed button announced no message of its own.
    if (source) return followUp(toNewMessage(answer))
    if (!answer.isPublic) return original('PATCH', toMessageBody(answer))
    // The message that was announced is ephemeral, and its visibility cannot be changed.
    await original('PATCH', toMessageBody({ content: texts.done }))
    return followUp(toNewMessage(answer))
  }

  return {
    defer() {
      deferred ??= source
        ? respond(Callback.DeferredUpdate)
        : respond(Callback.DeferredMessage, { flags: EPHEMERAL })
      return deferred
    },
    async send(commandAnswer) {
      const isEmpty =
        !commandAnswer.content && !commandAnswer.embeds?.length && !commandAnswer.modal
      const answer = isEmpty ? { ...commandAnswer, content: texts.done } : commandAnswer
      if (deferred) {
        await deferred
        await sendLate(answer)
      } else await sendFirst(answer)
      const { copy, deleteAfter } = answer
      if (copy !== undefined) await followUp(toNewMessage({ content: copy }))
      if (deleteAfter === undefined) return
      background.run('deletion of an answer', async () => {
        await stopSignal.sleep(deleteAfter)
        await original('DELETE')
      })
    },
    sendChoices: (choices) => respond(Callback.Choices, { choices }),
  }
}

/** Every answer is ephemeral, unless the whole channel may see it. */
function toNewMessage(answer: Answer): object {
  return { ...toMessageBody(answer), ...(!answer.isPublic && { flags: EPHEMERAL }) }
}
