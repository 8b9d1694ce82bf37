import { t } from 'elysia'
import { requireBot } from '../../model/privacy'
import { routes } from '../routeGroup'

export const TAG = 'Bots'

/** Like in version 2, but without `@me`. */
export const systemRef = t.String({
  description: 'Short ID, UUID, or a linked account (`platform:ID`; the bare ID for Discord)',
})

/** Creates routes that require a bot key. All IDs are those of the bot's platform. */
export function botRoutes(bodyLimit: number) {
  return routes(bodyLimit).derive(({ viewer }) => ({ platform: requireBot(viewer) }))
}
