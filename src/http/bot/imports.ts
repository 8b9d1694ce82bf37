import { t } from 'elysia'
import { requireBot } from '../../model/core/privacy'
import { reportToV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { importForAccount } from '../../service/transfer/import/import'
import { arrivalLimits } from '../server/bodyArrival'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseBotPathId, parseText } from '../server/query'
import { uploadRoutes } from '../server/routeGroup'
import { importBody, importParameters, parseImportOptions } from '../v2/transfer'
import { TAG } from './params'

/** Imports for accounts without a system. */
export function importRoutes(deps: Deps, importLimit: number) {
  return uploadRoutes(importLimit, arrivalLimits.import).post(
    '/accounts/:account_id/import',
    async ({ params, query, viewer, body, request }) => {
      const account = parseBotPathId(requireBot(viewer), 'account_id', params.account_id)
      const owner = { account, invite: parseText('invite', query.invite) }
      const options = { ...parseImportOptions(query), owner }
      return reportToV2(await importForAccount(deps, viewer, body.open(), options, request.signal))
    },
    {
      params: t.Object({ account_id: t.String({ description: 'ID of a chat account' }) }),
      body: importBody,
      query: parameters({
        ...importParameters,
        invite: parameter({
          type: 'string',
          description: 'Invitation code, if the server requires one',
        }),
      }),
      detail: describe({
        tag: TAG,
        id: 'importForAccount',
        summary: 'Create a system from a file',
        description:
          'For an account without a system: creates one from an export file, with the IDs of the file as far as they are free, and links the account to it. The file is imported completely or not at all. Responds with 409 if the account has a system or the system of the file exists already, and with 403 if registration is closed, the limit of systems is reached, or a valid `invite` is missing. An account with a system imports with `X-System`.',
        responses: { 200: 'ImportReport' },
        errors: [
          ...writeErrors,
          'forbidden',
          'conflict',
          'memberLimit',
          'groupLimit',
          'tooManyRequests',
        ],
      }),
    },
  )
}
