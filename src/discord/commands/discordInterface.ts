import type { MessageReference } from '../messages/messageLink'
import type { PermissionName } from '../permissions/permission'
import type { Answer } from './answer'

export interface Attachment {
  readonly url: string
  readonly filename: string
  readonly size: number
  readonly contentType: string | null
}

/** A Discord message as far as commands need it. */
export interface DiscordMessage {
  readonly guildId: string | null
  readonly channelId: string
  readonly messageId: string
  readonly content: string
  readonly hasFiles: boolean
  readonly isVoice: boolean
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

export interface ChannelAccess {
  readonly id: string
  readonly name: string
  readonly type: number
  readonly parentId: string | null
  /** Permissions of the bot and of the account that asks. */
  readonly bot: bigint
  readonly asker: bigint
}

export interface EditOptions {
  readonly content: string
  readonly clearsEmbeds: boolean
  readonly clearsFiles: boolean
}

/** Result of an action on Discord: null if it was done, or the reason why not, in a sentence. */
export type Failure = string | null

/**
 * Everything that commands need from Discord: reads from the cache and REST, and the actions on
 * proxied messages, which the proxying pipeline implements. IDs are Discord's.
 */
export interface DiscordSide {
  readonly botId: string
  inviteUrl(): string
  status(): { readonly guilds: number; readonly shards: number; readonly latencyMs: number | null }
  /** Finds an account by ID, also one that shares no guild with the bot. */
  findAccount(
    id: string,
  ): Promise<{ readonly name: string; readonly avatarUrl: string | null } | null>
  /** Lists the channels of a guild with the permissions in them; null if the bot is not in the guild. */
  listChannels(guildId: string, account: string): Promise<readonly ChannelAccess[] | null>
  /** Permissions of an account in a channel or thread; none if one of them is unknown. */
  findPermissions(guildId: string, channelId: string, account: string): Promise<bigint>
  findMessage(reference: MessageReference): Promise<DiscordMessage | null>
  /** Returns whether no other message than this command followed in the channel. */
  isLatest(message: DiscordMessage, commandId: string): Promise<boolean>
  editProxied(message: DiscordMessage, options: EditOptions): Promise<Failure>
  deleteProxied(message: MessageReference): Promise<Failure>
  /** Sends the message again as a member, named by its short ID. */
  reproxy(message: DiscordMessage, member: string, commandId: string): Promise<Failure>
  say(request: SayRequest): Promise<Failure>
  /** Pings the sender of a proxied message, in its channel. */
  ping(message: DiscordMessage, sender: string, pinger: string): Promise<Failure>
  /** Returns why a message of this account was not proxied; null if it is unknown or not its own. */
  explain(message: MessageReference, account: string): Promise<string | null>
  /** The only origins that files and pictures are downloaded from. */
  readonly cdn: readonly string[]
  /** Downloads a picture from the allowed origins, scaled down to what the server stores. */
  downloadPicture(address: string): Promise<Uint8Array>
  /** Starts work that no answer waits for. It ends early when `isStopped` returns true. */
  inBackground(name: string, work: (isStopped: () => boolean) => Promise<void>): void
  /** Sends a direct message. Returns false if the account accepts none. */
  sendDirect(account: string, answer: Answer): Promise<boolean>
  /** Downloads an attachment from the allowed origins, up to a number of bytes. */
  download(attachment: Attachment, maxBytes: number): AsyncIterable<Uint8Array>
}

export interface SayRequest {
  readonly interactionId: string
  readonly account: string
  readonly guildId: string
  readonly channelId: string
  readonly member: string
  readonly text: string
  readonly files: readonly Attachment[]
  /** ID of the message in the same channel that is replied to. */
  readonly replyTo: string | null
  /** Permissions of the account in the channel. */
  readonly permissions: bigint
}

/** Permissions that proxying needs in a channel. */
export const PROXY_PERMISSIONS: readonly PermissionName[] = [
  'ViewChannel',
  'SendMessages',
  'ManageMessages',
  'ManageWebhooks',
  'AttachFiles',
  'EmbedLinks',
  'AddReactions',
  'ReadMessageHistory',
]
