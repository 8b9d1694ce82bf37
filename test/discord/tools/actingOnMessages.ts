import type { MessageInput } from '../standIn/controlMessages'
import type { SeenInteraction, SeenMessage } from '../standIn/controlRead'
import type { InProcessBot } from './inProcessBot'
import { MARKER } from './testBot'

const CONFIRMATION_MS = 1

/** A proxied message of an author of its own, in a channel of its own. */
export interface ProxiedMessage {
  readonly author: Awaited<ReturnType<InProcessBot['newAuthor']>>
  readonly channelId: string
  readonly messageId: string
  readonly link: string
}

/** Actions of people on proxied messages, and what they see afterwards. */
export function createActions(bot: InProcessBot) {
  const { users, guild } = bot

  /** Waits until an interaction was answered, and its deferred answer arrived. */
  const untilAnswered = ({ id }: { id: string }): Promise<SeenInteraction> =>
    users.until(
      () => users.interaction({ id }),
      ({ answer, messages }) => answer !== null && messages.every(({ isLoading }) => !isLoading),
    )

  return {
    untilAnswered,
    /** Lets the pause pass after which the bot deletes the confirmation of an interaction. */
    async untilConfirmationDeleted(id: string): Promise<void> {
      await bot.clock.untilTimer(CONFIRMATION_MS)
      await bot.clock.advance(CONFIRMATION_MS)
      await users.until(
        () => users.interaction({ id }),
        ({ messages }) => messages.length === 0,
      )
    },
    linkOf: (channelId: string, messageId: string) =>
      `https://discord.com/channels/${guild.id}/${channelId}/${messageId}`,
    /** Sends a message, and waits until its copy has replaced it. */
    async proxied(
      content = 'r:hello',
      input: Partial<MessageInput> & { isOld?: boolean } = {},
    ): Promise<ProxiedMessage> {
      const { isOld = false, ...fields } = input
      const author = await bot.newAuthor()
      const channelId = input.channelId ?? (await bot.newChannel())
      const TWO_MINUTES = 120_000
      if (isOld) await users.advanceClock({ ms: -TWO_MINUTES })
      await users.sendMessage({ userId: author.id, ...fields, channelId, content })
      const all = await bot.untilMessages(
        channelId,
        (seen) => seen.some(isCopy) && seen.every(({ author: { id } }) => id !== author.id),
      )
      if (isOld) await users.advanceClock({ ms: TWO_MINUTES })
      const messageId = all.find(isCopy)?.id ?? ''
      const link = `https://discord.com/channels/${guild.id}/${channelId}/${messageId}`
      return { author, channelId, messageId, link }
    },
    /** Writes a command, and waits for the text of the answer. */
    async ask(userId: string, channelId: string | null, content: string, replyTo?: string) {
      const sent = await users.sendMessage({
        userId,
        content,
        ...(channelId !== null && { channelId }),
        ...(replyTo !== undefined && { replyTo }),
      })
      const isAnswer = (message: SeenMessage) => message.replyTo === sent.id
      const messages = await users.until(
        () =>
          channelId === null ? users.directMessages({ userId }) : users.messages({ channelId }),
        (all) => all.some(isAnswer),
      )
      const answer = messages.find(isAnswer)
      if (!answer) throw new Error('no answer')
      return answer
    },
    /** Uses a slash command or a menu, and waits for the answer. */
    invoke: async (
      userId: string,
      channelId: string,
      command: string,
      rest: Partial<Parameters<typeof users.invokeCommand>[0]> = {},
    ): Promise<SeenInteraction> =>
      untilAnswered(await users.invokeCommand({ userId, channelId, command, ...rest })),
  }
}

function isCopy({ author }: SeenMessage): boolean {
  return author.isWebhook
}

/** Text of an answer, with that of its embeds and without the marker. */
export function wholeText({ content, embeds }: SeenMessage): string {
  return `${content} ${JSON.stringify(embeds)}`.replaceAll(MARKER, '')
}
