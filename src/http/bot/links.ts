import { linkFromBot, linkToBot, schemasBot } from '../../serializers/bot'
import { linkByCode } from '../../service/access/linkCodes'
import type { Deps } from '../../service/core/deps'
import { describe, writeErrors } from '../server/openapi'
import { botRoutes } from '../server/routeGroup'
import { TAG } from './params'

/** Links an account to a system that already exists on another platform. */
export function linkRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit).post(
    '/link',
    async ({ platform, viewer, body }) => {
      const { account_id, code } = linkFromBot(body, platform)
      const { hid } = await linkByCode(deps, viewer, account_id, code)
      return linkToBot(account_id, hid)
    },
    {
      body: schemasBot.link,
      detail: describe({
        tag: TAG,
        id: 'redeemLinkCode',
        summary: 'Link an account with a code',
        description:
          'Redeems a code that the system created on another platform or with its own token. After ' +
          'five wrong codes within a minute, the account must wait.',
        responses: { 200: schemasBot.linked },
        errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound', 'conflict'],
      }),
    },
  )
}
