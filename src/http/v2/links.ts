import { t } from 'elysia'
import { accountToV2, linkCodeToV2 } from '../../serializers/v2'
import { listAccounts } from '../../service/access/accounts'
import { createLinkCode } from '../../service/access/linkCodes'
import type { Deps } from '../../service/core/deps'
import { describe, writeErrors } from '../server/openapi'
import { routes } from '../server/routeGroup'

/** Linked accounts of a system, and codes that link accounts of other platforms. */
export function linkRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/accounts',
      async ({ viewer }) => (await listAccounts(deps, viewer)).map(accountToV2),
      {
        detail: describe({
          tag: 'Systems',
          id: 'listAccounts',
          summary: 'List linked accounts',
          description:
            'Returns the IDs of the accounts of your system: `platform:ID`, or the bare ID for Discord.',
          requiresAuth: true,
          responses: { 200: t.Array(t.Object({ id: t.String() })) },
          errors: ['badRequest', 'unauthorized', 'forbidden'],
        }),
      },
    )
    .post(
      '/systems/@me/link-code',
      async ({ viewer, set }) => {
        const { code, expires } = await createLinkCode(deps, viewer)
        set.status = 201
        return linkCodeToV2(code, expires)
      },
      {
        detail: describe({
          tag: 'Systems',
          id: 'createLinkCode',
          summary: 'Create a link code',
          description:
            'Creates a code that links an account of another platform. Send it to the bot there; it ' +
            'works once, within ten minutes. A system has at most three open codes, and a further ' +
            'one invalidates the oldest.',
          responses: {
            201: t.Object({
              code: t.String({ description: 'Eight letters and digits; shown only once' }),
              expires: t.String({ format: 'date-time' }),
            }),
          },
          errors: [...writeErrors],
        }),
      },
    )
}
