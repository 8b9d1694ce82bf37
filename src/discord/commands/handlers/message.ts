import { DomainError } from '../../../model/core/errors'
import { discordBot } from '../../../model/core/privacy'
import { parseSubstitution } from '../../../model/proxy/substitution'
import { getGuild } from '../../../service/proxy/guilds'
import {
  getLastMessage,
  getMessageForAccount,
  type MessageForAccount,
} from '../../../service/proxy/messages'
import { escapeMaskedLinks } from '../../messages/escape'
import {
  formatMessageLink,
  type MessageReference,
  parseMessageReference,
} from '../../messages/messageLink'
import { hasPermissions, type PermissionName } from '../../permissions/permission'
import { operationTexts } from '../../text/operationTexts'
import { type Answer, MAX_CONTENT, type Modal } from '../answer'
import { buildEmbed, shorten } from '../cards/embed'
import type { Context } from '../context'
import type { DiscordMessage, Failure } from '../discordInterface'
import type { Arguments } from '../grammar/matchCommand'
import { requireOwn, viewerAt } from '../ownSystem'
import { resolveOwnMember } from '../references'
import { Refusal } from '../refusal'
import { viewMessage } from '../views'
import { requireGuild } from './common'
import { showNamedMember } from './member'

/** A proxied message that a command acts on, with its record. */
interface Target {
  readonly reference: MessageReference & { readonly channelId: string }
  readonly record: MessageForAccount
}

/** Finds the record of a message that is linked, replied to or, without both, the last own one. */
async function findTarget(context: Context, text: string | undefined): Promise<Target> {
  const { deps, texts, account, channel } = context
  const named = text === undefined ? context.target : parseMessageReference(text)
  if (text !== undefined && !named) throw new Refusal(texts.invalidMessage)
  try {
    const record = named
      ? await getMessageForAccount(deps, discordBot, named.messageId, account)
      : await getLastMessage(deps, discordBot, account, channel)
    const { id, channel: channelId, guild } = record.message
    return { record, reference: { guildId: guild, channelId, messageId: id } }
  } catch (cause) {
    if (!(cause instanceof DomainError) || cause.kind !== 'messageNotFound') throw cause
    throw new Refusal(named ? texts.messageNotFound : texts.noRecentMessage)
  }
}

async function findOwnTarget(context: Context, text: string | undefined): Promise<Target> {
  const target = await findTarget(context, text)
  if (!target.record.own) throw new Refusal(context.texts.notYourMessage)
  return target
}

/** Returns whether the account has these permissions in the channel of the message. */
async function mayInChannel(
  context: Context,
  { reference: { guildId, channelId } }: Target,
  ...names: readonly PermissionName[]
): Promise<boolean> {
  const { guild, channel } = context
  if (channelId === channel) return guild === null || hasPermissions(guild.permissions, ...names)
  if (guildId === null) return false
  const granted = await context.discord.findPermissions(guildId, channelId, context.account)
  return hasPermissions(granted, ...names)
}

/** Requires that the account may see and write in the channel of the message. */
async function requireChannel(context: Context, target: Target): Promise<void> {
  if (!(await mayInChannel(context, target, 'ViewChannel', 'SendMessages')))
    throw new Refusal(context.texts.noAccessToChannel)
}

/** The limit of all embeds includes the card of the member. */
const MAX_QUOTE = 1500

/** Shows the member and the record of a proxied message; with `-delete` deletes it. */
export async function showMessage(context: Context, typedArgs: Arguments): Promise<Answer> {
  const args = context.target ? withWordAsFlag(typedArgs) : typedArgs
  const { values, flags } = args
  if (flags.has('delete')) return deleteMessage(context, args)
  if (values.message === undefined && !context.target) throw new Refusal(context.texts.nameMessage)
  const { record, reference } = await findTarget(context, values.message)
  const { texts, discord } = context
  const { sender, timestamp, id } = record.message
  if (flags.has('author')) {
    const author = await discord.findAccount(sender)
    return { content: texts.authorIs(`<@${sender}>`, author?.name ?? sender) }
  }
  const isVisible = await mayInChannel(context, { record, reference }, 'ViewChannel')
  const discordMessage = isVisible ? await discord.findMessage(reference) : null
  const link = formatMessageLink(reference.guildId, reference.channelId, id)
  const own = record.own ? await requireOwn(context).catch(() => null) : null
  const viewer = await viewerAt(context, own, flags)
  const shown = await viewMessage(context, viewer, id)
  const embed = buildEmbed({
    title: shown.member?.name ?? texts.deletedMember,
    color: shown.member?.color ?? null,
    picture: shown.member?.avatar_url ?? null,
    description: discordMessage && shorten(escapeMaskedLinks(discordMessage.content), MAX_QUOTE),
    fields: [
      { name: texts.labels.sentBy, value: `<@${sender}>`, isInline: true },
      {
        name: texts.labels.system,
        value: shown.system && (shown.system.name ?? shown.system.id),
        isInline: true,
      },
      {
        name: texts.labels.sent,
        value: `<t:${Math.floor(timestamp / 1_000_000)}:f>`,
        isInline: true,
      },
      { name: texts.labels.message, value: link },
    ],
    footer: texts.messageId(id),
  })
  const card = shown.member
    ? (await showNamedMember(context, { id: shown.member.id, name: shown.member.name, own }, flags))
        .embeds
    : []
  return { embeds: [embed, ...(card ?? [])] }
}

