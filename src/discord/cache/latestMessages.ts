/** Latest message of a channel. The proxy engine compares names with it; edits apply only to it. */
export interface LatestMessage {
  readonly id: string
  /** Shown name of the author. */
  readonly name: string
  /** Member that the message was proxied as; null for other messages. */
  readonly member: string | null
  /** Hash of the content, which itself is not kept. */
  readonly contentHash: bigint
  /** Commands are never proxied, not even after an edit. */
  readonly isCommand?: boolean
  /** With `member` null, a webhook sent it, but not for this process. */
  readonly isFromWebhook?: boolean
}

export interface LatestMessages {
  find(channelId: string): LatestMessage | undefined
  set(channelId: string, message: LatestMessage): void
  delete(channelId: string): void
}

export const MAX_CHANNELS = 10_000

/** Keeps the latest message of the channels that were used most recently. */
export function createLatestMessages(maxChannels = MAX_CHANNELS): LatestMessages {
  const messages = new Map<string, LatestMessage>()
  return {
    find: (channelId) => messages.get(channelId),
    set(channelId, message) {
      // A map keeps its keys in the order of insertion, so the first key is the least recent one.
      messages.delete(channelId)
      messages.set(channelId, message)
      const [oldest] = messages.keys()
      if (messages.size > maxChannels && oldest !== undefined) messages.delete(oldest)
    },
    delete: (channelId) => void messages.delete(channelId),
  }
}

export function hashContent(content: string): bigint {
  return BigInt(Bun.hash(content))
}
