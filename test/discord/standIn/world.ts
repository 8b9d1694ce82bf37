import { randomBytes } from 'node:crypto'
import type { Clock, Snowflakes } from './clock'
import { DiscordError, refusal } from './errors'
import {
  allPermissions,
  channelPermissions,
  defaultPermissions,
  guildPermissions,
  Permission,
  type PermissionName,
  permissionBits,
} from './permissions'
import type { DiscordRecord } from './record'
import type {
  Attachment,
  Channel,
  Command,
  Guild,
  Interaction,
  JournalEntry,
  Member,
  Message,
  Overwrite,
  Role,
  User,
  Webhook,
} from './types'

export interface Application {
  id: string
  name: string
  botId: string
  token: string
}

export interface NewChannel {
  guildId: string
  name: string
  type?: number
  parentId?: string | null
  overwrites?: Overwrite[]
  slowmodeSeconds?: number
}

/** Guilds, channels, users and messages, without the rules of REST and the gateway. */
export class World {
  readonly users = new Map<string, User>()
  readonly guilds = new Map<string, Guild>()
  readonly channels = new Map<string, Channel>()
  private readonly channelsByGuild = new Map<string, Set<Channel>>()
  readonly webhooks = new Map<string, Webhook>()
  readonly commands = new Map<string, Command>()
  readonly interactions = new Map<string, Interaction>()
  readonly attachments = new Map<string, Attachment>()
  readonly journal: JournalEntry[] = []
  /** Times at which commands were created, for the daily limit, by guild or `global`. */
  readonly commandCreations = new Map<string, number[]>()
  readonly application: Application
  /** Presence that the bot set last. */
  presence: unknown = null

  constructor(
    private readonly clock: Clock,
    private readonly ids: Snowflakes,
    private readonly record: DiscordRecord,
  ) {
    const bot = this.createUser({ username: 'Multitude', isBot: true })
    const [start, middle] = [btoa(bot.id).replaceAll('=', ''), randomBytes(4).toString('hex')]
    const token = `${start}.${middle}.${record.issueSecret(28)}`
    record.secrets.add(token)
    this.application = { id: this.ids.next(), name: 'Multitude', botId: bot.id, token }
  }

  createUser(fields: Partial<User> & { username: string }): User {
    const user: User = {
      id: this.ids.next(),
      globalName: null,
      avatar: null,
      isBot: false,
      isSystem: false,
      hasNitro: false,
      hasClosedDms: false,
      ...fields,
    }
    this.users.set(user.id, user)
    return user
  }

  createGuild(fields: {
    name: string
    ownerId: string
    id?: string
    premiumTier?: Guild['premiumTier']
  }) {
    const id = fields.id ?? this.ids.next()
    const everyone = createEveryone(id)
    const guild: Guild = {
      id,
      name: fields.name,
      ownerId: fields.ownerId,
      premiumTier: fields.premiumTier ?? 0,
      roles: new Map([[id, everyone]]),
      members: new Map(),
      blockedWords: [],
      isUnavailable: false,
    }
    this.guilds.set(id, guild)
    this.addMember(guild, fields.ownerId)
    return guild
  }

  addMember(guild: Guild, userId: string, fields: Partial<Member> = {}): Member {
    const member: Member = {
      userId,
      nick: null,
      roles: [],
      joinedAt: this.clock.now(),
      timedOutUntil: null,
      ...fields,
    }
    guild.members.set(userId, member)
    return member
  }

  /** Adds the bot with a managed role that has the granted permissions. */
  addBot(guild: Guild, permissions: bigint): Member {
    const role: Role = {
      id: this.ids.next(),
      name: this.application.name,
      permissions,
      mentionable: false,
      managed: true,
      position: guild.roles.size,
    }
    guild.roles.set(role.id, role)
    return this.addMember(guild, this.application.botId, { roles: [role.id] })
  }

  createChannel(fields: NewChannel): Channel {
    const channel: Channel = {
      id: this.ids.next(),
      type: fields.type ?? 0,
      guildId: fields.guildId,
      name: fields.name,
      parentId: fields.parentId ?? null,
      overwrites: fields.overwrites ?? [],
      slowmodeSeconds: fields.slowmodeSeconds ?? 0,
      position: this.channelsByGuild.get(fields.guildId)?.size ?? 0,
      recipientId: null,
      thread: null,
      messages: new Map(),
    }
    this.channels.set(channel.id, channel)
    const siblings = this.channelsByGuild.get(fields.guildId) ?? new Set()
    this.channelsByGuild.set(fields.guildId, siblings.add(channel))
    return channel
  }

  /** Deletes a channel with its threads and webhooks. */
  deleteChannel(channel: Channel): void {
    const siblings = this.channelsOf(channel.guildId ?? '')
    for (const one of [channel, ...siblings.filter(({ parentId }) => parentId === channel.id)]) {
      if (one !== channel && !one.thread) continue
      this.channels.delete(one.id)
      this.channelsByGuild.get(one.guildId ?? '')?.delete(one)
    }
    for (const webhook of this.webhooksOf(channel.id)) this.webhooks.delete(webhook.id)
  }

