/** Reasons why messages were not proxied, for the accounts that ask. Kept in memory only. */
export interface IgnoredMessages {
  remember(messageId: string, reason: string): void
  find(messageId: string): string | null
}

const MAX_MESSAGES = 5000

export function createIgnoredMessages(max = MAX_MESSAGES): IgnoredMessages {
  const reasons = new Map<string, string>()
  return {
    remember(messageId, reason) {
      reasons.delete(messageId)
      reasons.set(messageId, reason)
      const [oldest] = reasons.keys()
      if (reasons.size > max && oldest !== undefined) reasons.delete(oldest)
    },
    find: (messageId) => reasons.get(messageId) ?? null,
  }
}
