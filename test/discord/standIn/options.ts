/** Rate limit of one route: requests per window. */
export interface RouteLimit {
  limit: number
  windowMs: number
}

export interface StandInOptions {
  /**
   * Refuses requests whose User-Agent is not the documented one. oceanic.js 1.15 does not send its
   * own, although it has an option for it.
   */
  requiresUserAgent: boolean
  /** Validates events and answers. Benchmarks do not, because it takes longer than the bot does. */
  isValidating: boolean
  /** Interval in HELLO. */
  heartbeatMs: number
  /** Time after which a closed session cannot be resumed any more. */
  sessionTtlMs: number
  /** Privileged intents that the application may request. */
  privilegedIntents: ('MESSAGE_CONTENT' | 'GUILD_MEMBERS' | 'GUILD_PRESENCES')[]
  /** Number of shards that `GET /gateway/bot` recommends. */
  shards: number
  maxConcurrency: number
  /** Window in which `maxConcurrency` IDENTIFYs are allowed. */
  identifyWindowMs: number
  /** IDENTIFYs left in `session_start_limit`. */
  sessionStarts: number
  /** `off`, the numbers of the contract, or numbers drawn at random from a seed. */
  rateLimits: 'off' | 'default' | { seed: number }
  /** Limits of single routes, by method and path as in Discord's OpenAPI document. */
  routeLimits: Record<string, RouteLimit>
  /** Lists of routes that share a bucket. */
  sharedBuckets: string[][]
  /** Requests per second for one bot token, and for one address without a token. */
  globalPerSecond: number
  /** Share of requests that get a 429 of scope `shared` although requests remain. */
  hiddenLimitShare: number
  hiddenLimitSeed: number
  /** Words that are refused in names of webhooks, beyond the documented ones. */
  forbiddenNames: string[]
  /** Handling of IS_VOICE_MESSAGE on webhook messages, which Discord does not document. */
  voiceMessages: 'accept' | 'refuse'
  /** Lifetime of attachment URLs. */
  attachmentTtlMs: number
  /** Least size of the pictures that the media host scales down, in bytes. */
  scaledPictureBytes: number
  /** File size limits by boost tier, and the request limit below tier 2. */
  fileLimits: { tiers: [number, number, number, number]; request: number }
  /** Time for the initial answer to an interaction, and lifetime of its token. */
  interactionAnswerMs: number
  interactionTokenMs: number
}

const mebibyte = 1024 * 1024

export const defaultOptions: StandInOptions = {
  requiresUserAgent: true,
  isValidating: true,
  heartbeatMs: 10_000,
  sessionTtlMs: 60_000,
  privilegedIntents: ['MESSAGE_CONTENT'],
  shards: 1,
  maxConcurrency: 1,
  identifyWindowMs: 5000,
  sessionStarts: 1000,
  rateLimits: 'default',
  routeLimits: {},
  sharedBuckets: [],
  globalPerSecond: 50,
  hiddenLimitShare: 0,
  hiddenLimitSeed: 1,
  forbiddenNames: [],
  voiceMessages: 'accept',
  attachmentTtlMs: 24 * 3600_000,
  scaledPictureBytes: 0,
  fileLimits: {
    tiers: [10 * mebibyte, 10 * mebibyte, 50 * mebibyte, 100 * mebibyte],
    request: 25 * mebibyte,
  },
  interactionAnswerMs: 3000,
  interactionTokenMs: 15 * 60_000,
}
