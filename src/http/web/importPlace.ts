import { importPlaceToWeb, schemasWeb } from '../../serializers/web'
import type { Deps } from '../../service/core/deps'
import { reserveImportPlace } from '../../service/transfer/import/import'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

/** Queue in which a page waits before it sends a file. */
export function importPlaceRoute(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).post(
    '/import-place',
    async ({ request, viewer }) =>
      importPlaceToWeb(await reserveImportPlace(deps, viewer, request.signal)),
    {
      detail: describe({
        tag: 'Import and export',
        id: 'reserveImportPlace',
        summary: 'Wait for a place before an import',
        description:
          'Waits up to ten seconds until a file of the system may be sent to `POST /v2/systems/@me/import`, so that a large file is not sent only to be refused. `ready: true` reserves a place for 30 seconds, until the upload begins. After `ready: false`, ask again within five seconds to keep the position in the queue.',
        responses: { 200: schemasWeb.importPlace },
        errors: [...writeErrors, 'forbidden', 'tooManyRequests'],
      }),
    },
  )
}
