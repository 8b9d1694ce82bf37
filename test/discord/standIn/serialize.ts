import { serializeAttachment } from './attachments'
import type { Context } from './context'
import type {
  Author,
  Channel,
  Command,
  Guild,
  Interaction,
  JsonObject,
  Member,
  Message,
  Role,
  User,
  Webhook,
} from './types'

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

export function serializeUser(user: User): JsonObject {
  return {
    id: user.id,
    username: user.username,
    global_name: user.globalName,
    avatar: user.avatar,
    discriminator: user.isBot ? '0001' : '0',
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    avatar_decoration_data: null,
    collectibles: null,
    ...(user.isBot ? { bot: true } : {}),
    ...(user.isSystem ? { system: true } : {}),
  }
}

function serializeAuthor(context: Context, author: Author): JsonObject {
  const user = context.world.users.get(author.id)
  if (!author.isWebhook && user) return serializeUser(user)
  return {
    id: author.id,
    username: author.username,
    global_name: null,
    avatar: author.avatar,
    discriminator: '0000',
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    bot: true,
  }
}

export function serializeMember(context: Context, member: Member): JsonObject {
  return {
    ...serializePartialMember(member),
    user: serializeUser(context.world.getUser(member.userId)),
  }
}

/** Member without its user, as events of messages carry it. */
export function serializePartialMember(member: Member): JsonObject {
  return {
    avatar: null,
    banner: null,
    avatar_decoration_data: null,
    collectibles: null,
    communication_disabled_until: member.timedOutUntil === null ? null : iso(member.timedOutUntil),
    flags: 0,
    joined_at: iso(member.joinedAt),
    nick: member.nick,
    pending: false,
    premium_since: null,
    roles: member.roles,
    mute: false,
    deaf: false,
  }
}

export function serializeRole(role: Role): JsonObject {
  return {
    id: role.id,
    name: role.name,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: 0,
  }
}

export function serializeChannel(context: Context, channel: Channel): JsonObject {
  const last = [...channel.messages.values()].findLast(({ ephemeralFor }) => ephemeralFor === null)
  const common = { id: channel.id, type: channel.type, flags: 0, last_message_id: last?.id ?? null }
  if (channel.recipientId !== null)
    return { ...common, recipients: [serializeUser(context.world.getUser(channel.recipientId))] }
  const inGuild = {
    ...common,
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId,
    rate_limit_per_user: channel.slowmodeSeconds,
  }
  if (channel.thread) return { ...inGuild, ...serializeThreadFields(context, channel) }
  return {
    ...inGuild,
    position: channel.position,
    nsfw: false,
    topic: null,
    permission_overwrites: channel.overwrites.map(({ id, type, allow, deny }) => ({
      id,
      type,
      allow: String(allow),
      deny: String(deny),
    })),
    ...([2, 13].includes(channel.type) ? { bitrate: 64000, user_limit: 0, rtc_region: null } : {}),
    ...([15].includes(channel.type) ? { available_tags: [] } : {}),
  }
}

function serializeThreadFields(context: Context, channel: Channel): JsonObject {
  const { thread, messages } = channel
  const isMember = thread?.members.has(context.application.botId)
  return {
    owner_id: thread?.ownerId,
    thread_metadata: {
      archived: thread?.isArchived ?? false,
      archive_timestamp: iso(context.clock.now()),
      auto_archive_duration: 1440,
      locked: thread?.isLocked ?? false,
      ...(channel.type === 12 ? { invitable: true } : {}),
    },
    message_count: messages.size,
    member_count: Math.min(thread?.members.size ?? 0, 50),
    total_message_sent: messages.size,
    ...(isMember
      ? { member: serializeThreadMember(context, channel, context.application.botId) }
      : {}),
  }
}

export function serializeThreadMember(
  context: Context,
  channel: Channel,
  userId: string,
): JsonObject {
  return { id: channel.id, user_id: userId, join_timestamp: iso(context.clock.now()), flags: 0 }
}

export function serializeGuild(guild: Guild): JsonObject {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: [...guild.roles.values()].map(serializeRole),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: guild.premiumTier,
    premium_subscription_count: 0,
    preferred_locale: 'en-US',
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  }
}

/** GUILD_CREATE: the guild with its channels, threads and the bot's member ("Guild Create"). */
export function serializeGuildCreate(context: Context, guild: Guild): JsonObject {
  const { world, application } = context
  const channels = world.channelsOf(guild.id)
  const threads = channels.filter(
    (channel) =>
      channel.thread &&
      !channel.thread.isArchived &&
      world.can(application.botId, channel, 'VIEW_CHANNEL'),
  )
  const bot = guild.members.get(application.botId)
  return {
    ...serializeGuild(guild),
    joined_at: iso(bot?.joinedAt ?? 0),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: bot ? [serializeMember(context, bot)] : [],
    channels: channels
      .filter(({ thread }) => !thread)
      .map((channel) => serializeChannel(context, channel)),
    threads: threads.map((channel) => serializeChannel(context, channel)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  }
}

export function serializeMessage(context: Context, message: Message, depth = 0): JsonObject {
  const { world } = context
  const { reference } = message
  const target =
    reference && reference.type === 0
      ? world.channels.get(reference.channelId)?.messages.get(reference.messageId)
      : undefined
  const isReply = reference?.type === 0 && depth === 0 && message.type === 19
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channelId,
    author: serializeAuthor(context, message.author),
    content: message.content,
    embeds: message.embeds,
    attachments: message.attachments.map((attachment) => serializeAttachment(context, attachment)),
    components: message.components,
    mentions: message.mentions.flatMap((id) => {
      const user = world.users.get(id)
      return user ? [serializeUser(user)] : []
    }),
    mention_roles: message.mentionRoles,
    mention_everyone: message.mentionEveryone,
    timestamp: iso(message.createdAt),
    edited_timestamp: message.editedAt === null ? null : iso(message.editedAt),
    flags: message.flags,
    pinned: message.pinned,
    tts: message.tts,
    ...(message.poll ? { poll: message.poll } : {}),
    ...(message.stickers.length > 0 ? { sticker_items: message.stickers } : {}),
    ...(message.activity ? { activity: message.activity } : {}),
    ...(message.webhookId ? { webhook_id: message.webhookId } : {}),
    ...(message.applicationId ? { application_id: message.applicationId } : {}),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.reactions.length > 0 ? { reactions: serializeReactions(context, message) } : {}),
    ...(message.snapshots.length > 0 ? { message_snapshots: message.snapshots } : {}),
    ...(message.interaction
      ? { interaction_metadata: interactionMetadata(context, message.interaction) }
      : {}),
    ...(reference
      ? {
          message_reference: {
            type: reference.type,
            channel_id: reference.channelId,
            message_id: reference.messageId,
            ...guildField(world.channels.get(reference.channelId)),
          },
        }
      : {}),
    ...(isReply
      ? {
          referenced_message:
            target && !target.isDeleted ? serializeMessage(context, target, depth + 1) : null,
        }
      : {}),
  }
}

