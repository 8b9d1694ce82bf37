import { discordBot } from '../model/privacy'
import { claimEvent, settleClaim } from '../service/discord/claims'
import type { Bot } from './bot'
import { hashContent } from './cache/latestMessages'
import { type CommandHandler, findCommandText } from './commandHandler'
import type { GatewayEvent } from './gateway/events'
import { type IncomingMessage, isFromPerson } from './messages/incomingMessage'
import { noteLatest } from './proxying/latest'
import { proxyMessage } from './proxying/proxyMessage'
import { whileDatabaseAway } from './proxying/whileDatabaseAway'
import type { Reactions } from './reactions'
import type { RecordDeletions } from './recordDeletions'

export interface EventParts {
  readonly bot: Bot
  readonly deletions: RecordDeletions
  readonly reactions: Reactions
  /** Null while the bot has no commands. */
  readonly commands: CommandHandler | null
}

/** Handles an event of the gateway, after the caches have handled it. */
export async function handleEvent(parts: EventParts, event: GatewayEvent): Promise<void> {
  switch (event.type) {
    case 'MESSAGE_CREATE':
      return handleMessage(parts, event.data)
    case 'MESSAGE_UPDATE':
      return handleEdit(parts, event.data)
    case 'MESSAGE_DELETE':
      return parts.deletions.add([event.data.id])
    case 'MESSAGE_DELETE_BULK':
      return parts.deletions.add(event.data.ids)
    case 'MESSAGE_REACTION_ADD':
      return parts.reactions.handle(event.data)
    case 'INTERACTION_CREATE': {
      const { id, channel, guild_id, member, user } = event.data
      const sender = member?.user.id ?? user?.id ?? ''
      return claimed(
        parts,
        { id, channel: channel?.id ?? '', guild: guild_id, sender },
        'interaction',
        () => parts.commands?.handleInteraction(event.data),
      )
    }
  }
}

async function handleMessage(parts: EventParts, message: IncomingMessage): Promise<void> {
  const { bot, commands } = parts
  const at = performance.now()
  if (!isFromPerson(message)) return noteLatest(bot, message)
  const text = findCommandText(message.content, bot.prefixes, bot.identity.userId)
  const { id, channel_id: channel, guild_id: guild, author } = message
  if (text !== null) {
    noteLatest(bot, message, true)
    bot.ignored.remember(id, 'command')
    bot.metrics?.countMessage('ignored', 'command')
    if (text === '') return
    return claimed(parts, { id, channel, guild, sender: author.id }, 'command', () =>
      commands?.handleText(message, text),
    )
  }
  if (await commands?.handleAnswer(message)) return noteLatest(bot, message, true)
  if (guild === undefined) return
  await inOrder(bot, message, () =>
    proxyMessage(bot, { ...message, guild_id: guild }, { isEdit: false, at }),
  )
}

/** Proxies a message that was edited, if it is still the latest one. Pins and previews are no edits. */
async function handleEdit({ bot }: EventParts, message: IncomingMessage): Promise<void> {
  const at = performance.now()
  const { guild_id: guild } = message
  const isComplete = message.author !== undefined && message.content !== undefined
  if (guild === undefined || !isComplete || message.edited_timestamp === null) return
  if (!isFromPerson(message)) return
  await inOrder(bot, message, async () => {
    const latest = bot.latest.find(message.channel_id)
    const contentHash = hashContent(message.content)
    if (latest?.id !== message.id || latest.isCommand || latest.contentHash === contentHash) return
    bot.latest.set(message.channel_id, { ...latest, contentHash })
    if (findCommandText(message.content, bot.prefixes, bot.identity.userId) !== null) return
    await proxyMessage(bot, { ...message, guild_id: guild }, { isEdit: true, at })
  })
}

/** Handles messages of a channel one after the other; too many are left alone. */
async function inOrder(
  { queues, ignored, metrics }: Bot,
  { id, channel_id }: IncomingMessage,
  work: () => Promise<void>,
): Promise<void> {
  const done = queues.add(channel_id, work)
  if (done) return done
  ignored.remember(id, 'queue_full')
  metrics?.countMessage('dropped', 'queue_full')
}

/** Runs work for an event at most once, whichever process received it and however often. */
async function claimed(
  { bot, commands }: EventParts,
  event: { id: string; channel: string; guild: string | undefined; sender: string },
  kind: 'command' | 'interaction',
  work: () => Promise<void> | undefined,
): Promise<void> {
  if (!commands || !bot.maySend()) return
  const { id, channel, guild = null, sender } = event
  const node = `${bot.node} ${crypto.randomUUID()}`
  const draft = { id, kind, node, guild, channel, thread: null, sender, member: null, digest: null }
  const deadline = performance.now() + bot.timing.databaseMs
  bot.underWay.add(id)
  try {
    const isNew = await whileDatabaseAway(bot, deadline, () =>
      claimEvent(bot.deps, discordBot, draft),
    )
    if (!isNew) return
    await work()
    await settleClaim(bot.deps, discordBot, id, 'done')
  } finally {
    bot.underWay.delete(id)
  }
}
