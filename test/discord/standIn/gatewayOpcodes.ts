import type { Context } from './context'
import { isObject } from './errors'
import type { CloseReason, Connection } from './gateway'
import { assertEvent } from './schemas'
import { applicationFlags, serializeGuildCreate, serializeUser } from './serialize'
import { allIntents, Intent, type Session, shardOf } from './sessions'
import type { Guild, JsonObject } from './types'

type Handler = (context: Context, connection: Connection, data: unknown) => CloseReason | null

/** Opcodes that clients may send ("Opcodes and Status Codes, Gateway Opcodes"). */
export const opcodes: Record<number, Handler> = {
  1: (context, connection) => {
    connection.beat()
    if (!context.faults.gateway.withholdsAcks)
      connection.send({ op: 11, s: null, t: null, d: null })
    return null
  },
  2: identify,
  3: (context, _, data) => {
    context.world.presence = data
    return null
  },
  4: () => null,
  6: resume,
  8: requestMembers,
}

function identify(context: Context, connection: Connection, data: unknown): CloseReason | null {
  const { options, world, sessions, record } = context
  if (connection.session) return 'alreadyAuthenticated'
  if (!isObject(data) || !isObject(data.properties)) return 'decodeError'
  if (!isBotToken(context, data.token)) return 'authenticationFailed'
  const { intents } = data
  if (typeof intents !== 'number' || (intents & ~allIntents) !== 0) return 'invalidIntents'
  const allowed = options.privilegedIntents.reduce((all, name) => all | Intent[name], 0)
  const privileged = Intent.MESSAGE_CONTENT | Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES
  if (intents & privileged & ~allowed) return 'disallowedIntents'
  const shard = data.shard ?? [0, 1]
  if (!isShard(shard)) return 'invalidShard'

  record.identifies++
  if (record.identifies > options.sessionStarts) {
    record.addProblem('more IDENTIFYs than session_start_limit allows')
    return 'authenticationFailed'
  }
  if (context.faults.gateway.refusesIdentify || !sessions.takeIdentifySlot(shard[0]))
    return invalidSession(connection)

  if (isObject(data.presence)) world.presence = data.presence
  const session = sessions.create(shard, intents, connection)
  attach(connection, session)
  const own = world.botGuilds().filter(({ id }) => shardOf(id, shard[1]) === shard[0])
  sessions.send(session, {
    type: 'READY',
    guildId: null,
    intent: null,
    data: {
      v: 10,
      user: { ...serializeUser(world.bot), verified: true, mfa_enabled: true, email: null },
      guilds: own.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: context.addresses.resumeGateway,
      shard,
      application: { id: context.application.id, flags: applicationFlags(context) },
      session_type: 'normal',
      private_channels: [],
      presences: [],
      relationships: [],
      user_settings: {},
      _trace: [],
    },
  })
  record.changed()
  if (intents & Intent.GUILDS) sendGuilds(context, session, own)
  return null
}

function sendGuilds(context: Context, session: Session, guilds: Guild[]): void {
  for (const guild of guilds.filter(({ isUnavailable }) => !isUnavailable)) {
    const created = serializeGuildCreate(context, guild)
    assertEvent(context, 'GUILD_CREATE', created)
    context.sessions.send(session, {
      type: 'GUILD_CREATE',
      guildId: guild.id,
      intent: null,
      data: created,
    })
  }
}

function attach(connection: Connection, session: Session): void {
  connection.session = session
  connection.entry.sessionId = session.id
  session.socket = connection
  session.closedAt = null
}

/** The token may carry the prefix `Bot `, as oceanic.js sends it. */
export function isBotToken(context: Context, token: unknown): boolean {
  return typeof token === 'string' && token.replace(/^Bot /, '') === context.application.token
}

function isShard(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [id, count] = value
  return Number.isInteger(id) && Number.isInteger(count) && id >= 0 && id < count
}

/** Replays missed events, then RESUMED; sends no GUILD_CREATE ("Gateway, Resuming"). */
function resume(context: Context, connection: Connection, data: unknown): CloseReason | null {
  if (connection.session) return 'alreadyAuthenticated'
  if (!isObject(data)) return 'decodeError'
  if (!isBotToken(context, data.token)) return 'authenticationFailed'
  context.record.resumes++
  const session =
    typeof data.session_id === 'string' ? context.sessions.find(data.session_id) : null
  if (!session) return invalidSession(connection)
  const { seq } = data
  if (typeof seq !== 'number' || seq < 0 || seq > session.seq) return 'invalidSeq'
  const former = session.socket
  attach(connection, session)
  former?.close(4000, 'Session resumed elsewhere.')
  for (const event of session.events.filter(({ seq: at, type }) => at > seq && type !== 'RESUMED'))
    connection.send({ op: 0, t: event.type, s: event.seq, d: event.data })
  context.sessions.send(session, {
    type: 'RESUMED',
    guildId: null,
    intent: null,
    data: { _trace: [] },
  })
  context.record.changed()
  return null
}

/** Sends op 9: the session of the client cannot be used ("Gateway, Invalid Session"). */
function invalidSession(connection: Connection): null {
  connection.send({ op: 9, s: null, t: null, d: false })
  return null
}

/** Answers "Request Guild Members" with the members that were asked for by ID. */
function requestMembers(
  context: Context,
  connection: Connection,
  data: unknown,
): CloseReason | null {
  if (!isObject(data) || typeof data.guild_id !== 'string') return 'decodeError'
  const guild = context.world.guilds.get(data.guild_id)
  const { session } = connection
  if (!guild || !session) return null
  const ids = [data.user_ids ?? []].flat()
  const known = ids.filter((id): id is string => typeof id === 'string' && guild.members.has(id))
  const chunk: JsonObject = {
    guild_id: guild.id,
    members: known
      .map((id) => context.world.getMember(guild, id))
      .map((member) => ({
        user: serializeUser(context.world.getUser(member.userId)),
        nick: member.nick,
        roles: member.roles,
      })),
    chunk_index: 0,
    chunk_count: 1,
    not_found: ids.filter((id) => !known.includes(String(id))),
    nonce: data.nonce,
  }
  context.sessions.send(session, {
    type: 'GUILD_MEMBERS_CHUNK',
    guildId: guild.id,
    intent: null,
    data: chunk,
  })
  return null
}
