import { type DiscordStatus, inviteUrl, UNKNOWN_APPLICATION } from '../../model/core/discord'
import { formatInstant, type Instant, MINUTE } from '../../model/core/time'
import { countOf, formatDuration, printable } from '../format'

/** The bot writes its state more often than this while it runs. */
const STALE_AFTER = 2 * MINUTE

/** State of the Discord bot in the JSON of `multitude status`. */
export function discordStatusJson(status: DiscordStatus) {
  const { application, at, last_event, ...rest } = status
  return {
    ...rest,
    at: formatInstant(at),
    last_event: last_event === null ? null : formatInstant(last_event),
    invite_url: application === UNKNOWN_APPLICATION ? null : inviteUrl(application),
  }
}

/** Lines of `multitude status` about the Discord bot. */
export function describeDiscordStatus(status: DiscordStatus, now: Instant): string[][] {
  const ago = (time: Instant) => `${formatDuration(Math.max(0, now - time))} ago`
  const { application, name, node, at, shards, shards_ready, guilds, last_event, problem } = status
  const bot = `${printable(name)} on ${printable(node)}`
  const state =
    problem !== null
      ? `STOPPED ${ago(at)}: ${printable(problem)}`
      : now - at > STALE_AFTER
        ? `not running, last seen ${ago(at)}`
        : `${shards_ready} of ${countOf(shards, 'shard')} connected, ${countOf(guilds, 'server')}`
  const lastEvent = last_event === null ? 'no event yet' : `last event ${ago(last_event)}`
  return [
    ['Discord bot', bot],
    ['', `${state}, ${lastEvent}`],
    ...(application === UNKNOWN_APPLICATION ? [] : [['', inviteUrl(application)]]),
  ]
}
