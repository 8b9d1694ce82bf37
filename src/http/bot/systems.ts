import { t } from 'elysia'
import {
  accountFromBot,
  accountToBot,
  createdSystemToBot,
  loginLinkToBot,
  newSystemFromBot,
  schemasBot,
  tokenNameFromBot,
  tokenToBot,
} from '../../serializers/bot'
import { createLoginCode } from '../../service/access/loginLinks'
import { replaceToken } from '../../service/access/tokens'
import {
  forgetAccount,
  getAccount,
  type LinkedAccount,
  linkAccount,
  patchAccount,
  unlinkAccount,
} from '../../service/accounts'
import type { Deps } from '../../service/deps'
import { deleteAllSwitches } from '../../service/switches'
import { actFor, createSystem, deleteSystem } from '../../service/systems'
import { describe, writeErrors } from '../openapi'
import { parseBotPathId } from '../query'
import { showSystem } from '../v2/views'
import { botRoutes, systemRef, TAG } from './botRoutes'

const ofSystem = t.Object({ systemRef })
const accountId = t.String({ description: 'ID of a chat account' })
const ofAccount = t.Object({ account_id: accountId })
const ofLink = t.Object({ systemRef, account_id: accountId })

const DEFAULT_TOKEN = 'bot'

/** Systems, their tokens and their linked accounts. */
export function systemRoutes(deps: Deps, bodyLimit: number, publicUrl: string) {
  /** Where people reach this server: as the operator says, or as the bot does. */
  const addressOf = ({ url }: Request) => publicUrl || new URL(url).origin
  return botRoutes(bodyLimit)
    .post(
      '/systems',
      async ({ platform, viewer, body, set }) => {
        const { account_id, name, invite } = newSystemFromBot(body, platform)
        const link = { account: account_id, tokenName: DEFAULT_TOKEN, invite }
        const { system, token } = await createSystem(deps, viewer, { name }, link)
        set.status = 201
        return createdSystemToBot(showSystem(system, true), token)
      },
      {
        body: schemasBot.newSystem,
        detail: describe({
          tag: TAG,
          id: 'registerSystem',
          summary: 'Make a system',
          description:
            'For someone new: with a token, to be handed to its owner in private, and linked to an account if one is given. 409 says that the account has a system already, 403 that this server takes none, no more, or none without a valid `invite`.',
          responses: { 201: schemasBot.madeSystem },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef',
      async ({ params, viewer: bot, set }) => {
        const { viewer } = await actFor(deps, bot, params.systemRef)
        await deleteSystem(deps, viewer)
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
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/switches',
      async ({ params, viewer: bot, set }) => {
        const { viewer } = await actFor(deps, bot, params.systemRef)
        await deleteAllSwitches(deps, viewer)
        set.status = 204
      },
      {
        params: ofSystem,
        detail: describe({
          tag: TAG,
          id: 'deleteAllSwitches',
          summary: 'Delete all switches of a system',
          description: 'All at once and for good; the members stay.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .post(
      '/systems/:systemRef/login',
      async ({ params, viewer: bot, request, set }) => {
        const { viewer } = await actFor(deps, bot, params.systemRef)
        const { code, expires } = await createLoginCode(deps, viewer)
        set.status = 201
        return loginLinkToBot(addressOf(request), code, expires)
      },
      {
        params: ofSystem,
        detail: describe({
          tag: TAG,
          id: 'createLoginLink',
          summary: 'Make a link that lets a browser in',
          description:
            'As the system, once, within ten minutes. Hand it to its owner in private. Of more than three open ones the oldest goes.',
          responses: {
            201: t.Object({ url: t.String(), expires: t.String({ format: 'date-time' }) }),
          },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .post(
      '/systems/:systemRef/token',
      async ({ params, viewer: bot, body }) => {
        const name = tokenNameFromBot(body) ?? DEFAULT_TOKEN
        const { viewer } = await actFor(deps, bot, params.systemRef)
        return tokenToBot((await replaceToken(deps, viewer, { name })).secret)
      },
      {
        params: ofSystem,
        body: schemasBot.newToken,
        detail: describe({
          tag: TAG,
          id: 'createToken',
          summary: 'Make a token for a system',
          description: `In place of the token of that name, which is \`${DEFAULT_TOKEN}\` when none is given; the old one stops working at once. Hand it to its owner in private.`,
          responses: { 200: schemasBot.token },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound', 'conflict'],
        }),
      },
    )
    .put(
      '/systems/:systemRef/accounts/:account_id',
      async ({ params, platform, viewer: bot, set }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        const { viewer } = await actFor(deps, bot, params.systemRef)
        await linkAccount(deps, viewer, account)
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
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/accounts/:account_id',
      async ({ params, platform, viewer: bot, set }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        const { viewer } = await actFor(deps, bot, params.systemRef)
        await unlinkAccount(deps, viewer, account)
        set.status = 204
      },
      {
        params: ofLink,
        detail: describe({
          tag: TAG,
          id: 'unlinkAccount',
          summary: 'Unlink an account from a system',
          description: 'The system stays, also without any account. Fine when it was not linked.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .get(
      '/accounts/:account_id',
      async ({ params, platform, viewer }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        return showAccount(await getAccount(deps, viewer, account))
      },
      {
        params: ofAccount,
        detail: describe({
          tag: TAG,
          id: 'getAccount',
          summary: 'Get the system of an account',
          description:
            'The short ID for `X-System`, and whether autoproxy may speak for this account. 20001 says that it has no system yet.',
          responses: { 200: schemasBot.account },
          errors: ['badRequest', 'unauthorized', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .patch(
      '/accounts/:account_id',
      async ({ params, platform, viewer, body }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        return showAccount(await patchAccount(deps, viewer, account, accountFromBot(body)))
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
          responses: { 200: schemasBot.account },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/accounts/:account_id',
      async ({ params, platform, viewer, set }) => {
        await forgetAccount(deps, viewer, parseBotPathId(platform, 'account_id', params.account_id))
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
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
}

function showAccount({ id, system, autoproxy_enabled }: LinkedAccount) {
  return accountToBot(id, system, autoproxy_enabled)
}
