import { discordBot } from '../../../src/model/core/privacy'
import { linkAccount } from '../../../src/service/access/accounts'
import type { FileInput } from '../standIn/controlMessages'
import type { SeenInteraction, SeenMessage } from '../standIn/controlRead'
import type { PermissionName } from '../standIn/permissions'
import type { JsonObject } from '../standIn/types'
import { startBotInProcess } from '../tools/inProcessBot'
import { buttonOf, everybodysPermissions } from '../tools/testBot'

/** Values of the options of a slash command. */
export type SlashOptions = Record<string, string | boolean | FileInput>

export interface SayOptions {
  /** Writes to the bot in a direct message. */
  readonly inDirect?: boolean
  readonly files?: FileInput[]
  readonly replyTo?: string
  /** Expects that the bot does not answer. */
  readonly isIgnored?: boolean
}

/** Everything that an account sees because of one message or interaction. */
export interface Reply {
  /** Message of the bot; null if it did not answer with one. */
  readonly message: SeenMessage | null
  /** Texts of the answer, of its form or of its completions. */
  readonly text: string
  /** Texts of direct messages that arrived besides. */
  readonly direct: string
  readonly directFiles: readonly string[]
  readonly isCommandDeleted: boolean
  /** Only the account that asked sees the answer. */
  readonly isPrivate: boolean
  /** Interaction that opened a form. */
  readonly formOf: string | null
}

/** An account that talks to the bot. */
export interface Speaker {
  readonly id: string
  say(text: string, options?: SayOptions): Promise<Reply>
  /** Uses a slash command, named with its subcommand, or a menu of a message or account. */
  use(command: string, options?: SlashOptions, targetId?: string): Promise<Reply>
  /** Presses a button of an answer. */
  press(label: string, asked: Reply): Promise<Reply>
  /** Submits the form of an answer. */
  submit(values: Record<string, string>, asked: Reply): Promise<Reply>
  /** Types into an option, and returns the names and values that the bot offers. */
  complete(command: string, option: string, typed: string): Promise<JsonObject[]>
}

const MINUTE_MS = 60_000

/** More than after which another command is allowed, because instants are ahead of a still clock. */
const COMMAND_MS = 2001