/** Reads `author` and `delete` as flags where the message is the one that the command replies to. */
function withWordAsFlag(args: Arguments): Arguments {
  const word = args.values.message?.toLowerCase()
  if (word !== 'author' && word !== 'delete') return args
  const { message: _, ...values } = args.values
  return { ...args, values, flags: new Set([...args.flags, word]) }
}

/** Shows the account that sent a proxied message. */
export function showAuthor(context: Context, args: Arguments): Promise<Answer> {
  return showMessage(context, { ...args, flags: new Set([...args.flags, 'author']) })
}

export async function deleteMessage(context: Context, { values }: Arguments): Promise<Answer> {
  const { reference } = await findOwnTarget(context, values.message)
  requireDone(await context.discord.deleteProxied(reference))
  return done(context)
}

/** Edits the text of an own proxied message. */
export async function editMessage(context: Context, args: Arguments): Promise<Answer> {
  const { texts, discord } = context
  const { message, text } = splitMessage(context, args)
  const target = await findOwnTarget(context, message)
  await requireChannel(context, target)
  const discordMessage = await discord.findMessage(target.reference)
  if (!discordMessage) throw new Refusal(texts.messageNotFound)
  if (discordMessage.isVoice) throw new Refusal(texts.voiceMessage)
  const content = await newContent(context, args, discordMessage.content, text)
  const clearsFiles = args.flags.has('clear-attachments')
  const clearsEmbeds = args.flags.has('clear-embeds')
  if (content.length > MAX_CONTENT) throw new Refusal(texts.editTooLong(content.length))
  if (content.trim() === '' && (!discordMessage.hasFiles || clearsFiles))
    throw new Refusal(texts.editEmpty)
  requireDone(await discord.editProxied(discordMessage, { content, clearsFiles, clearsEmbeds }))
  return done(context)
}

/** Edits by a regular expression. */
export function editByRegex(context: Context, args: Arguments): Promise<Answer> {
  return editMessage(context, { ...args, flags: new Set([...args.flags, 'regex']) })
}

/** Separates a link at the start of the text from the text. */
function splitMessage({ target }: Context, { values }: Arguments) {
  if (values.message !== undefined) return { message: values.message, text: values.text }
  const [, first = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(values.text ?? '') ?? []
  // An ID alone could be meant as text, so only links count.
  const isLink = first.includes('/channels/') && parseMessageReference(first) !== null
  return isLink && !target
    ? { message: first, text: rest }
    : { message: undefined, text: values.text }
}

async function newContent(
  { texts, substitute }: Context,
  { flags }: Arguments,
  before: string,
  text: string | undefined,
): Promise<string> {
  const newText = text ?? ''
  const clears = [...flags].some((flag) => flag.startsWith('clear'))
  if (newText === '') {
    if (clears) return before
    throw new Refusal(texts.editNeedsText)
  }
  if (flags.has('regex')) {
    const substitution = parseSubstitution(newText)
    if (!substitution) throw new Refusal(texts.invalidRegex)
    const result = await substitute(substitution, before)
    if ('text' in result) return result.text
    throw new Refusal(result.failure === 'invalid' ? texts.invalidRegex : texts.regexTooSlow)
  }
  const space = flags.has('nospace') ? '' : ' '
  if (flags.has('append')) return `${before}${space}${newText}`
  return flags.has('prepend') ? `${newText}${space}${before}` : newText
}

const REPROXY_MS = 60_000

/** Sends an own message again as another member. */
export async function reproxy(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, discord, deps } = context
  const target = await findOwnTarget(context, values.message)
  const member = await resolveOwnMember(context, values.member ?? '', { flags })
  if (target.record.message.system_id !== member.own.system.id)
    throw new Refusal(texts.notYourMessage)
  await requireChannel(context, target)
  const message = await discord.findMessage(target.reference)
  if (!message) throw new Refusal(texts.messageNotFound)
  const age = deps.now() / 1000 - message.sentAt
  if (age > REPROXY_MS && !(await discord.isLatest(message, context.id)))
    throw new Refusal(texts.reproxyTooOld)
  requireDone(await discord.reproxy(message, member.id, context.id))
  return done(context)
}

