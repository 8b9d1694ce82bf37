import { t } from 'elysia'
import { requireBot } from '../../model/privacy'
import { callerOf } from '../context'
import { routes } from '../routeGroup'

export const TAG = 'Bots'

/** As in version 2, but `@me` is nobody here. */
export const systemRef = t.String({
  description: 'Short ID, UUID, or a linked account with its platform in front (Discord’s bare)',
})

/** Routes for the holders of a bot key alone. They know the platform that all IDs are of. */
export function botRoutes(bodyLimit: number) {
  return routes(bodyLimit).derive(({ request }) => ({
    platform: requireBot(callerOf(request).viewer),
  }))
}
