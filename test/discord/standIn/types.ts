/** An object of a request, an answer or an event, as JSON. */
export type JsonObject = { [key: string]: unknown }

export interface User {
  id: string
  username: string
  globalName: string | null
  avatar: string | null
  isBot: boolean
  isSystem: boolean
  /** Subscribers may send up to 4,000 characters. */
  hasNitro: boolean
  /** Refuses direct messages: Discord answers 50007. */
  hasClosedDms: boolean
}

export interface Role {
  id: string
  name: string
  permissions: bigint
  mentionable: boolean
  managed: boolean
  position: number
}

export interface Member {
  userId: string
  nick: string | null
  roles: string[]
  joinedAt: number
  /** Time in milliseconds until which the member is timed out, or null. */
  timedOutUntil: number | null
}

export interface Guild {
  id: string
  name: string
  ownerId: string
  /** Boost tier, which sets the file size limit. */
  premiumTier: 0 | 1 | 2 | 3
  roles: Map<string, Role>
  members: Map<string, Member>
  /** Words that AutoMod refuses in messages. */
  blockedWords: string[]
  isUnavailable: boolean
}

export interface Overwrite {
  id: string
  /** 0 for a role, 1 for a member. */
  type: 0 | 1
  allow: bigint
  deny: bigint
}

export interface Thread {
  ownerId: string
  isArchived: boolean
  isLocked: boolean
  members: Set<string>
}

export interface Channel {
  id: string
  type: number
  /** Null for a direct message. */
  guildId: string | null
  name: string
  parentId: string | null
  overwrites: Overwrite[]
  slowmodeSeconds: number
  position: number
  /** The other user of a direct message. */
  recipientId: string | null
  thread: Thread | null
  messages: Map<string, Message>
}

export interface Attachment {
  id: string
  channelId: string
  filename: string
  bytes: Uint8Array
  contentType: string
  description: string | null
  durationSeconds: number | null
  waveform: string | null
  title: string | null
  isSpoiler: boolean
  /** Address on another origin, for tests of clients that must not follow it. */
  foreignUrl: string | null
}

export interface Reaction {
  name: string
  emojiId: string | null
  userIds: string[]
}

/** Author of a message: a user, or a webhook with the name and picture of one execution. */
export interface Author {
  id: string
  username: string
  avatar: string | null
  /** Address of the picture of a webhook's message; Discord shows a hash of it only. */
  avatarUrl: string | null
  isWebhook: boolean
}

export interface Message {
  id: string
  channelId: string
  type: number
  author: Author
  content: string
  embeds: JsonObject[]
  attachments: Attachment[]
  components: JsonObject[]
  poll: JsonObject | null
  stickers: JsonObject[]
  activity: JsonObject | null
  flags: number
  tts: boolean
  mentions: string[]
  mentionRoles: string[]
  mentionEveryone: boolean
  reference: { type: number; channelId: string; messageId: string } | null
  snapshots: JsonObject[]
  pinned: boolean
  createdAt: number
  editedAt: number | null
  reactions: Reaction[]
  webhookId: string | null
  applicationId: string | null
  interaction: Interaction | null
  nonce: string | number | null
  /** The only user who sees the message, or null if it is part of the channel's history. */
  ephemeralFor: string | null
  /** Users who got a ping when the message was created. */
  notified: string[]
  isDeleted: boolean
}

export interface Webhook {
  id: string
  channelId: string
  guildId: string
  name: string
  avatar: string | null
  token: string
  applicationId: string | null
  creatorId: string
}

export interface Command {
  id: string
  guildId: string | null
  version: string
  /** The definition as the application sent it. */
  definition: JsonObject
}

export interface Interaction {
  id: string
  token: string
  type: number
  userId: string
  channelId: string
  createdAt: number
  /** INTERACTION_CREATE as it was sent. */
  event: JsonObject
  /** Type of the initial answer, or null. */
  answer: number | null
  /** Message of the initial answer. */
  originalId: string | null
  /** All messages sent with the token, the initial answer first. */
  messageIds: string[]
  /** Message that carries the pressed button, for answers that update it. */
  sourceMessage: Message | null
  /** The interaction that opened the modal which was submitted. */
  trigger: Interaction | null
  modal: JsonObject | null
  choices: JsonObject[] | null
}

/** One change of the world, in order. */
export interface JournalEntry {
  at: number
  kind: 'create' | 'edit' | 'delete' | 'pin' | 'react' | 'unreact'
  channelId: string
  messageId: string
  /** User or webhook that made the change. */
  by: string
  detail?: string
}