/** The real bot on the stand-in, with a clock that tests move, and accounts that talk to it. */
export async function startChat(settings: Parameters<typeof startBotInProcess>[2] = {}) {
  const leaseMs = 24 * 60 * MINUTE_MS
  // No name is looked up on a network.
  const resolve = async () => ['93.184.215.14']
  const bot = await startBotInProcess({}, {}, { events: { leaseMs, resolve }, ...settings })
  const { clock, users, discord } = bot

  const isAnswer = (messageId: string) => (message: SeenMessage) =>
    message.author.id === discord.botId && BigInt(message.id) > BigInt(messageId)

  /** Waits until an interaction was answered, and its deferred answer arrived. */
  const untilAnswered = ({ id }: { id: string }): Promise<SeenInteraction> =>
    users.until(
      () => users.interaction({ id }),
      ({ answer, messages }) => answer !== null && messages.every(({ isLoading }) => !isLoading),
    )

  /** Creates a guild with a channel, a category, a channel that its members do not see, and accounts. */
  const newGuild = async (...memberIds: string[]) => {
    const guild = await users.createGuild({ memberIds, channels: ['general'] })
    await users.updateRole({
      guildId: guild.id,
      roleId: guild.id,
      permissions: everybodysPermissions,
    })
    const { id: category } = await users.createChannel({ guildId: guild.id, name: 'Talk', type: 4 })
    const { id: hidden } = await users.createChannel({
      guildId: guild.id,
      name: 'staff',
      parentId: category,
      overwrites: [{ roleId: guild.id, deny: ['VIEW_CHANNEL'] }],
    })
    const { id: other } = await users.createChannel({
      guildId: guild.id,
      name: 'other',
      parentId: category,
    })
    return { ...guild, category, hidden, other }
  }
  type Guild = Awaited<ReturnType<typeof newGuild>>

  const newAccount = async (input: { avatar?: string } = {}) =>
    (await users.createUser({ username: 'account', ...input })).id

  const addRole = async (guild: Guild, userId: string, ...permissions: PermissionName[]) => {
    const { id: role } = await users.createRole({ guildId: guild.id, permissions })
    await users.addMember({ guildId: guild.id, userId, roles: [role] })
  }

  const speaker = (guild: Guild, id: string, channelId = guild.channelId): Speaker => {
    const directs = (from: string) => users.directMessages({ userId: id, from })

    /** Adds the direct messages that arrived after a message to what the account sees. */
    const replyOf = async (
      sentId: string,
      message: SeenMessage | null,
      seen: Partial<Reply> = {},
    ): Promise<Reply> => {
      const arrived = (await directs(sentId)).filter(isAnswer(sentId))
      const others = arrived.filter((one) => one.id !== message?.id)
      return {
        message,
        text: message ? textOf(message) : '',
        direct: others.map(textOf).join('\n'),
        directFiles: others.flatMap(({ attachments }) => attachments.map(({ text }) => text ?? '')),
        isCommandDeleted: false,
        isPrivate: message?.ephemeralFor === id,
        formOf: null,
        ...seen,
      }
    }

    const answerTo = async (interaction: SeenInteraction, pressed: SeenMessage | null = null) => {
      const { answer, messages, modal } = interaction
      if (modal)
        return replyOf(interaction.id, null, { text: textOfForm(modal), formOf: interaction.id })
      const isUpdate = answer === 6 || answer === 7
      if (!isUpdate || !pressed) return replyOf(interaction.id, messages[0] ?? null)
      // The pressed message changes, or a message of its own follows.
      const ref = { channelId: pressed.channelId, messageId: pressed.id }
      const [changed, followed] = await users.until(
        async () => {
          const after = await users.message(ref)
          const [message] = (await users.interaction({ id: interaction.id })).messages
          return [hasChanged(pressed, after) ? after : null, message ?? null] as const
        },
        ([after, message]) => after !== null || message !== null,
      )
      return replyOf(interaction.id, changed ?? followed)
    }

    return {
      id,
      async say(content, { inDirect = false, isIgnored = false, ...input } = {}) {
        await clock.advance(COMMAND_MS)
        const place = inDirect ? {} : { channelId }
        const sent = await users.sendMessage({ userId: id, content, ...place, ...input })
        const from = sent.id
        const read = () => (inDirect ? directs(from) : users.messages({ channelId, from }))
        const find = (all: readonly SeenMessage[]) => all.find(isAnswer(sent.id)) ?? null
        const reactionsOf = (all: readonly SeenMessage[]) =>
          Object.keys(all.find((one) => one.id === sent.id)?.reactions ?? {})
        if (isIgnored) await bot.settle(bot.guild.channelId)
        const all = await users.until(
          read,
          (seen) => isIgnored || find(seen) !== null || reactionsOf(seen).length > 0,
        )
        const message = find(all)
        const text = [...(message ? [textOf(message)] : []), ...reactionsOf(all)].join('\n')
        const isCommandDeleted = all.every((one) => one.id !== sent.id)
        return replyOf(sent.id, message, { text, isCommandDeleted })
      },
      async use(command, options = {}, targetId) {
        await clock.advance(COMMAND_MS)
        const target = targetId === undefined ? {} : { targetId }
        const use = { userId: id, channelId, command, options, ...target }
        return answerTo(await untilAnswered(await users.invokeCommand(use)))
      },
      async press(label, { message }) {
        if (!message) throw new Error('no message with buttons')
        const press = { userId: id, channelId: message.channelId, messageId: message.id }
        const customId = buttonOf(message, label)
        return answerTo(
          await untilAnswered(await users.pressComponent({ ...press, customId })),
          message,
        )
      },
      async submit(values, { formOf }) {
        if (formOf === null) throw new Error('no form')
        return answerTo(
          await untilAnswered(await users.submitModal({ interactionId: formOf, values })),
        )
      },
      async complete(command, option, typed) {
        const use = { userId: id, channelId, command, options: { [option]: typed } }
        const { choices } = await untilAnswered(
          await users.invokeCommand({ ...use, focused: option }),
        )
        return choices ?? []
      },
    }
  }

  /** Links an account to a new system. */
  const newSystem = async (name: string, account: string) => {
    const system = await bot.makeSystem(name)
    await linkAccount(bot.app.deps, { ...discordBot, system: system.id }, account)
    return system
  }

  /**
   * Creates a guild with the accounts of two systems, `Lantern Hill` with the member Wren, and
   * `Harbour`; with an account that has no system, and with one that may manage the guild.
   */
  const newScene = async () => {
    const [owner = '', other = '', guest = '', manager = ''] = await Promise.all([
      newAccount(),
      newAccount({ avatar: 'a1b2c3' }),
      newAccount(),
      newAccount(),
    ])
    const guild = await newGuild(owner, other, guest)
    await addRole(guild, manager, 'MANAGE_GUILD')
    const system = await newSystem('Lantern Hill', owner)
    const harbour = await newSystem('Harbour', other)
    const scene = {
      guild,
      system,
      harbour,
      owner: speaker(guild, owner),
      other: speaker(guild, other),
      guest: speaker(guild, guest),
      manager: speaker(guild, manager),
    }
    await scene.owner.say('pk;member new Wren')
    return scene
  }

  return {
    ...bot,
    newScene,
    speaker,
    newGuild,
    newAccount,
    /** Sends a message, and returns its proxied copy when the record is stored. */
    async sendProxied(userId: string, channelId: string, content: string): Promise<SeenMessage> {
      const { id } = await users.sendMessage({ userId, channelId, content })
      // The original is deleted after the record was stored.
      await bot.untilMessages(channelId, (all) => all.every((message) => message.id !== id))
      return bot.untilProxied(channelId)
    },
    /** Moves the clock of the bot. */
    wait: (minutes: number) => clock.advance(minutes * MINUTE_MS),
  }
}

export type Chat = Awaited<ReturnType<typeof startChat>>
export type Scene = Awaited<ReturnType<Chat['newScene']>>

function hasChanged(before: SeenMessage, after: SeenMessage | null): boolean {
  const shown = (message: SeenMessage | null) => [textOf(message), message?.components]
  return JSON.stringify(shown(before)) !== JSON.stringify(shown(after))
}

/** Returns all texts of a message, as one text to search in. */
export function textOf(message: SeenMessage | null): string {
  if (!message) return ''
  const embeds = message.embeds.map((embed) => {
    const { title, description, author, fields, footer, image, thumbnail } = embed as {
      title?: string
      description?: string
      author?: { name: string }
      fields?: { name: string; value: string }[]
      footer?: { text: string }
      image?: { url: string }
      thumbnail?: { url: string }
    }
    const pairs = (fields ?? []).map(({ name, value }) => `${name}: ${value}`)
    const pictures = [image?.url, thumbnail?.url]
    return [author?.name, title, description, ...pairs, footer?.text, ...pictures].join('\n')
  })
  return [message.content, ...embeds].join('\n').trim()
}

function textOfForm({ title, components }: JsonObject): string {
  const rows = components as { components: { label: string; value?: string }[] }[]
  const fields = rows.flatMap((row) => row.components)
  return [title, ...fields.map(({ label, value }) => `${label}: ${value ?? ''}`)].join('\n')
}