  createThread(parent: Channel, name: string, ownerId: string, type: number, id?: string): Channel {
    const thread = this.createChannel({
      guildId: parent.guildId ?? '',
      name,
      type,
      parentId: parent.id,
    })
    if (id !== undefined) {
      // A thread of a message has the message's ID ("Threads, Thread Fields").
      this.channels.delete(thread.id)
      thread.id = id
      this.channels.set(id, thread)
    }
    thread.thread = { ownerId, isArchived: false, isLocked: false, members: new Set([ownerId]) }
    return thread
  }

  /** Channel of direct messages between the bot and a user. */
  openDm(userId: string): { channel: Channel; isNew: boolean } {
    const known = [...this.channels.values()].find(({ recipientId }) => recipientId === userId)
    if (known) return { channel: known, isNew: false }
    const channel = this.createChannel({ guildId: '', name: '', type: 1 })
    channel.guildId = null
    channel.recipientId = userId
    return { channel, isNew: true }
  }

  getUser(id: string): User {
    return found(this.users.get(id), 10013)
  }

  getGuild(id: string): Guild {
    return found(this.guilds.get(id), 10004)
  }

  getChannel(id: string): Channel {
    return found(this.channels.get(id), 10003)
  }

  getMember(guild: Guild, userId: string): Member {
    return found(guild.members.get(userId), 10007)
  }

  getMessage(channel: Channel, id: string): Message {
    const message = channel.messages.get(id)
    return found(message?.isDeleted || message?.ephemeralFor ? undefined : message, 10008)
  }

  channelsOf(guildId: string): Channel[] {
    return [...(this.channelsByGuild.get(guildId) ?? [])]
  }

  webhooksOf(channelId: string): Webhook[] {
    return [...this.webhooks.values()].filter((webhook) => webhook.channelId === channelId)
  }

  parentOf(channel: Channel): Channel | null {
    return (channel.parentId && this.channels.get(channel.parentId)) || null
  }

  get bot(): User {
    return this.getUser(this.application.botId)
  }

  /** Guilds that the bot is a member of. */
  botGuilds(): Guild[] {
    return [...this.guilds.values()].filter(({ members }) => members.has(this.application.botId))
  }

  permissionsOf(userId: string, channel: Channel): bigint {
    if (channel.guildId === null) {
      const isInDm = [channel.recipientId, this.application.botId].includes(userId)
      return isInDm ? allPermissions & ~permissionBits('MANAGE_MESSAGES', 'MANAGE_WEBHOOKS') : 0n
    }
    const guild = this.getGuild(channel.guildId)
    const member = guild.members.get(userId)
    if (!member) return 0n
    const bits = channelPermissions(
      guild,
      channel,
      this.parentOf(channel),
      member,
      this.clock.now(),
    )
    // Private threads are visible to their members and moderators ("Threads, Private Threads").
    const isHidden =
      channel.type === 12 &&
      !channel.thread?.members.has(userId) &&
      !(bits & Permission.MANAGE_THREADS)
    return isHidden ? 0n : bits
  }

  guildPermissionsOf(userId: string, guild: Guild): bigint {
    const member = guild.members.get(userId)
    return member ? guildPermissions(guild, member) : 0n
  }

  can(userId: string, channel: Channel, ...names: PermissionName[]): boolean {
    const needed = permissionBits(...names)
    return (this.permissionsOf(userId, channel) & needed) === needed
  }

  /** Throws 50001 without View Channel and 50013 without another permission. */
  require(userId: string, channel: Channel, ...names: PermissionName[]): void {
    if (!this.can(userId, channel, 'VIEW_CHANNEL')) throw refusal(50001)
    if (!this.can(userId, channel, ...names)) throw refusal(50013)
  }

  /** Throws if the user may not send here; threads have a permission of their own. */
  requireSend(userId: string, channel: Channel): void {
    this.require(userId, channel, channel.thread ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES')
    if (channel.thread?.isLocked && !this.can(userId, channel, 'MANAGE_THREADS'))
      throw refusal(50083)
  }

  note(entry: Omit<JournalEntry, 'at'>): void {
    this.journal.push({ ...entry, at: this.clock.now() })
    this.record.changed()
  }
}

function createEveryone(id: string): Role {
  return {
    id,
    name: '@everyone',
    permissions: defaultPermissions,
    mentionable: false,
    managed: false,
    position: 0,
  }
}

function found<T>(value: T | undefined, code: 10003 | 10004 | 10007 | 10008 | 10013): T {
  if (value === undefined) throw refusal(code)
  return value
}

export function unauthorized(): DiscordError {
  return new DiscordError(401, { message: '401: Unauthorized', code: 0 })
}
