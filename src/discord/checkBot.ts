import type { APIApplication, APIGuild } from 'discord-api-types/v10'
import { applicationPage, inviteUrl, REQUESTED_PERMISSIONS } from '../model/core/discord'
import type { Log } from '../runtime/log'
import { systemClock } from '../runtime/timers/clock'
import { loadIdentity } from './bot/identity'
import { formatUserAgent } from './bot/userAgent'
import { missingPermissions, Permission, type PermissionName } from './permissions/permission'
import { DiscordError } from './rest/errors'
import { createRestClient } from './rest/restClient'

/** Result of a check of the token, the intents and the permissions in the guilds. */
export interface BotCheck {
  readonly name: string | null
  readonly application: string | null
  readonly invite: string | null
  /** Empty if the bot can work. */
  readonly problems: readonly string[]
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
export async function checkBot({ token, api, publicUrl }: Settings, log: Log): Promise<BotCheck> {
  const userAgent = () => formatUserAgent(publicUrl, null)
  const rest = createRestClient({ clock: systemClock, api, token, userAgent, log })
  try {
    const { applicationId, name } = await loadIdentity(rest)
    const { flags = 0 } = await rest.request<APIApplication>('GET', '/applications/@me')
    const guilds = await rest.request<PartialGuild[]>('GET', '/users/@me/guilds')
    const problems = [
      ...((flags & MESSAGE_CONTENT_FLAGS) === 0
        ? [
            `Message Content Intent is not enabled. Enable it under Privileged Gateway Intents at ${applicationPage(applicationId)}/bot.`,
          ]
        : []),
      ...guilds.flatMap(describeMissing),
    ]
    return {
      name,
      application: applicationId,
      invite: inviteUrl(applicationId),
      problems,
      guilds: guilds.length,
    }
  } catch (cause) {
    const isRefused = cause instanceof DiscordError && cause.status === 401
    const problem = isRefused
      ? `Discord refused the bot token. Set DISCORD_TOKEN to the token shown at ${applicationPage(null)}.`
      : `Discord does not answer at ${api}.`
    return { name: null, application: null, invite: null, problems: [problem], guilds: 0 }
  } finally {
    rest.stop()
  }
}

type PartialGuild = Pick<APIGuild, 'id' | 'name'> & { readonly permissions: string }

function describeMissing({ id, permissions }: PartialGuild): string[] {
  const required = (Object.keys(Permission) as PermissionName[]).filter(
    (name) => (REQUESTED_PERMISSIONS & Permission[name]) !== 0n,
  )
  const granted = BigInt(permissions)
  if ((granted & Permission.Administrator) !== 0n) return []
  const missing = missingPermissions(granted, required)
  return missing.length === 0 ? [] : [`Server ${id} does not grant: ${missing.join(', ')}.`]
}
