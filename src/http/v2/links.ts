import { t } from 'elysia'
import { accountToV2, linkCodeToV2 } from '../../serializers/v2'
import { createLinkCode } from '../../service/access/linkCodes'
import { listAccounts } from '../../service/accounts'
import type { Deps } from '../../service/deps'
import { describe, writeErrors } from '../openapi'
import { routes } from '../routeGroup'

/** The accounts of a system; linking one of another platform begins with a code. */
export function linkRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/accounts',
      async ({ viewer }) => (await listAccounts(deps, viewer)).map(accountToV2),
      {
        detail: describe({
          tag: 'Systems',
          id: 'listAccounts',
          summary: 'List the linked accounts of the own system',
          description: 'Their IDs, with the platform in front where it is not Discord.',
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
          summary: 'Make a code that links an account of another platform',
          description:
            'Told to the bot there, it links the account once, within ten minutes. Of more than ' +
            'three open ones the oldest goes.',
          responses: {
            201: t.Object({
              code: t.String({ description: 'Eight letters and digits; shown this once' }),
              expires: t.String({ format: 'date-time' }),
            }),
          },
          errors: [...writeErrors],
        }),
      },
    )
}
