import { type DiscordStatus, inviteUrl, UNKNOWN_APPLICATION } from '../../model/core/discord'
import { formatInstant, type Instant, MINUTE } from '../../model/core/time'
import { countOf, formatDuration, printable } from '../format'

/** The bot writes its state more often than this while it runs. */
const STALE_AFTER = 2 * MINUTE

/** State of the Discord bot in the JSON of `multitude status`. */
export function discordStatusJson(status: DiscordStatus) {
  const { application, at, last_event, disconnected_at, ...rest } = status
  return {
    ...rest,
    at: formatInstant(at),
    last_event: last_event === null ? null : formatInstant(last_event),
    disconnected_at: disconnected_at === null ? null : formatInstant(disconnected_at),
    invite_url: application === UNKNOWN_APPLICATION ? null : inviteUrl(application),
  }
}

/** Lines of `multitude status` about the Discord bot. */
export function describeDiscordStatus(status: DiscordStatus, now: Instant): string[][] {
  const { application, name, node, last_event } = status
  const bot = `${printable(name)} on ${printable(node)}`
  const lastEvent =
    last_event === null ? 'no event yet' : `last event ${since(last_event, now)} ago`
  return [
    ['Discord bot', bot],
    ['', describeState(status, now)],
    ['', lastEvent],
    ...(application === UNKNOWN_APPLICATION ? [] : [['', inviteUrl(application)]]),
  ]
}

function describeState(status: DiscordStatus, now: Instant): string {
  const { at, shards, shards_ready, guilds, disconnected_at, problem } = status
  if (problem !== null) return `STOPPED ${since(at, now)} ago: ${printable(problem)}`
  if (now - at > STALE_AFTER) return `not running, last seen ${since(at, now)} ago`
  const connected = `${shards_ready} of ${countOf(shards, 'shard')} connected`
  const servers = countOf(guilds, 'server')
  return disconnected_at === null
    ? `${connected}, ${servers}`
    : `reconnecting for ${since(disconnected_at, now)}, ${connected}, ${servers}`
}

function since(time: Instant, now: Instant): string {
  return formatDuration(Math.max(0, now - time))
}
