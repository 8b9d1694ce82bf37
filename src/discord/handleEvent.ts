import type { APIInteraction } from 'discord-api-types/v10'
import { discordBot } from '../model/core/privacy'
import { withTimeout } from '../runtime/timers/withTimeout'
import { claimEvent, settleClaim } from '../service/discord/claims'
import type { Bot } from './bot/bot'
import { hashContent } from './cache/latestMessages'
import { type CommandText, findCommandText } from './commands/grammar/prefix'
import type { CommandHandler } from './commands/transport/commandHandler'
import type { Reaction, Reactions } from './commands/transport/reactions'
import type { GatewayEvent } from './gateway/events'
import { type IncomingMessage, isFromPerson } from './messages/incomingMessage'
import type { Work } from './proxying/channelQueues'
import { noteLatest } from './proxying/latest'
import { proxyMessage } from './proxying/proxyMessage'
import type { RecordDeletions } from './proxying/recordDeletions'
import { whileDatabaseAway } from './proxying/whileDatabaseAway'

export interface EventParts {
  readonly bot: Bot
  readonly deletions: RecordDeletions
  readonly reactions: Reactions
  readonly commands: CommandHandler
}

/** Handles an event of the gateway, after the caches have handled it. */
export async function handleEvent(
  parts: EventParts,
  event: GatewayEvent,
  id: string,
): Promise<void> {
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
      return handleReaction(parts, event.data, id)
    case 'INTERACTION_CREATE':
      return handleInteraction(parts, event.data)
  }
}

/** Handles a message of a person after those that arrived before it in its channel. */
async function handleMessage(parts: EventParts, message: IncomingMessage): Promise<void> {
  const { bot, commands } = parts
  const at = bot.deps.clock.monotonic()
  if (!isFromPerson(message)) return noteLatest(bot, message)
  const command = findCommand(bot, message)
  // Taken on arrival, so that the commands of an account keep their order.
  const turnMs = command ? commands.text.takeTurn(message) : 0
  const isHandled = await inOrder(bot, message, async (leave) => {
    // The command before it may have asked a question.
    if (command !== null || commands.text.isAnswer(message))
      return handleCommand(parts, message, { command, leave, isDue: turnMs === 0 })
    const { guild_id: guild } = message
    if (guild !== undefined)
      await proxyMessage(bot, { ...message, guild_id: guild }, { isEdit: false, at })
  })
  if (!command) return
  if (!isHandled || turnMs === null) return refuseBusy(parts, message)
  if (turnMs > 0) await handleLater(parts, message, command, at + turnMs)
}

/**
 * Runs a command that had to wait for its turn. The wait holds up no other message, and comes before
 * the claim: if the process ends meanwhile, Discord replays the command to the next one.
 */
async function handleLater(
  parts: EventParts,
  message: IncomingMessage,
  command: CommandText,
  dueAt: number,
): Promise<void> {
  const { bot } = parts
  await bot.stopSignal.sleep(dueAt - bot.deps.clock.monotonic())
  const isHandled = await inOrder(bot, message, (leave) =>
    handleCommand(parts, message, { command, leave, isDue: true }),
  )
  if (!isHandled) await refuseBusy(parts, message)
}

/** Marks a command that is not run because too many wait. */
async function refuseBusy({ bot, commands }: EventParts, message: IncomingMessage): Promise<void> {
  const refuse = () => commands.text.refuse(message, 'busy')
  await claimed(bot, commandEvent(message), bot.deps.clock.monotonic(), { run: refuse, refuse })
}

interface CommandTurn {
  /** Null for a typed answer. */
  readonly command: CommandText | null
  /** Lets the messages after it begin. */
  readonly leave: () => void
  readonly isDue: boolean
}

/** Runs a text command or a typed answer when it is due. The messages after it wait for a limited time. */
async function handleCommand(
  { bot, commands }: EventParts,
  message: IncomingMessage,
  { command, leave, isDue }: CommandTurn,
): Promise<void> {
  const { clock } = bot.deps
  noteLatest(bot, message, true)
  bot.ignored.remember(message.id, 'command')
  if (!isDue) return
  bot.metrics?.countMessage('ignored', 'command')
  const timer = clock.setTimeout(leave, bot.timing.commandHoldMs)
  try {
    await claimed(bot, commandEvent(message), clock.monotonic(), {
      run: () =>
        command === null ? commands.text.runTyped(message) : commands.text.run(message, command),
      refuse: () => commands.text.refuse(message, 'unavailable'),
    })
  } finally {
    timer.stop()
  }
}

