import { t } from 'elysia'
import type { LinkedAccount } from '../../model/access/account'
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
import {
  deleteAccountLink,
  getAccount,
  linkAccount,
  patchAccount,
  unlinkAccount,
} from '../../service/access/accounts'
import { createLoginCode } from '../../service/access/loginLinks'
import { createSystem } from '../../service/access/registration'
import { replaceToken } from '../../service/access/tokens'
import type { Deps } from '../../service/core/deps'
import { deleteAllSwitches } from '../../service/front/switches'
import { actFor, deleteSystem } from '../../service/systems/systems'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseBotPathId, parseFlag } from '../server/query'
import { botRoutes } from '../server/routeGroup'
import { showSystem } from '../v2/views'
import { systemRef, TAG } from './params'

const ofSystem = t.Object({ systemRef })
const accountId = t.String({ description: 'ID of a chat account' })
const ofAccount = t.Object({ account_id: accountId })
const ofLink = t.Object({ systemRef, account_id: accountId })

const DEFAULT_TOKEN = 'bot'

/** Systems, their tokens and their linked accounts. */
export function systemRoutes(deps: Deps, bodyLimit: number, publicUrl: string) {
  /** Public address of this server: the configured one, or that of the bot's request. */
  const addressOf = ({ url }: Request) => publicUrl || new URL(url).origin
  return botRoutes(bodyLimit)
    .post(
      '/systems',
      async ({ platform, viewer, body, set }) => {
        const { account_id, name, invite } = newSystemFromBot(body, platform)
        const link = { account: account_id, tokenName: DEFAULT_TOKEN, invite }
        const { system, token } = await createSystem(deps, viewer, { name }, link)
        set.status = 201
        return createdSystemToBot(showSystem(system, 'owner'), token)
      },
      {
        body: schemasBot.newSystem,
        detail: describe({
          tag: TAG,
          id: 'createSystem',
          summary: 'Create a system',
          description:
            'Creates a system with a token and, if `account_id` is given, a linked account. Send the token to the owner in private. Responds with 409 if the account already has a system, and with 403 if registration is closed, the limit of systems is reached, or a valid `invite` is missing.',
          responses: { 201: schemasBot.createdSystem },
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
          summary: 'Delete a system',
          description:
            'Permanently deletes the system with its members, groups, switches, messages, tokens and linked accounts. Ask the owner for confirmation first.',
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
          description: 'Permanently deletes the whole front history. The members are kept.',
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
          summary: 'Create a login link',
          description:
            'Creates a link that logs a browser in as the system. It works once, within ten minutes; send it to the owner in private. A system has at most three open links, and a further one invalidates the oldest.',
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
          summary: 'Create or replace a token',
          description: `Replaces the token of the given name (default \`${DEFAULT_TOKEN}\`); the old one stops working immediately. Send the token to the owner in private.`,
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
            'Messages of a linked account are proxied as members of the system. Responds with 409 if the account is linked to another system.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound', 'conflict'],
        }),
      },
    )
    .delete(
      '/systems/:systemRef/accounts/:account_id',
      async ({ params, query, platform, viewer: bot, set }) => {
        const account = parseBotPathId(platform, 'account_id', params.account_id)
        const keepsLast = parseFlag('keep_last', query.keep_last)
        const { viewer } = await actFor(deps, bot, params.systemRef)
        await unlinkAccount(deps, viewer, account, keepsLast)
        set.status = 204
      },
      {
        params: ofLink,
        query: parameters({
          keep_last: parameter({
            type: 'boolean',
            description: 'Respond with 409 if it is the only account of the system',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'unlinkAccount',
          summary: 'Unlink an account from a system',
          description:
            'The system is kept, even without any account. Succeeds if the account was not linked.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound', 'conflict'],
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
            'Returns the short ID for `X-System`, and whether autoproxy is enabled for this account. Responds with error 20001 if the account has no system.',
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
          summary: 'Update an account',
          description:
            'If `autoproxy_enabled` is false, autoproxy ignores messages of this account in every guild. Proxy tags still work.',
          responses: { 200: schemasBot.account },
          errors: [...writeErrors, 'invalidBody', 'forbidden', 'systemNotFound'],
        }),
      },
    )
    .delete(
      '/accounts/:account_id',
      async ({ params, platform, viewer, set }) => {
        await deleteAccountLink(
          deps,
          viewer,
          parseBotPathId(platform, 'account_id', params.account_id),
        )
        set.status = 204
      },
      {
        params: ofAccount,
        detail: describe({
          tag: TAG,
          id: 'deleteAccount',
          summary: 'Unlink an account from its system',
          description:
            'Unlinks the account from whatever system it is linked to, at the request of its owner, who may no longer control that system. Responds with error 20001 if it was not linked.',
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', 'systemNotFound'],
        }),
      },
    )
}

function showAccount({ id, system, autoproxy_enabled }: LinkedAccount) {
  return accountToBot(id, system, autoproxy_enabled)
}
