/** A message that a person named by a link or an ID. */
export interface MessageReference {
  /** Null in direct messages, and if only IDs were given. */
  readonly guildId: string | null
  /** Null if only the ID of the message was given. */
  readonly channelId: string | null
  readonly messageId: string
}

/** Place of a message in a guild. */
export interface MessageRef {
  readonly guildId: string
  readonly channelId: string
  readonly messageId: string
}

const ID = String.raw`\d{15,20}`
const LINK = new RegExp(
  `^https?://(?:(?:ptb|canary)\\.)?discord(?:app)?\\.com/channels/(?:(${ID})|@me)/(${ID})/(${ID})/?(?:[?#].*)?$`,
  'i',
)
const PAIR = new RegExp(`^(?:(${ID})-)?(${ID})$`)

/** Parses a link of any Discord client, the pair `channel-message` that clients copy, or an ID. */
export function parseMessageReference(text: string): MessageReference | null {
  const bare = text.trim().replace(/^<(.*)>$/, '$1')
  const [, guildId = null, channelId, messageId] = LINK.exec(bare) ?? []
  if (channelId !== undefined && messageId !== undefined) return { guildId, channelId, messageId }
  const [, pairChannel = null, id] = PAIR.exec(bare) ?? []
  return id === undefined ? null : { guildId: null, channelId: pairChannel, messageId: id }
}

export function formatMessageLink(
  guildId: string | null,
  channelId: string,
  messageId: string,
): string {
  return `https://discord.com/channels/${guildId ?? '@me'}/${channelId}/${messageId}`
}
