import { t } from 'elysia'
import { error } from '../../model/errors'
import type { Member } from '../../model/member'
import type { Platform } from '../../model/platform'
import type { Deps } from '../../service/deps'
import { getMember } from '../../service/members'
import { refuseForeign } from '../../service/systems'
import { callerOf } from '../context'
import { routes } from '../routes'

export const TAG = 'Bots'

/** As in version 2, but `@me` is nobody here. */
export const systemRef = t.String({
  description: 'Short ID, UUID, or a linked account with its platform in front (Discord’s bare)',
})

/** Routes for the holders of a bot key alone. They know the platform that all IDs are of. */
export function botRoutes(bodyLimit: number) {
  return routes(bodyLimit).derive(({ request }) => ({ platform: requireBot(request) }))
}

function requireBot(request: Request): Platform {
  const { kind, viewer } = callerOf(request)
  if (viewer.platform !== null) return viewer.platform
  throw error(kind === 'nobody' ? 'unauthorized' : 'forbidden')
}

/** The member a bot names, of a system that it may act for. */
export async function namedMember(deps: Deps, platform: Platform, ref: string): Promise<Member> {
  const found = await getMember(deps, ref)
  await refuseForeign(deps.db, platform, found.system_id)
  return found
}