/** Sends a message as a member without a message of the account, where the guild allows it. */
export async function say(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps, discord, attachments, account, channel } = context
  const guildId = requireGuild(context)
  if (!(await getGuild(deps, discordBot, guildId)).say_enabled)
    throw new Refusal(texts.sayDisabled(context.name))
  const permissions = context.guild?.permissions ?? 0n
  if (!hasPermissions(permissions, 'ViewChannel', 'SendMessages'))
    throw new Refusal(texts.noAccessToChannel)
  if (attachments.length > 0 && !hasPermissions(permissions, 'AttachFiles'))
    throw new Refusal(texts.noFilesInChannel)
  const member = await resolveOwnMember(context, values.member ?? '', { flags })
  const replyTo = findReplyTarget(context, values.message)
  await context.defer()
  const failure = await discord.say({
    interactionId: context.id,
    account,
    guildId,
    channelId: channel,
    member: member.id,
    text: values.text ?? '',
    files: attachments,
    replyTo,
    permissions,
  })
  requireDone(failure)
  return { content: texts.said, isPrivate: true, deleteAfter: 1 }
}

/** Only messages of the same channel are quoted, because the account may not see others. */
function findReplyTarget({ texts, channel }: Context, text: string | undefined): string | null {
  if (text === undefined) return null
  const named = parseMessageReference(text)
  if (!named) throw new Refusal(texts.invalidMessage)
  if ((named.channelId ?? channel) !== channel) throw new Refusal(texts.replyElsewhere)
  return named.messageId
}

/** Pings the sender of a proxied message, unless its system does not want that. */
export async function pingAuthor(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, discord, account } = context
  const target = await findTarget(context, values.message)
  await requireChannel(context, target)
  const { sender } = target.record.message
  if (!target.record.pings_enabled)
    throw new Refusal(operationTexts.pingsDisabled(sender), { isPrivate: true })
  const message = await discord.findMessage(target.reference)
  if (!message) throw new Refusal(texts.messageNotFound)
  requireDone(await discord.ping(message, sender, account))
  return { content: texts.pinged, isPrivate: true }
}

/** Explains why a message of the account was not proxied. */
export async function explainMessage(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, discord, account } = context
  const named =
    values.message === undefined ? context.target : parseMessageReference(values.message)
  if (!named) throw new Refusal(texts.nameMessage)
  const channelId = named.channelId ?? context.channel
  const reason = await discord.explain({ ...named, channelId }, account)
  if (reason === null) throw new Refusal(texts.noReason)
  return { content: reason }
}

/** Opens the form of a context menu on a proxied message. */
export async function openMessageModal(
  context: Context,
  action: 'edit' | 'reproxy',
): Promise<Answer> {
  const { texts, prompts, discord } = context
  const target = await findOwnTarget(context, undefined)
  const message = await discord.findMessage(target.reference)
  if (!message) throw new Refusal(texts.messageNotFound)
  const idOf = prompts.open(
    {
      account: context.account,
      minutes: 15,
      onPress: async (answering, _, fields) => {
        const value = fields.value ?? ''
        const aimed: Context = { ...answering, target: target.reference }
        const args = { lists: {}, flags: new Set<string>() }
        const answer =
          action === 'edit'
            ? editMessage(aimed, { ...args, values: { text: value } })
            : reproxy(aimed, { ...args, values: { member: value } })
        return { answer: await answer }
      },
    },
    context.channel,
  )
  return { modal: messageModal(context, idOf('submit'), action, message) }
}

function messageModal(
  { texts }: Context,
  id: string,
  action: 'edit' | 'reproxy',
  message: DiscordMessage,
): Modal {
  const isEdit = action === 'edit'
  return {
    id,
    title: isEdit ? texts.editTitle : texts.reproxyTitle,
    fields: [
      {
        id: 'value',
        label: isEdit ? texts.labels.text : texts.labels.member,
        value: isEdit ? message.content : '',
        isLong: isEdit,
        isRequired: true,
        maxLength: isEdit ? MAX_CONTENT : 100,
      },
    ],
  }
}

/** The command disappears; in direct messages it gets a check mark. */
function done({ guild, texts, via }: Context): Answer {
  if (via === 'interaction') return { content: texts.done, isPrivate: true }
  return guild ? { deletesCommand: true } : { reaction: '✅' }
}

function requireDone(failure: Failure): void {
  if (failure !== null) throw new Refusal(failure)
}
