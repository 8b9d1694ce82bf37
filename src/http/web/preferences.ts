import { preferencesFromWeb, preferencesToWeb, schemasWeb } from '../../serializers/web'
import type { Deps } from '../../service/deps'
import { getPreferences, patchPreferences } from '../../service/preferences'
import { describe, writeErrors } from '../openapi'
import { routes } from '../routeGroup'

const TAG = 'Access'

/** What the dashboard remembers, from device to device. */
export function preferenceRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/preferences',
      async ({ viewer }) => preferencesToWeb(await getPreferences(deps, viewer)),
      {
        detail: describe({
          tag: TAG,
          id: 'getPreferences',
          summary: 'Get what the dashboard remembers',
          description: 'Members and groups that are gone have left by themselves.',
          requiresAuth: true,
          responses: { 200: schemasWeb.shownPreferences },
          errors: ['unauthorized', 'forbidden'],
        }),
      },
    )
    .patch(
      '/preferences',
      async ({ viewer, body }) =>
        preferencesToWeb(await patchPreferences(deps, viewer, preferencesFromWeb(body))),
      {
        body: schemasWeb.preferences,
        detail: describe({
          tag: TAG,
          id: 'updatePreferences',
          summary: 'Change what the dashboard remembers',
          description: 'A list takes the place of the one that was.',
          responses: { 200: schemasWeb.shownPreferences },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'memberRefNotFound',
            'groupRefNotFound',
            'notYourMemberRef',
            'notYourGroupRef',
          ],
        }),
      },
    )
}
