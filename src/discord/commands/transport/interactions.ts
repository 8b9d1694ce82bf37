import type { APIInteraction } from 'discord-api-types/v10'
import type { Bot } from '../../bot/bot'
import { sendDirectMessage } from '../../messages/directMessages'
import type { MessageReference } from '../../messages/messageLink'
import { isThread } from '../../permissions/channelType'
import { applyTimeout } from '../../permissions/computePermissions'
import { hasPermissions, Permission } from '../../permissions/permission'
import { type Answer, toMessageBody } from '../answer'
import type { CommandDeps, Context } from '../context'
import type { Attachment } from '../discordInterface'
import { nameSlashCommands } from '../nameCommand'
import { type Result, runPress } from '../runCommand'
import { completeOption } from '../slash/complete'
import { opensForm, runMenu, runSlash } from '../slash/runSlash'
import { parseFormFields, parseSlashUse } from './interactionData'
import { createInteractionResponse, type InteractionResponse } from './interactionResponse'
import { resultOf, toUploads } from './textCommands'

/** Slash commands, menus, buttons, forms and completion. */
export interface Interactions {
  /** Runs an interaction that arrived at a time of the monotonic clock, and answers it. */
  run(interaction: APIInteraction, at: number): Promise<void>
  /** Answers that the database is away. */
  refuse(interaction: APIInteraction): Promise<void>
}

/** Types of "Interaction Type" and "Application Command Types". */
const COMMAND = 2
const COMPONENT = 3
const AUTOCOMPLETE = 4
const FORM = 5
const SLASH = 1
const MESSAGE_MENU = 3

export function createInteractions(bot: Bot, shared: CommandDeps): Interactions {
  const { deps, metrics, timing } = bot
  const { texts } = shared
  const [prefix = ''] = bot.prefixes
  const name = nameSlashCommands(prefix)
  const slowDown: Answer = { content: texts.slowDown, isPrivate: true, isRefusal: true }

  const createContext = (
    interaction: APIInteraction,
    response: InteractionResponse,
    { attachments = [], target = null }: Given = {},
  ): Context => {
    const account = accountOf(interaction)
    return {
      ...shared,
      via: 'interaction',
      prefix,
      name,
      account,
      id: interaction.id,
      guild:
        interaction.guild_id === undefined
          ? null
          : { id: interaction.guild_id, permissions: permissionsOf(interaction, deps.clock.now()) },
      channel: interaction.channel?.id ?? '',
      attachments,
      target,
      sendDirect: (answer) =>
        sendDirectMessage(bot, account, toMessageBody(answer), toUploads(answer.files)),
      defer: response.defer,
      deleteCommand: async () => {},
    }
  }

  /** Announces the answer if the work takes long. */
  const answerInTime = async (
    response: InteractionResponse,
    at: number,
    run: () => Promise<Result>,
    mayDefer: boolean,
  ) => {
    const waitMs = Math.max(0, at + timing.deferMs - deps.clock.monotonic())
    const timer = deps.clock.setTimeout(() => {
      if (mayDefer) bot.background.run('deferral of an answer', response.defer)
    }, waitMs)
    try {
      const { answer, command } = await run()
      metrics?.countCommand(command, resultOf(answer))
      timer.stop()
      if (answer) await response.send(answer)
    } finally {
      timer.stop()
    }
  }

  return {
    async run(interaction, at) {
      const response = createInteractionResponse(bot, interaction, texts)
      const press = async (id: string, fields?: Record<string, string>): Promise<Result> => {
        const answer = await runPress(createContext(interaction, response), id, fields)
        const expired: Answer = { content: texts.promptExpired, isRefusal: true }
        return { answer: answer ?? expired, command: fields ? 'form' : 'button' }
      }
      const answer = (run: () => Promise<Result>, mayDefer = true) =>
        answerInTime(response, at, run, mayDefer)
      /** Runs a command when it is the turn of its account. */
      const inTurn = (name: string, run: () => Promise<Result>) => {
        const mayDefer = !opensForm(name)
        const turnMs = shared.rateLimit.takeTurn(accountOf(interaction), 'command')
        // A form must be the first response, so it cannot be announced.
        if (turnMs === null || (!mayDefer && turnMs > timing.deferMs))
          return answer(async () => ({ answer: slowDown, command: name }))
        return answer(async () => {
          await bot.stopSignal.sleep(turnMs)
          return run()
        }, mayDefer)
      }

      switch (interaction.type) {
        case COMMAND: {
          const { data } = interaction
          if (data.type === SLASH) {
            const { name, values, attachments } = parseSlashUse(data)
            const context = createContext(interaction, response, { attachments })
            return inTurn(name, () => runSlash(context, name, values))
          }
          if (!('target_id' in data)) return
          const { target_id: id, name } = data
          const isMessage = data.type === MESSAGE_MENU
          const target = isMessage ? referenceOf(interaction, id) : null
          const context = createContext(interaction, response, { target })
          return inTurn(name, () => runMenu(context, name, isMessage ? undefined : id))
        }
        case COMPONENT:
          return answer(() => press(interaction.data.custom_id))
        case FORM:
          return answer(() => press(interaction.data.custom_id, parseFormFields(interaction.data)))
        case AUTOCOMPLETE: {
          const { name, focused } = parseSlashUse(interaction.data)
          const context = createContext(interaction, response)
          const choices = focused
            ? await completeOption(context, name, focused.name, focused.typed).catch((cause) => {
                if (!shared.isDatabaseAway(cause)) shared.onError(cause, `/${name}`)
                return []
              })
            : []
          return response.sendChoices(choices)
        }
      }
    },
    async refuse(interaction) {
      const response = createInteractionResponse(bot, interaction, texts)
      metrics?.countCommand('unknown', 'unavailable')
      if (interaction.type === AUTOCOMPLETE) return response.sendChoices([])
      await response.send({ content: texts.refusal(texts.unavailable), isRefusal: true })
    },
  }
}

interface Given {
  readonly attachments?: readonly Attachment[]
  readonly target?: MessageReference | null
}

function accountOf({ member, user }: APIInteraction): string {
  return member?.user.id ?? user?.id ?? ''
}

function referenceOf(interaction: APIInteraction, messageId: string): MessageReference {
  const { guild_id: guildId = null, channel } = interaction
  return { guildId, channelId: channel?.id ?? null, messageId }
}

/** Permissions of the account in the channel. In a thread, the one to send there decides. */
function permissionsOf({ member, channel }: APIInteraction, now: number): bigint {
  const granted = applyTimeout(
    BigInt(member?.permissions ?? 0),
    member?.communication_disabled_until,
    now,
  )
  if (!channel || !isThread(channel.type)) return granted
  return hasPermissions(granted, 'SendMessagesInThreads')
    ? granted | Permission.SendMessages
    : granted & ~Permission.SendMessages
}
