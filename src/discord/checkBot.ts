import type { APIApplication, APIGuild } from 'discord-api-types/v10'
import { applicationPage, inviteUrl, REQUESTED_PERMISSIONS } from '../model/core/discord'
import type { Log } from '../runtime/log'
import { systemClock } from '../runtime/timers/clock'
import { loadIdentity } from './bot/identity'
import { formatUserAgent } from './bot/userAgent'
import { describeRefusedToken } from './gateway/closeCodes'
import { missingPermissions, Permission, type PermissionName } from './permissions/permission'
import { DiscordError } from './rest/errors'
import { createRestClient, type RestTiming } from './rest/restClient'
import { en } from './text/en'

/** Result of a check of the token, the intents and the permissions in the guilds. */
export interface BotCheck {
  readonly name: string | null
  readonly application: string | null
  readonly invite: string | null
  /** Empty if the bot can work. */
  readonly problems: readonly string[]
  /** Hints about what the bot can work without. */
  readonly notes: readonly string[]
  readonly guilds: number
}

/** Flags of an application: the intent is granted, or granted to a bot in few guilds. */
const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19)

interface Settings {
  readonly token: string
  readonly api: string
  /** Public address of this server; empty if it is not set. */
  readonly publicUrl: string
}

/** Asks Discord whether the bot can start, without starting it. */
export async function checkBot(
  { token, api, publicUrl }: Settings,
  log: Log,
  timing: Partial<RestTiming> = {},
): Promise<BotCheck> {
  const userAgent = () => formatUserAgent(publicUrl, null)
  const rest = createRestClient({ clock: systemClock, api, token, userAgent, log, timing })
  try {
    const { applicationId, name } = await loadIdentity(rest)
    const { flags = 0 } = await rest.request<APIApplication>('GET', '/applications/@me')
    const guilds = await rest.request<PartialGuild[]>('GET', '/users/@me/guilds')
    const missing = guilds.map(findMissing)
    const problems = [
      ...((flags & MESSAGE_CONTENT_FLAGS) === 0
        ? [
            `Message Content Intent is not enabled. Enable it under Privileged Gateway Intents at ${applicationPage(applicationId)}/bot.`,
          ]
        : []),
      ...missing.flatMap((permissions) => describeMissing(permissions, false)),
    ]
    return {
      name,
      application: applicationId,
      invite: inviteUrl(applicationId),
      problems,
      notes: missing.flatMap((permissions) => describeMissing(permissions, true)),
      guilds: guilds.length,
    }
  } catch (cause) {
    const problems = [describeFailure(cause, api)]
    return { name: null, application: null, invite: null, problems, notes: [], guilds: 0 }
  } finally {
    rest.stop()
  }
}

/** Explains a request that failed. A proxy in front of Discord refuses banned addresses with 403. */
function describeFailure(cause: unknown, api: string): string {
  if (!(cause instanceof DiscordError)) return `Discord does not answer at ${api}.`
  const { status } = cause
  const answered = `Discord answered ${status} at ${api}`
  if (status === 401) {
    const { reason, remedy } = describeRefusedToken(null)
    return `${reason}. ${remedy}`
  }
  if (status === 403)
    return `${answered}: it refuses requests from this address, for example for some hours after too many invalid ones.`
  if (status === 404) return `${answered}. Check DISCORD_API.`
  if (status >= 500)
    return `${answered}: a fault of Discord, see https://discordstatus.com. Try again later.`
  return `${answered}.`
}

type PartialGuild = Pick<APIGuild, 'id' | 'name'> & { readonly permissions: string }

interface Missing {
  readonly guild: PartialGuild
  readonly names: readonly PermissionName[]
}

/** Permissions that are asked for, and without which everything but some emojis works. */
const OPTIONAL: readonly PermissionName[] = ['UseExternalEmojis']

function findMissing(guild: PartialGuild): Missing {
  const required = (Object.keys(Permission) as PermissionName[]).filter(
    (name) => (REQUESTED_PERMISSIONS & Permission[name]) !== 0n,
  )
  const granted = BigInt(guild.permissions)
  const isAdministrator = (granted & Permission.Administrator) !== 0n
  return { guild, names: isAdministrator ? [] : missingPermissions(granted, required) }
}

function describeMissing({ guild, names }: Missing, isOptional: boolean): string[] {
  const shown = names.filter((name) => OPTIONAL.includes(name) === isOptional)
  if (shown.length === 0) return []
  const server = `Server ${JSON.stringify(guild.name)} (${guild.id})`
  const list = en.permissionNames(shown)
  return [
    isOptional
      ? `${server} does not grant ${list}; emojis of other servers may be shown as text.`
      : `${server} does not grant: ${list}.`,
  ]
}
