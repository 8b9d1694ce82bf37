import { t } from 'elysia'
import { createLinkCode } from '../../service/access/linkCodes'
import type { Deps } from '../../service/deps'
import { linkCodeToV2 } from '../../wire/v2'
import { describe, writeErrors } from '../openapi'
import { routes } from '../routes'

/** Linking an account of another platform begins with a code. */
export function linkRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).post(
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
        answers: {
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
