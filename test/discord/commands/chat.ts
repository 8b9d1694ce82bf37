import type { Answer } from '../../../src/discord/commands/answer'
import type { Context } from '../../../src/discord/commands/context'
import {
  type Attachment,
  type ChannelAccess,
  type DiscordMessage,
  type DiscordSide,
  PROXY_PERMISSIONS,
} from '../../../src/discord/commands/discordInterface'
import { findCommandText } from '../../../src/discord/commands/grammar/prefix'
import { nameTextCommands } from '../../../src/discord/commands/nameCommand'
import { createPrompts } from '../../../src/discord/commands/prompts'
import { createRateLimit } from '../../../src/discord/commands/rateLimit'
import { runPress, runText, runTyped } from '../../../src/discord/commands/runCommand'
import { parseMessageReference } from '../../../src/discord/messages/messageLink'
import { combine } from '../../../src/discord/permissions/permission'
import { en } from '../../../src/discord/text/en'
import {
  chooseToken,
  findWebhook,
  registerWebhook,
  removeWebhook,
} from '../../../src/events/webhooks'
import { isUnavailable } from '../../../src/model/core/errors'
import { requireSystem } from '../../../src/model/core/privacy'
import { applySubstitution, type Substitution } from '../../../src/model/proxy/substitution'
import { insertAccount } from '../../../src/store/access/accountRows'
import { expect } from '../../tools/test'
import type { TestApp, TestSystem } from '../../tools/testApp'

export const BOT = '400000000000000001'
export const GUILD = '500000000000000001'
export const CHANNEL = '600000000000000001'
export const HIDDEN = '600000000000000002'
export const CATEGORY = '600000000000000009'

/** Permissions that proxying needs. */
export const ALL = combine(...PROXY_PERMISSIONS)

let lastAccount = 700_000_000_000_000_000n
let lastMessage = 800_000_000_000_000_000n

/** Returns the ID of an account that no other test uses. */
export function newAccount(): string {
  return String(++lastAccount)
}

export function newMessageId(): string {
  return String(++lastMessage)
}

/** The Discord side of a test: remembers messages and what commands did to them. */
export function createTestDiscord() {
  const messages = new Map<string, DiscordMessage>()
  const done: string[] = []
  const files = new Map<string, string>()
  const channels: ChannelAccess[] = [
    { id: CHANNEL, name: 'general', type: 0, parentId: CATEGORY, bot: ALL, asker: ALL },
    { id: HIDDEN, name: 'staff', type: 0, parentId: CATEGORY, bot: 0n, asker: 0n },
    { id: CATEGORY, name: 'Talk', type: 4, parentId: null, bot: ALL, asker: ALL },
  ]
  const side: DiscordSide = {
    botId: BOT,
    inviteUrl: () => 'https://discord.com/oauth2/authorize?client_id=1',
    status: () => ({ guilds: 3, shards: 1, latencyMs: 42 }),
    findAccount: async (id) => ({
      name: `user${id.slice(-2)}`,
      avatarUrl: 'https://cdn.discordapp.com/avatars/1/a.png',
    }),
    listChannels: async (guildId) => (guildId === GUILD ? channels : null),
    findPermissions: async (_, channelId) =>
      channels.find(({ id }) => id === channelId)?.asker ?? 0n,
    findMessage: async ({ messageId }) => messages.get(messageId) ?? null,
    isLatest: async ({ messageId }) => [...messages.keys()].at(-1) === messageId,
    editProxied: async ({ messageId }, { content }) => {
      done.push(`edit ${messageId}: ${content}`)
      return null
    },
    deleteProxied: async ({ messageId }) => {
      done.push(`delete ${messageId}`)
      return null
    },
    reproxy: async ({ messageId }, member) => {
      done.push(`reproxy ${messageId} as ${member}`)
      return null
    },
    say: async ({ member, text }) => {
      done.push(`say ${member}: ${text}`)
      return null
    },
    ping: async ({ messageId }, sender) => {
      done.push(`ping ${sender} at ${messageId}`)
      return null
    },
    explain: async ({ messageId }, account) =>
      messageId.endsWith('7') ? `reason for ${account}` : null,
    cdn: ['https://cdn.discordapp.com'],
    downloadPicture: async () => new Uint8Array(),
    inBackground: () => {},
    sendDirect: async () => true,
    async *download({ url }) {
      yield new TextEncoder().encode(files.get(url) ?? '')
    },
  }
  return { side, messages, done, files, channels }
}

export type TestDiscord = ReturnType<typeof createTestDiscord>

export interface Speaker {
  readonly account: string
  /** Sends a message; a command if it starts with a prefix, otherwise an answer to a question. */
  say(text: string, options?: SayOptions): Promise<Reply>
  /** Presses a button of an answer, or submits a form. */
  press(label: string, answer: Answer | null, fields?: Record<string, string>): Promise<Reply>
}

export interface SayOptions {
  readonly inDirect?: boolean
  readonly files?: readonly Attachment[]
  readonly permissions?: bigint
  readonly replyTo?: string
  readonly refusesDirect?: boolean
}

