import { t } from 'elysia'
import { bareId } from '../../model/platform'
import {
  type Account,
  forgetAccount,
  getAccount,
  linkAccount,
  patchAccount,
  unlinkAccount,
} from '../../service/accounts'
import type { Deps } from '../../service/deps'
import { deleteAllSwitches } from '../../service/switches'
import { createSystem, deleteSystem, getSystemById, getSystemForBot } from '../../service/systems'
import { createToken } from '../../service/tokens'
import { accountFromBot, newSystemFromBot, schemasBot, tokenNameFromBot } from '../../wire/bot'
import { describe, writeErrors } from '../openapi'
import { pathIdOf } from '../query'
import { showSystem } from '../v2/views'
import { botRoutes, systemRef, TAG } from './named'

const ofSystem = t.Object({ systemRef })
const accountId = t.String({ description: 'ID of a chat account' })
const ofAccount = t.Object({ account_id: accountId })
const ofLink = t.Object({ systemRef, account_id: accountId })

const DEFAULT_TOKEN = 'bot'

/** Systems, their tokens and their linked accounts. */
export function systemRoutes(deps: Deps, bodyLimit: number) {
  return botRoutes(bodyLimit)
    .post(
      '/systems',
      async ({ platform, body, set }) => {
        const { account_id, name } = newSystemFromBot(body, platform)
        const link = { account: account_id, tokenName: DEFAULT_TOKEN, platform }
        const { system, token } = await createSystem(deps, { name }, link)
        set.status = 201
        return { system: showSystem(system, true), token }
      },
      {
        body: schemasBot.newSystem,
        detail: describe({
          tag: TAG,
          id: 'registerSystem',
          summary: 'Make a system',
          description:
            'For someone new: with a token, to be handed to its owner in private, and linked to an account if one is given. 409 says that the account has a system already.',
          answers: { 201: schemasBot.madeSystem },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef',
      async ({ params, platform, set }) => {
        const { id } = await getSystemForBot(deps.db, platform, params.systemRef)
        await deleteSystem(deps, id)
        set.status = 204
      },
      {
        params: ofSystem,
        detail: describe({
          tag: TAG,
          id: 'deleteSystem',
          summary: 'Delete a system and everything it has',
          description:
            'For good: members, groups, switches, messages, tokens and links. Ask its owner twice.',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/switches',
      async ({ params, platform, set }) => {
        const { id } = await getSystemForBot(deps.db, platform, params.systemRef)
        await deleteAllSwitches(deps, id)
        set.status = 204
      },
      {
        params: ofSystem,
        detail: describe({
          tag: TAG,
          id: 'deleteAllSwitches',
          summary: 'Delete all switches of a system',
          description: 'All at once and for good; the members stay.',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .post(
      '/systems/:systemRef/token',
      async ({ params, platform, body }) => {
        const name = tokenNameFromBot(body) ?? DEFAULT_TOKEN
        const { id } = await getSystemForBot(deps.db, platform, params.systemRef)
        return { token: await createToken(deps, id, name) }
      },
      {
        params: ofSystem,
        body: schemasBot.newToken,
        detail: describe({
          tag: TAG,
          id: 'createToken',
          summary: 'Make a token for a system',
          description: `In place of the token of that name, which is \`${DEFAULT_TOKEN}\` when none is given; the old one stops working at once. Hand it to its owner in private.`,
          answers: { 200: schemasBot.token },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound', 'conflict'],
        }),
      },
    )
    .put(
      '/systems/:systemRef/accounts/:account_id',
      async ({ params, platform, set }) => {
        const account = pathIdOf(platform, 'account_id', params.account_id)
        const { id } = await getSystemForBot(deps.db, platform, params.systemRef)
        await linkAccount(deps, id, account)
        set.status = 204
      },
      {
        params: ofLink,
        detail: describe({
          tag: TAG,
          id: 'linkAccount',
          summary: 'Link an account to a system',
          description:
            'After that, messages of this account are proxied as members of the system. 409 says that it is linked to another one.',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/accounts/:account_id',
      async ({ params, platform, set }) => {
        const account = pathIdOf(platform, 'account_id', params.account_id)
        const { id } = await getSystemForBot(deps.db, platform, params.systemRef)
        await unlinkAccount(deps, id, account)
        set.status = 204
      },
      {
        params: ofLink,
        detail: describe({
          tag: TAG,
          id: 'unlinkAccount',
          summary: 'Unlink an account from a system',
          description: 'The system stays, also without any account. Fine when it was not linked.',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/accounts/:account_id',
      async ({ params, platform }) => {
        const account = pathIdOf(platform, 'account_id', params.account_id)
        return showAccount(deps, await getAccount(deps.db, account))
      },
      {
        params: ofAccount,
        detail: describe({
          tag: TAG,
          id: 'getAccount',
          summary: 'Get the system of an account',
          description:
            'The short ID for `X-System`, and whether autoproxy may speak for this account. 20001 says that it has no system yet.',
          answers: { 200: schemasBot.account },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .patch(
      '/accounts/:account_id',
      async ({ params, platform, body }) => {
        const account = pathIdOf(platform, 'account_id', params.account_id)
        return showAccount(deps, await patchAccount(deps, account, accountFromBot(body)))
      },
      {
        params: ofAccount,
        body: schemasBot.accountPatch,
        detail: describe({
          tag: TAG,
          id: 'updateAccount',
          summary: 'Change an account',
          description:
            'With `autoproxy_enabled` off, autoproxy leaves this account’s messages alone in every guild; tags still work.',
          answers: { 200: schemasBot.account },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/accounts/:account_id',
      async ({ params, platform, set }) => {
        await forgetAccount(deps, pathIdOf(platform, 'account_id', params.account_id))
        set.status = 204
      },
      {
        params: ofAccount,
        detail: describe({
          tag: TAG,
          id: 'forgetAccount',
          summary: 'Unlink an account at its owner’s wish',
          description:
            'Whatever system it is linked to, so an owner can leave one they no longer control. 20001 says that it was linked to none.',
          answers: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
}

async function showAccount({ db }: Deps, { id, system_id, autoproxy_enabled }: Account) {
  const { hid } = await getSystemById(db, system_id)
  return { account_id: bareId(id), system: hid, autoproxy_enabled }
}