/** Fields that messages of gateway events have and REST answers lack ("Message Create"). */
export function serializeEventFields(context: Context, message: Message): JsonObject {
  const { world } = context
  const channel = world.getChannel(message.channelId)
  if (channel.guildId === null) return { channel_type: 1 }
  const guild = world.getGuild(channel.guildId)
  const member = message.webhookId ? undefined : guild.members.get(message.author.id)
  return {
    guild_id: guild.id,
    channel_type: channel.type,
    // Mentioned users have their member too.
    mentions: message.mentions.flatMap((id) => {
      const [user, mentioned] = [world.users.get(id), guild.members.get(id)]
      if (!user) return []
      return [
        { ...serializeUser(user), ...(mentioned && { member: serializePartialMember(mentioned) }) },
      ]
    }),
    ...(member ? { member: serializePartialMember(member) } : {}),
  }
}

function guildField(channel: Channel | undefined): JsonObject {
  return channel?.guildId ? { guild_id: channel.guildId } : {}
}

function serializeReactions(context: Context, { reactions }: Message): JsonObject[] {
  return reactions.map(({ name, emojiId, userIds }) => ({
    emoji: { id: emojiId, name },
    count: userIds.length,
    count_details: { burst: 0, normal: userIds.length },
    burst_colors: [],
    me_burst: false,
    me: userIds.includes(context.application.botId),
  }))
}

function interactionMetadata(context: Context, interaction: Interaction): JsonObject {
  const { event, sourceMessage, trigger } = interaction
  const target = (event.data as JsonObject | undefined)?.target_id
  return {
    id: interaction.id,
    type: interaction.type,
    user: serializeUser(context.world.getUser(interaction.userId)),
    authorizing_integration_owners: event.authorizing_integration_owners,
    ...(interaction.type === 3 ? { interacted_message_id: sourceMessage?.id } : {}),
    ...(interaction.type === 2 && typeof target === 'string' && !context.world.users.has(target)
      ? { target_message_id: target }
      : {}),
    ...(interaction.type === 5 && trigger
      ? { triggering_interaction_metadata: interactionMetadata(context, trigger) }
      : {}),
  }
}

export function serializeWebhook(context: Context, webhook: Webhook, withUser = true): JsonObject {
  const creator = context.world.users.get(webhook.creatorId)
  // Tokens of webhooks that another application created are not shown ("Webhook Resource").
  const isOwn = webhook.applicationId === null || webhook.applicationId === context.application.id
  return {
    id: webhook.id,
    type: 1,
    guild_id: webhook.guildId,
    channel_id: webhook.channelId,
    name: webhook.name,
    avatar: webhook.avatar,
    application_id: webhook.applicationId,
    ...(isOwn ? { token: webhook.token } : {}),
    ...(isOwn ? { url: `${context.addresses.api}/webhooks/${webhook.id}/${webhook.token}` } : {}),
    ...(creator && withUser ? { user: serializeUser(creator) } : {}),
  }
}

/** Flags of granted privileged intents in unverified applications ("Application Flags"). */
export function applicationFlags({ options }: Context): number {
  const bits = { GUILD_PRESENCES: 1 << 13, GUILD_MEMBERS: 1 << 15, MESSAGE_CONTENT: 1 << 19 }
  return options.privilegedIntents.reduce((all, name) => all | bits[name], 0)
}

export function serializeApplication(context: Context): JsonObject {
  const { application, world } = context
  const flags = applicationFlags(context)
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    type: null,
    flags,
    flags_new: String(flags),
    bot: serializeUser(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: serializeUser(world.bot),
    approximate_guild_count: world.botGuilds().length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
  }
}

export function serializeCommand(context: Context, command: Command): JsonObject {
  const { definition } = command
  const type = definition.type ?? 1
  const { default_member_permissions: permissions } = definition
  const fields = { ...definition }
  for (const key of Object.keys(fields)) if (fields[key] === null) delete fields[key]
  return {
    ...fields,
    id: command.id,
    application_id: context.application.id,
    version: command.version,
    type,
    description: definition.description ?? '',
    default_member_permissions:
      permissions === undefined || permissions === null ? null : String(permissions),
    contexts: definition.contexts ?? null,
    integration_types: definition.integration_types ?? [0],
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
  }
}

/** Permissions of the bot in a channel, for `app_permissions` of interactions. */
export function appPermissions(context: Context, channel: Channel): string {
  return String(context.world.permissionsOf(context.application.botId, channel))
}
