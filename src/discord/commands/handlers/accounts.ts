import { loginLink } from '../../../model/core/dashboardLinks'
import { DomainError } from '../../../model/core/errors'
import { DISCORD, platformOf } from '../../../model/core/platform'
import { discordBot } from '../../../model/core/privacy'
import { linkAccount, listAccounts, unlinkAccount } from '../../../service/access/accounts'
import { createLinkCode, linkByCode } from '../../../service/access/linkCodes'
import { createLoginCode } from '../../../service/access/loginLinks'
import { createToken, listTokens, replaceToken } from '../../../service/access/tokens'
import { formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { findOwn, requireOwn } from '../ownSystem'
import { parseAccount } from '../references'
import { Refusal } from '../refusal'

/** Links another account, which accepts, or this account by a code of another platform. */
export async function link(context: Context, { values }: Arguments): Promise<Answer> {
  const text = values.account ?? ''
  const other = parseAccount(text)
  return other === null ? linkCodeGiven(context, text) : linkOther(context, other)
}

async function linkCodeGiven(context: Context, code: string): Promise<Answer> {
  const { texts, deps, account } = context
  if (context.via === 'text' && context.guild) {
    await context.deleteCommand()
    throw new Refusal(texts.codeInPublic)
  }
  if (await findOwn(context)) throw new Refusal(texts.hasSystem)
  try {
    const { hid } = await linkByCode(deps, discordBot, account, code)
    return { content: texts.linkedToSystem(formatCodeSpan(hid)), isPrivate: true }
  } catch (cause) {
    if (cause instanceof DomainError && cause.kind === 'systemNotFound')
      throw new Refusal(texts.wrongCode)
    throw cause
  }
}

async function linkOther(context: Context, other: string): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  if (other === context.account) throw new Refusal(texts.alreadyLinked)
  const otherOwn = await findOwn({ ...context, account: other })
  if (otherOwn)
    throw new Refusal(
      otherOwn.system.id === own.system.id ? texts.alreadyLinked : texts.linkedElsewhere,
    )
  if (!(await context.discord.findAccount(other))) throw new Refusal(texts.accountNotFound)
  const question = texts.acceptLink(`<@${other}>`, `<@${context.account}>`)
  const asked = confirm(
    context,
    question,
    async () => {
      // The system may have been deleted or its account unlinked since.
      const now = await requireOwn(context)
      await linkAccount(deps, now.viewer, other)
      return { content: texts.accountLinked(`<@${other}>`) }
    },
    other,
  )
  const [accept, decline] = asked.buttons ?? []
  if (!accept || !decline) return asked
  return {
    ...asked,
    // The other account must be able to press the buttons.
    isPublic: true,
    buttons: [
      { ...accept, label: texts.accept, style: 'success' },
      { ...decline, label: texts.decline },
    ],
  }
}

/** Unlinks an account, this one if none is named. The last account stays. */
export async function unlink(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const other = values.account === undefined ? context.account : parseAccount(values.account)
  const linked = (await listAccounts(deps, own.viewer)).map(({ id }) => id)
  if (other === null || !linked.includes(other)) throw new Refusal(texts.notLinked)
  const onDiscord = linked.filter((id) => platformOf(id) === DISCORD)
  if (onDiscord.length === 1) throw new Refusal(texts.lastAccount)
  const remove = async (): Promise<Answer> => {
    const now = await requireOwn(context)
    await unlinkAccount(deps, now.viewer, other)
    return { content: texts.accountUnlinked(`<@${other}>`) }
  }
  if (flags.has('y')) return remove()
  return confirm(context, texts.confirmUnlink(`<@${other}>`), remove)
}

const TOKEN_NAME = 'Discord'

/** Adds a token. Only hashes are stored, so an existing one cannot be shown again. */
export async function addToken(context: Context, args: Arguments): Promise<Answer> {
  if (args.flags.has('refresh')) return refreshToken(context)
  const { deps } = context
  const { viewer } = await requireOwn(context)
  const names = new Set((await listTokens(deps, viewer)).map(({ name }) => name))
  let name = TOKEN_NAME
  for (let count = 2; names.has(name); count++) name = `${TOKEN_NAME} ${count}`
  const { secret } = await createToken(deps, viewer, { name })
  return showToken(context, name, secret)
}

function showToken({ texts, name: nameCommand }: Context, name: string, secret: string): Answer {
  return { content: texts.tokenIs(name, nameCommand), copy: secret, isPrivate: true }
}

/** Replaces the first token that this command created, or creates it. */
export async function refreshToken(context: Context): Promise<Answer> {
  const { viewer } = await requireOwn(context)
  const { secret } = await replaceToken(context.deps, viewer, { name: TOKEN_NAME })
  return showToken(context, TOKEN_NAME, secret)
}

/** Sends a link that logs a browser in. */
export async function showDashboard(context: Context): Promise<Answer> {
  const { texts, deps, settings } = context
  const own = await requireOwn(context)
  if (settings.publicUrl === '') throw new Refusal(texts.noPublicUrl)
  const { code } = await createLoginCode(deps, own.viewer)
  return { content: texts.dashboardLink(loginLink(settings.publicUrl, code)), isPrivate: true }
}

/** Creates a code that links an account of another platform. */
export async function showLinkCode(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const { code } = await createLinkCode(deps, own.viewer)
  return { content: texts.linkCodeIs(formatCodeSpan(code)), isPrivate: true }
}

/** Shows, sets or removes the address that events are sent to. */
export async function runWebhook(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, webhooks } = context
  const own = await requireOwn(context)
  const url = values.value
  if (url !== undefined && context.via === 'text' && context.guild) {
    await context.deleteCommand()
    throw new Refusal(texts.directOnly)
  }
  if (flags.has('clear') || url?.toLowerCase() === 'clear') {
    if (!(await webhooks.find(own.viewer))) throw new Refusal(texts.noWebhook, { isPrivate: true })
    await webhooks.remove(own.viewer)
    return { content: texts.webhookRemoved, isPrivate: true }
  }
  if (url === undefined) {
    const webhook = await webhooks.find(own.viewer)
    return {
      content: webhook ? texts.webhookIs(webhook.url, webhook.state) : texts.noWebhook,
      isPrivate: true,
    }
  }
  const token = await webhooks.register(own.viewer, url)
  return { content: texts.webhookSet(formatCodeSpan(token)), isPrivate: true }
}
