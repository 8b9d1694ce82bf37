import { randomUUID } from 'node:crypto'
import type { Clock } from './clock'
import type { StandInOptions } from './options'
import type { DiscordRecord } from './record'
import type { Channel, JsonObject } from './types'
import type { World } from './world'

/** Bits of "Gateway, List of Intents". */
export const Intent = {
  GUILDS: 1 << 0,
  GUILD_MEMBERS: 1 << 1,
  GUILD_WEBHOOKS: 1 << 5,
  GUILD_PRESENCES: 1 << 8,
  GUILD_MESSAGES: 1 << 9,
  GUILD_MESSAGE_REACTIONS: 1 << 10,
  DIRECT_MESSAGES: 1 << 12,
  DIRECT_MESSAGE_REACTIONS: 1 << 13,
  MESSAGE_CONTENT: 1 << 15,
} as const

/** All documented bits; another one closes the connection with 4013. */
export const allIntents = [...Array(17).keys(), 20, 21, 24, 25].reduce(
  (all, bit) => all | (1 << bit),
  0,
)

/** Shard of a guild ("Gateway, Sharding"). */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count))
}

export interface GatewayEvent {
  type: string
  data: JsonObject
  /** Null for direct messages, which shard 0 receives. */
  guildId: string | null
  /** Intent that a session needs, or null for events that every session receives. */
  intent: number | null
  /** Channel that the bot must be able to view. */
  channel?: Channel
  /** True if the data is a message, whose content needs the Message Content intent. */
  isMessage?: boolean
}

/** Connection of a session, or of a client without one. */
export interface GatewaySocket {
  send(payload: JsonObject): void
  close(code: number, reason: string): void
}

export interface Session {
  id: string
  shard: [id: number, count: number]
  intents: number
  seq: number
  events: { seq: number; type: string; data: JsonObject }[]
  socket: GatewaySocket | null
  /** Time at which the socket closed; the session expires some time later. */
  closedAt: number | null
}

export class Sessions {
  private readonly all = new Map<string, Session>()
  /** Time of the last IDENTIFY of each bucket. */
  private readonly identified = new Map<number, number>()
  /** Delays events, so that the answer of a request overtakes them. */
  eventDelayMs = 0

  constructor(
    private readonly options: StandInOptions,
    private readonly clock: Clock,
    private readonly record: DiscordRecord,
    private readonly world: World,
  ) {}

  create(shard: Session['shard'], intents: number, socket: GatewaySocket): Session {
    const id = randomUUID().replaceAll('-', '')
    const session: Session = { id, shard, intents, seq: 0, events: [], socket, closedAt: null }
    this.all.set(id, session)
    return session
  }

  /** Session that can still be resumed, or null ("Gateway, Resuming"). */
  find(id: string): Session | null {
    const session = this.all.get(id)
    if (!session) return null
    const isExpired =
      session.closedAt !== null && session.closedAt + this.options.sessionTtlMs < this.clock.now()
    if (isExpired) this.end(session)
    return isExpired ? null : session
  }

  list(): Session[] {
    return [...this.all.values()]
  }

  end(session: Session): void {
    this.all.delete(session.id)
    session.socket = null
  }

  detach(session: Session): void {
    session.socket = null
    session.closedAt = this.clock.now()
    this.record.changed()
  }

  /** Sends to all sessions of the shard, also to two with the same shard ("Gateway, Sharding"). */
  dispatch(event: GatewayEvent): void {
    for (const session of this.all.values())
      if (this.isFor(event, session)) this.send(session, event)
    this.record.changed()
  }

  send(session: Session, { type, data, isMessage, guildId }: GatewayEvent): void {
    session.seq++
    const visible =
      isMessage && guildId !== null && !(session.intents & Intent.MESSAGE_CONTENT)
        ? this.withoutContent(data)
        : data
    session.events.push({ seq: session.seq, type, data: visible })
    const payload = { op: 0, t: type, s: session.seq, d: visible }
    const { socket } = session
    if (this.eventDelayMs > 0) this.clock.setTimeout(() => socket?.send(payload), this.eventDelayMs)
    else socket?.send(payload)
    if (type === 'MESSAGE_CREATE' && socket)
      this.record.frames.push({ messageId: String(data.id), writtenAt: performance.now() })
  }

  /**
   * Returns false if the bucket of the shard identified too recently ("Gateway, Identifying": one
   * IDENTIFY per bucket and 5 seconds, with `max_concurrency` buckets).
   */
  takeIdentifySlot(shardId: number): boolean {
    const { maxConcurrency, identifyWindowMs } = this.options
    const bucket = shardId % maxConcurrency
    const now = this.clock.now()
    if ((this.identified.get(bucket) ?? 0) + identifyWindowMs > now) return false
    this.identified.set(bucket, now)
    return true
  }

  private isFor({ guildId, intent, channel }: GatewayEvent, session: Session): boolean {
    const [id, count] = session.shard
    const shard = guildId === null ? 0 : shardOf(guildId, count)
    if (shard !== id || (intent !== null && !(session.intents & intent))) return false
    return !channel || this.world.can(this.world.application.botId, channel, 'VIEW_CHANNEL')
  }

  /** Message as "Gateway, Message Content Intent" shows it; own messages and mentions stay whole. */
  withoutContent(message: JsonObject): JsonObject {
    const { botId, id } = this.world.application
    const mentions = message.mentions as { id: string }[] | undefined
    const author = message.author as { id: string } | undefined
    const isOwn = author?.id === botId || message.application_id === id
    const { referenced_message: target } = message
    const isTarget = typeof target === 'object' && target !== null
    const whole = isTarget
      ? { ...message, referenced_message: this.withoutContent(target as JsonObject) }
      : message
    if (isOwn || mentions?.some((user) => user.id === botId)) return whole
    const { poll: _, message_snapshots: __, ...rest } = whole
    return { ...rest, content: '', embeds: [], attachments: [], components: [] }
  }
}
