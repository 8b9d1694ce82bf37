import type { Registry } from './registry'

/** Values of the Discord bot that are read at each scrape. */
export interface DiscordGauges {
  /** True if all shards are connected. */
  readonly isUp: boolean
  /** True if this process holds the lease of the bot. */
  readonly hasLease: boolean
  /** Number of shards by state. */
  readonly shards: Readonly<Record<string, number>>
  readonly guilds: number
  /** Time from a heartbeat to its acknowledgement; null before the first. */
  readonly gatewayLatency: number | null
  /** Number of requests that wait for a rate limit of Discord. */
  readonly restWaiting: number
}

export type MessageOutcome = 'proxied' | 'ignored' | 'refused' | 'failed' | 'dropped' | 'duplicate'

/** Counters of the Discord bot. Labels are never taken from messages. */
export interface DiscordMetrics {
  /** Counts an event of the gateway by its type, such as MESSAGE_CREATE. */
  countEvent(type: string): void
  countFailedEvent(type: string): void
  countSession(kind: 'identify' | 'resume'): void
  /** Counts a message; the reason is given for ignored and refused ones. */
  countMessage(outcome: MessageOutcome, reason?: string): void
  /** Records the time from the frame of a message to the request of its webhook, or to the answer. */
  observeProxy(until: 'request' | 'answer', seconds: number): void
  countCommand(command: string, result: string): void
  /** Counts a request by the pattern of its route, because IDs and tokens are private. */
  countRestRequest(route: string, status: number): void
  countRateLimited(scope: string): void
  countRecovered(result: string): void
  countLogEntry(result: 'sent' | 'failed' | 'dropped'): void
}

/** Bucket bounds in seconds. */
const PROXY_DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15]

/** Adds the metrics of the bot to the others. */
export function createDiscordMetrics<Values>(
  { counter, gauge, gauges, histogram }: Registry<Values>,
  read: () => DiscordGauges,
): DiscordMetrics {
  const flag = (name: string, doc: string, isSet: (values: DiscordGauges) => boolean) =>
    gauge(name, doc, () => (isSet(read()) ? 1 : 0))

  flag('multitude_discord_up', '1 if all shards of the bot are connected.', ({ isUp }) => isUp)
  flag(
    'multitude_discord_lease',
    '1 if this process runs the bot; other processes are on standby.',
    ({ hasLease }) => hasLease,
  )
  gauges('multitude_discord_shards', 'Shards of the bot, by state.', 'state', () => read().shards)
  gauge('multitude_discord_guilds', 'Discord servers that the bot is in.', () => read().guilds)
  gauge(
    'multitude_discord_gateway_latency_seconds',
    'Time from a heartbeat to its acknowledgement.',
    () => read().gatewayLatency,
  )
  gauge(
    'multitude_discord_rest_waiting',
    'Requests that wait for a rate limit of Discord.',
    () => read().restWaiting,
  )
  const events = counter('multitude_discord_events_total', 'Events of the gateway, by type.', [
    'type',
  ])
  const failedEvents = counter(
    'multitude_discord_failed_events_total',
    'Events of the gateway whose handling failed, by type.',
    ['type'],
  )
  const sessions = counter(
    'multitude_discord_sessions_total',
    'Sessions of the gateway: begun (identify) or continued (resume).',
    ['kind'],
  )
  for (const kind of ['identify', 'resume']) sessions(kind)
  const messages = counter(
    'multitude_discord_messages_total',
    'Messages in Discord servers, by outcome, and by reason if they were not proxied.',
    ['outcome', 'reason'],
  )
  messages('proxied', '')
  const durations = histogram(
    'multitude_discord_proxy_seconds',
    'Time from the frame of a message to the request of its webhook, or to the answer.',
    PROXY_DURATIONS,
    ['until'],
  )
  const commands = counter('multitude_discord_commands_total', 'Commands, by result.', [
    'command',
    'result',
  ])
  const requests = counter(
    'multitude_discord_rest_requests_total',
    'Requests to Discord, by route pattern and status.',
    ['route', 'status'],
  )
  const limited = counter(
    'multitude_discord_rate_limited_total',
    'Requests that Discord answered with 429, by scope.',
    ['scope'],
  )
  const recovered = counter(
    'multitude_discord_recovered_total',
    'Messages that another process had not finished, by result.',
    ['result'],
  )
  const logEntries = counter(
    'multitude_discord_log_entries_total',
    'Entries for log channels, by result.',
    ['result'],
  )

  return {
    countEvent: (type) => void events(type).value++,
    countFailedEvent: (type) => void failedEvents(type).value++,
    countSession: (kind) => void sessions(kind).value++,
    countMessage: (outcome, reason = '') => void messages(outcome, reason).value++,
    observeProxy: (until, seconds) => durations(until).observe(seconds),
    countCommand: (command, result) => void commands(command, result).value++,
    countRestRequest: (route, status) => void requests(route, String(status)).value++,
    countRateLimited: (scope) => void limited(scope).value++,
    countRecovered: (result) => void recovered(result).value++,
    countLogEntry: (result) => void logEntries(result).value++,
  }
}