/** Everything that happened because of one message. */
export interface Reply {
  readonly answer: Answer | null
  /** Texts of the answer in the channel. */
  readonly text: string
  /** Texts of direct messages. */
  readonly direct: string
  readonly directFiles: readonly string[]
  readonly deletesCommand: boolean
}

/** A bot with real services and a clock of its own, and accounts that talk to it. */
export function createChat(testApp: TestApp, settings: { publicUrl?: string } = {}) {
  const discord = createTestDiscord()
  const errors: unknown[] = []
  let nowMs = Date.now()
  const shared = {
    deps: testApp.deps,
    texts: en,
    discord: discord.side,
    webhooks: {
      async find(viewer: Parameters<typeof removeWebhook>[1]) {
        const found = await findWebhook(testApp.app.events.deps.db, requireSystem(viewer, 'manage'))
        return found && { url: found.url, state: found.state }
      },
      async register(viewer: Parameters<typeof removeWebhook>[1], url: string) {
        const token = String(chooseToken(null))
        await registerWebhook(testApp.app.events.deps, viewer, {
          url,
          token,
          events: 'pluralkit',
        })
        return token
      },
      remove: (viewer: Parameters<typeof removeWebhook>[1]) =>
        removeWebhook(testApp.app.events.deps, viewer),
    },
    prompts: createPrompts(() => nowMs),
    rateLimit: createRateLimit(() => nowMs),
    substitute: async (given: Substitution, text: string) => applySubstitution(given, text),
    settings: {
      prefixes: ['pk;', 'pk!'],
      publicUrl: settings.publicUrl ?? '',
      importLimit: 1_000_000,
    },
    isDatabaseAway: isUnavailable,
    onError: (cause: unknown) => errors.push(cause),
  }

  /** Creates the context of one message and collects what it causes. */
  const createContext = (
    account: string,
    { inDirect = false, files = [], permissions = ALL, replyTo, refusesDirect = false }: SayOptions,
    via: Context['via'] = 'text',
    prefix = 'pk;',
  ) => {
    const direct: Answer[] = []
    let deletes = false
    const context: Context = {
      ...shared,
      via,
      prefix,
      name: nameTextCommands(prefix),
      account,
      id: newMessageId(),
      guild: inDirect ? null : { id: GUILD, permissions },
      channel: inDirect ? `9${account.slice(1)}` : CHANNEL,
      attachments: files,
      target: replyTo === undefined ? null : parseMessageReference(replyTo),
      async sendDirect(answer) {
        if (!refusesDirect) direct.push(answer)
        return !refusesDirect
      },
      defer: async () => {},
      deleteCommand: async () => {
        deletes = true
      },
    }
    return {
      context,
      replyOf: (answer: Answer | null): Reply => ({
        answer,
        text: answer ? textOf(answer) : '',
        direct: direct.map(textOf).join('\n'),
        directFiles: direct.flatMap(({ files: sent = [] }) =>
          sent.map(({ bytes }) => new TextDecoder().decode(bytes)),
        ),
        deletesCommand: deletes || (answer?.deletesCommand ?? false),
      }),
    }
  }

  const speaker = (account: string): Speaker => ({
    account,
    async say(text, options = {}) {
      // Enough for another command, so that only tests of the limit meet it.
      nowMs += 20_000
      const { context, replyOf } = createContext(account, options)
      const command = findCommandText(text, { prefixes: shared.settings.prefixes, botId: BOT })
      const answer =
        command === null
          ? await runTyped(context, text)
          : (await runText(context, command.text)).answer
      expect(errors).toEqual([])
      return replyOf(answer)
    },
    async press(label, asked, fields) {
      const { context, replyOf } = createContext(account, {}, 'interaction')
      const id =
        asked?.modal && fields
          ? asked.modal.id
          : asked?.buttons?.find((one) => one.label === label)?.id
      expect(id, `no button ${label}`).toBeDefined()
      const answer = await runPress(context, id ?? '', fields)
      expect(errors).toEqual([])
      return replyOf(answer)
    },
  })

  return {
    testApp,
    discord,
    errors,
    createContext,
    speaker,
    newcomer: () => speaker(newAccount()),
    /** Creates a system with a linked account. */
    async newSystem(name: string | null = null): Promise<Speaker & { system: TestSystem }> {
      const system = await testApp.makeSystem(name)
      const account = newAccount()
      await testApp.deps.transact({ system: system.id }, (tx) =>
        insertAccount(testApp.deps, tx, system.id, account),
      )
      return { ...speaker(account), system }
    },
    wait(minutes: number) {
      nowMs += minutes * 60_000
    },
  }
}

export type Chat = ReturnType<typeof createChat>

/** Returns all texts of an answer, as one text to search in. */
export function textOf(answer: Answer): string {
  const embeds = (answer.embeds ?? []).map((embed) =>
    [
      embed.title,
      embed.description,
      ...(embed.fields ?? []).map(({ name, value }) => `${name}: ${value}`),
      embed.footer?.text,
      embed.image?.url,
      embed.thumbnail?.url,
    ].join('\n'),
  )
  const modal = answer.modal
    ? [answer.modal.title, ...answer.modal.fields.map(({ label, value }) => `${label}: ${value}`)]
    : []
  return [answer.content ?? '', ...embeds, ...modal, answer.reaction ?? ''].join('\n').trim()
}
