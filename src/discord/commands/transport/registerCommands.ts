import { createHash } from 'node:crypto'
import { discordBot } from '../../../model/core/privacy'
import { backoffMs } from '../../../runtime/timers/backoff'
import { listCommandHashes, storeCommandHash } from '../../../service/discord/commandHashes'
import { type BotCore, describeError } from '../../bot/core'
import { en } from '../../text/en'
import { buildDefinitions } from '../slash/definitions'

/** Places of application commands: all guilds, none, or the guilds with these IDs. */
export type CommandPlaces = 'global' | 'off' | readonly string[]

type Parts = Pick<BotCore, 'deps' | 'rest' | 'identity' | 'log' | 'stopSignal' | 'sleeper'>

const GLOBAL = 'global'

/** Places such as a guild that the bot is not in yet fail for a long time. */
const BACKOFF = { firstMs: 5000, maxMs: 60 * 60 * 1000 }

/** Registers the application commands, and tries again later where that fails. */
export async function registerCommands(parts: Parts, places: CommandPlaces): Promise<void> {
  const { stopSignal, sleeper, log } = parts
  for (let failures = 1; ; failures++) {
    const isComplete = await registerOnce(parts, places).catch((cause) => {
      log.warn('Discord commands not registered', { error: describeError(cause) })
      return false
    })
    if (isComplete) return
    await stopSignal.sleep(backoffMs(BACKOFF, failures))
    if (stopSignal.isStopped || sleeper.isStopped) return
  }
}

/**
 * Registers the application commands where the setting wants them, and removes them where an earlier
 * setting did, because people would see them twice. Discord limits how often commands are created,
 * so nothing is sent if the definitions are those of the last registration. Returns whether all
 * places have their commands.
 */
async function registerOnce(parts: Parts, places: CommandPlaces): Promise<boolean> {
  const { deps, identity, log } = parts
  const wanted = typeof places === 'string' ? (places === GLOBAL ? [GLOBAL] : []) : places
  const hashes = await listCommandHashes(deps, discordBot, identity.applicationId)
  let isComplete = true
  for (const scope of new Set([...wanted, ...hashes.keys()])) {
    const definitions = wanted.includes(scope) ? buildDefinitions(en) : []
    const hash = createHash('sha256').update(JSON.stringify(definitions)).digest('hex')
    if (hashes.get(scope) === hash) continue
    try {
      await overwrite(parts, scope, definitions)
      const place = { application: identity.applicationId, scope }
      await storeCommandHash(deps, discordBot, place, hash)
      log.info('Discord commands registered', { scope, commands: definitions.length })
    } catch (cause) {
      // The bot may not be in a guild of the setting; the other guilds get their commands.
      isComplete = false
      log.warn('Discord commands not registered', { scope, error: describeError(cause) })
    }
  }
  return isComplete
}

async function overwrite({ rest, identity }: Parts, scope: string, body: object): Promise<void> {
  const application_id = identity.applicationId
  await (scope === GLOBAL
    ? rest.request('PUT', '/applications/{application_id}/commands', {
        params: { application_id },
        body,
      })
    : rest.request('PUT', '/applications/{application_id}/guilds/{guild_id}/commands', {
        params: { application_id, guild_id: scope },
        body,
      }))
}