function commandEvent({ id, channel_id, guild_id, author }: IncomingMessage): CommandEvent {
  return { id, kind: 'command', channel: channel_id, guild: guild_id, sender: author.id }
}

function findCommand(
  { prefixes, identity }: Bot,
  { content }: IncomingMessage,
): CommandText | null {
  return findCommandText(content, { prefixes, botId: identity.userId })
}

async function handleInteraction(
  { bot, commands: { interactions } }: EventParts,
  interaction: APIInteraction,
): Promise<void> {
  const at = bot.deps.clock.monotonic()
  const { id, channel, guild_id: guild, member, user } = interaction
  const sender = member?.user.id ?? user?.id ?? ''
  await claimed(bot, { id, kind: 'interaction', channel: channel?.id ?? '', guild, sender }, at, {
    run: () => interactions.run(interaction, at),
    refuse: () => interactions.refuse(interaction),
  })
}

/** Reactions have no ID of their own, and an account may repeat one, so that of the event is claimed. */
async function handleReaction(
  { bot, reactions }: EventParts,
  reaction: Reaction,
  id: string,
): Promise<void> {
  const at = bot.deps.clock.monotonic()
  const { channel_id: channel, guild_id: guild, user_id: sender } = reaction
  const event = { id, kind: 'reaction' as const, channel, guild, sender }
  await reactions.handle(reaction, (run) =>
    claimed(bot, event, at, { run, refuse: async () => {} }),
  )
}

/** Proxies a message that was edited, if it is still the latest one. Pins and previews are no edits. */
async function handleEdit({ bot }: EventParts, message: IncomingMessage): Promise<void> {
  const at = bot.deps.clock.monotonic()
  const { guild_id: guild } = message
  const isComplete = message.author !== undefined && message.content !== undefined
  if (guild === undefined || !isComplete || message.edited_timestamp === null) return
  if (!isFromPerson(message)) return
  await inOrder(bot, message, async () => {
    const latest = bot.latest.find(message.channel_id)
    const contentHash = hashContent(message.content)
    if (latest?.id !== message.id || latest.isCommand || latest.contentHash === contentHash) return
    bot.latest.set(message.channel_id, { ...latest, contentHash })
    if (findCommand(bot, message) !== null) return
    await proxyMessage(bot, { ...message, guild_id: guild }, { isEdit: true, at })
  })
}

/**
 * Handles messages of a channel one after the other. If too many wait, the message is left alone,
 * and the result is false.
 */
async function inOrder(
  { queues, ignored, metrics }: Bot,
  { id, channel_id }: IncomingMessage,
  work: Work,
): Promise<boolean> {
  const done = queues.add(channel_id, work)
  if (done) {
    await done
    return true
  }
  ignored.remember(id, 'queue_full')
  metrics?.countMessage('dropped', 'queue_full')
  return false
}

interface CommandEvent {
  readonly id: string
  readonly kind: 'command' | 'interaction' | 'reaction'
  readonly channel: string
  readonly guild: string | undefined
  readonly sender: string
}

interface CommandWork {
  run(): Promise<void>
  /** Answers that the database is away. */
  refuse(): Promise<void>
}

/** Runs a command or another action at most once, whichever process received it and however often. */
async function claimed(
  bot: Bot,
  { id, kind, channel, guild, sender }: CommandEvent,
  at: number,
  { run, refuse }: CommandWork,
): Promise<void> {
  if (!bot.maySend()) return
  const node = `${bot.node} ${crypto.randomUUID()}`
  const none = { thread: null, member: null, digest: null }
  const draft = { id, kind, node, guild: guild ?? null, channel, sender, ...none }
  const end = bot.inFlight.begin(id)
  try {
    const { commandDatabaseMs } = bot.timing
    const claim = whileDatabaseAway(bot, at + commandDatabaseMs, () =>
      claimEvent(bot.deps, discordBot, draft),
    )
    // A database that is locked may answer much later; recovery then drops the claim.
    const isNew = await withTimeout(claim, commandDatabaseMs, () => null, bot.deps.clock)
    if (isNew === null) return await refuse()
    if (!isNew) return
    await run()
    await settleClaim(bot.deps, discordBot, id, 'done')
  } finally {
    end()
  }
}
