import { preferencesFromWeb, preferencesToWeb, schemasWeb } from '../../serializers/web'
import { getPreferences, patchPreferences } from '../../service/access/preferences'
import type { Deps } from '../../service/core/deps'
import { summarizeArchive } from '../../service/transfer/archive/archivedRows'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

const TAG = 'Access'

/** Preferences of the dashboard, shared between devices. */
export function preferenceRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/preferences',
      async ({ viewer }) =>
        preferencesToWeb(await getPreferences(deps, viewer), await summarizeArchive(deps, viewer)),
      {
        detail: describe({
          tag: TAG,
          id: 'getPreferences',
          summary: 'Get the dashboard preferences',
          description: 'Deleted members and groups are removed from the lists automatically.',
          requiresAuth: true,
          responses: { 200: schemasWeb.preferencesResponse },
          errors: ['unauthorized', 'forbidden'],
        }),
      },
    )
    .patch(
      '/preferences',
      async ({ viewer, body }) => {
        const changed = await patchPreferences(deps, viewer, preferencesFromWeb(body))
        return preferencesToWeb(changed, await summarizeArchive(deps, viewer))
      },
      {
        body: schemasWeb.preferences,
        detail: describe({
          tag: TAG,
          id: 'updatePreferences',
          summary: 'Update the dashboard preferences',
          description: 'Changes only the given keys; lists are replaced as a whole.',
          responses: { 200: schemasWeb.preferencesResponse },
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
