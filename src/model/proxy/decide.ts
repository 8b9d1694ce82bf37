import { DISCORD, type Platform } from '../core/platform'
import { type Instant, SECOND } from '../core/time'
import type { ProxyTag } from '../core/validation'
import type { Member } from '../members/member'
import type { MemberExt } from '../members/memberExt'
import { DEFAULT_LATCH_TIMEOUT, type Settings } from '../systems/settings'
import type { System } from '../systems/system'
import type { AutoproxyMode } from './autoproxy'
import type { MemberGuild, SystemGuild } from './guild'
import { matchTags } from './tags'

export const MAX_PROXY_CONTENT = 2000
export const MAX_PROXY_NAME = 80

/** The previous message in the channel. */
export interface PreviousMessage {
  name: string
  /** UUID of its member; null if this server did not proxy it. */
  member: string | null
}

/** Maximum length of the message and of the name that the bot can send. */
export interface ProxyLimits {
  content: number
  name: number
}

/** Discord's limits. */
export const defaultProxyLimits: ProxyLimits = { content: MAX_PROXY_CONTENT, name: MAX_PROXY_NAME }

/** Data of a member that proxying needs. */
export type ProxyMember = Pick<
  Member,
  | 'id'
  | 'uuid'
  | 'hid'
  | 'name'
  | 'display_name'
  | 'avatar_url'
  | 'webhook_avatar_url'
  | 'proxy_tags'
  | 'keep_proxy'
  | 'tts'
  | 'autoproxy_enabled'
> & {
  /** Settings of the member in the guild of the message. */
  guild: MemberGuild | null
}

/** Row ID of a fronter, and its kind. */
export interface Fronter {
  id: number
  kind: MemberExt['kind']
}

/** Data of the account, system and guild of a message. */
export interface ProxyContext<M extends ProxyMember = ProxyMember> {
  /** True if the operator has disabled the system. */
  isDisabled?: boolean
  system: Pick<System, 'tag' | 'avatar_url'>
  settings: Pick<
    Settings,
    'case_sensitive_proxy_tags' | 'latch_timeout' | 'name_format' | 'proxy_error_message_enabled'
  >
  systemGuild: Omit<SystemGuild, 'display_name'> | null
  guild: { disabled_channels: readonly string[]; require_system_tag: boolean }
  account: { autoproxy_enabled: boolean }
  autoproxy: { mode: AutoproxyMode; member: number | null; last_latch: Instant | null }
  /** Row ID of the member that the request names; it replaces tags and autoproxy. */
  as?: number
  /** Members of the latest switch, in order. */
  fronters: readonly Fronter[]
  /** Members whose tags could match, and the target of the message, in order of creation. */
  members: readonly M[]
}

export interface ProxyMessage {
  platform: Platform
  channel_id: string
  thread_id: string | null
  content: string | null
  has_attachments: boolean
  has_poll: boolean
  is_edit: boolean
  previous: PreviousMessage | null
  limits: ProxyLimits
  at: Instant
}

/** Reasons to ignore a message without notifying the user. */
export const ignoreReasons = [
  'already_proxied',
  'no_system',
  'system_disabled',
  'channel_disabled',
  'proxying_disabled',
  'empty',
  'no_match',
  'edited',
  'account_autoproxy_disabled',
  'escaped',
  'nobody_fronting',
  'nothing_latched',
  'member_autoproxy_disabled',
  'latch_expired',
] as const
export type IgnoreReason = (typeof ignoreReasons)[number]

/** Reasons why a message that matched cannot be proxied. */
export const refuseReasons = ['too_long', 'tag_required', 'name_too_long'] as const
export type RefuseReason = (typeof refuseReasons)[number]

/** What keeps a required system tag out of the name: none is set, it is off here, or the format omits it. */
export type TagObstacle = 'unset' | 'off' | 'format'

export type Matched =
  | { by: 'tags'; tag: ProxyTag; mode: null }
  | { by: 'autoproxy'; tag: null; mode: AutoproxyMode }
  | { by: 'as'; tag: null; mode: null }

export interface ReadyMessage {
  content: string
  name: string
  /** The name before it was adapted to the platform. */
  plain_name: string
  avatar_url: string | null
  tts: boolean
}

export type Decision<M extends ProxyMember = ProxyMember> =
  | { action: 'proxy'; member: M; matched: Matched; message: ReadyMessage }
  | { action: 'ignore'; reason: IgnoreReason }
  | {
      action: 'refuse'
      reason: RefuseReason
      notify: boolean
      text: string
      /** Obstacles of `tag_required`; not part of the API. */
      tagObstacles: readonly TagObstacle[]
    }
  | { action: 'autoproxy_off' }
  | { action: 'unlatch' }

/** Decides what to do with a message. The context is null if the account has no system. */
export function decide<M extends ProxyMember>(
  context: ProxyContext<M> | null,
  message: ProxyMessage,
): Decision<M> {
  if (!context) return ignore('no_system')
  if (context.isDisabled) return ignore('system_disabled')
  const content = message.content ?? ''
  const ignoreReason = findIgnoreReason(context, message, content)
  if (ignoreReason) return ignore(ignoreReason)
  const named = findNamed(context, message, content)
  if (named) return compose(context, message, named)
  // Backslash commands take precedence over tags, and work in edited messages too.
  if (AUTOPROXY_OFF.test(content)) return { action: 'autoproxy_off' }
  if (context.autoproxy.mode === 'latch' && UNLATCH.test(content)) return { action: 'unlatch' }
  const choice = findByTags(context, message) ?? findByAutoproxy(context, message, content)
  if (typeof choice === 'string') return ignore(choice)
  return compose(context, message, choice)
}

/** Returns the member that a message without tags is proxied as, before any checks. */
export function findTarget(
  context: Pick<ProxyContext, 'as' | 'autoproxy' | 'fronters'>,
): number | null {
  return context.as ?? autoproxyTarget(context)
}

/** Returns the member that autoproxy would choose, before any checks. A custom front sends no messages. */
export function autoproxyTarget({
  autoproxy,
  fronters,
}: Pick<ProxyContext, 'autoproxy' | 'fronters'>): number | null {
  if (autoproxy.mode === 'off') return null
  if (autoproxy.mode !== 'front') return autoproxy.member
  return fronters.find(({ kind }) => kind === 'member')?.id ?? null
}

/** Effect of a proxied message on the switches; `members` are the resulting fronters. */
export type SwitchEffect =
  | { kind: 'none' }
  | { kind: 'new'; members: number[] }
  | { kind: 'append'; members: number[] }

export function switchEffect(
  proxySwitch: Settings['proxy_switch'],
  fronters: readonly number[],
  member: number,
): SwitchEffect {
  if (proxySwitch === 'off' || fronters.includes(member)) return { kind: 'none' }
  if (proxySwitch === 'new' || fronters.length === 0) return { kind: 'new', members: [member] }
  return { kind: 'append', members: [...fronters, member] }
}

interface Found<M extends ProxyMember> {
  member: M
  matched: Matched
  content: string
  /** Tag around the content if the member keeps its tags. */
  kept: ProxyTag | undefined
}

function findIgnoreReason(
  { guild, systemGuild }: ProxyContext,
  { channel_id, thread_id, has_attachments, has_poll }: ProxyMessage,
  content: string,
): IgnoreReason | null {
  const disabled = guild.disabled_channels
  if (disabled.includes(channel_id) || (thread_id !== null && disabled.includes(thread_id)))
    return 'channel_disabled'
  if (systemGuild?.proxying_enabled === false) return 'proxying_disabled'
  return content.trim() === '' && !has_attachments && !has_poll ? 'empty' : null
}

function findByTags<M extends ProxyMember>(
  context: ProxyContext<M>,
  message: ProxyMessage,
): Found<M> | null {
  const { members, settings } = context
  const match = matchTags(members, message.content, settings.case_sensitive_proxy_tags)
  if (!match) return null
  const { member, tag, content } = match
  // Tags around nothing are probably not proxy tags, unless the message has an attachment.
  if (content.trim() === '' && !message.has_attachments) return null
  return { member, matched: { by: 'tags', tag, mode: null }, content, kept: tag }
}

/** Returns the member that the request names, with the content without the tags of any member. */
function findNamed<M extends ProxyMember>(
  context: ProxyContext<M>,
  message: ProxyMessage,
  content: string,
): Found<M> | null {
  const member = context.members.find(({ id }) => id === context.as)
  if (!member) return null
  const inner = findByTags(context, message)?.content ?? content
  const matched: Matched = { by: 'as', tag: null, mode: null }
  return { member, matched, content: inner, kept: member.proxy_tags[0] }
}

function findByAutoproxy<M extends ProxyMember>(
  context: ProxyContext<M>,
  message: ProxyMessage,
  content: string,
): Found<M> | IgnoreReason {
  const { mode } = context.autoproxy
  if (mode === 'off') return 'no_match'
  if (message.is_edit) return 'edited'
  if (!context.account.autoproxy_enabled) return 'account_autoproxy_disabled'
  if (content.startsWith('\\')) return 'escaped'
  const target = autoproxyTarget(context)
  const member = context.members.find(({ id }) => id === target)
  if (!member) return NO_FRONTER_REASON[mode]
  if (mode !== 'member' && !member.autoproxy_enabled) return 'member_autoproxy_disabled'
  if (mode === 'latch' && isLatchExpired(context, message.at)) return 'latch_expired'
  const matched: Matched = { by: 'autoproxy', tag: null, mode }
  return { member, matched, content, kept: member.proxy_tags[0] }
}

function isLatchExpired({ autoproxy, settings }: ProxyContext, at: Instant): boolean {
  const timeout = settings.latch_timeout ?? DEFAULT_LATCH_TIMEOUT
  // A latch without a time was set manually and never expires.
  if (timeout === 0 || autoproxy.last_latch === null) return false
  return at - autoproxy.last_latch > timeout * SECOND
}

function compose<M extends ProxyMember>(
  context: ProxyContext<M>,
  message: ProxyMessage,
  found: Found<M>,
): Decision<M> {
  const { member, matched } = found
  const { system, settings, systemGuild, guild } = context
  const isDiscord = message.platform === DISCORD
  const limits = isDiscord ? withinDiscord(message.limits) : message.limits
  const content = withKeptTags(found)
  if (content.length > limits.content) return refuse(context, 'too_long', limits)

  const tag = systemGuild?.tag_enabled === false ? null : (systemGuild?.tag ?? system.tag)
  const format = systemGuild?.name_format ?? settings.name_format
  if (guild.require_system_tag && (tag === null || !format.includes('{tag}')))
    return refuse(context, 'tag_required', limits, findTagObstacles(context, format))

  const memberName = member.guild?.display_name ?? member.display_name ?? member.name
  const plain_name = formatName(format, memberName, tag)
  if (plain_name.length > limits.name) return refuse(context, 'name_too_long', limits)

  // The adaptations for Discord are useless on other platforms.
  const name = isDiscord ? readyName(plain_name, member.uuid, message.previous) : plain_name
  const avatar_url = avatarOf(member, context, isDiscord)
  const ready = { content, name, plain_name, avatar_url, tts: member.tts }
  return { action: 'proxy', member, matched, message: ready }
}

function findTagObstacles(
  { system, systemGuild }: ProxyContext<ProxyMember>,
  format: string,
): TagObstacle[] {
  const obstacles: TagObstacle[] = []
  if ((systemGuild?.tag ?? system.tag) === null) obstacles.push('unset')
  if (systemGuild?.tag_enabled === false) obstacles.push('off')
  if (!format.includes('{tag}')) obstacles.push('format')
  return obstacles
}

/** Limits the name, because Discord truncates longer names silently. */
function withinDiscord({ content, name }: ProxyLimits): ProxyLimits {
  return { content, name: Math.min(name, MAX_PROXY_NAME) }
}

function withKeptTags({ member, content, kept }: Found<ProxyMember>): string {
  if (!kept || !(member.guild?.keep_proxy ?? member.keep_proxy)) return content
  return `${kept.prefix ?? ''}${content}${kept.suffix ?? ''}`
}

function avatarOf(
  member: ProxyMember,
  { system, systemGuild }: ProxyContext,
  isDiscord: boolean,
): string | null {
  const url =
    member.guild?.avatar_url ??
    member.webhook_avatar_url ??
    member.avatar_url ??
    systemGuild?.avatar_url ??
    system.avatar_url
  if (url === null) return null
  return isDiscord ? withoutSignature(url) : throughMediaHost(url)
}

/** Removes the query of an attachment's address, which expires; Discord signs it again by itself. */
function withoutSignature(url: string): string {
  return DISCORD_ATTACHMENT.test(url) ? url.replace(/\?.*$/s, '') : url
}

/**
 * Rewrites an attachment's address to Discord's media host, which scales pictures to avatar size.
 */
function throughMediaHost(url: string): string {
  const [, path, query] = DISCORD_ATTACHMENT.exec(url) ?? []
  if (path === undefined) return url
  const sized = `https://media.discordapp.net/attachments/${path}?width=256&height=256`
  return query ? `${sized}&${query}` : sized
}

/** Formats a name. As in PluralKit, `{name}` inside the tag is expanded too. */
function formatName(format: string, name: string, tag: string | null): string {
  // Not `replaceAll`, for which "$&" in a name is a pattern.
  const withTag = format.split('{tag}').join(tag ?? '')
  return withTag.split('{name}').join(name).trim()
}

/** Adapts a name to Discord: distinct from the previous message's name, and accepted by Discord. */
function readyName(plain: string, member: string, previous: PreviousMessage | null): string {
  return fixForDiscord(needsMark(plain, member, previous) ? plain + MARK : plain)
}

/**
 * Discord groups consecutive messages with the same name, so two members need invisibly different
 * names.
 */
function needsMark(plain: string, member: string, previous: PreviousMessage | null): boolean {
  if (!previous) return false
  const shows = (name: string) => previous.name === name || previous.name === fixForDiscord(name)
  if (shows(plain)) return previous.member !== member
  // Keep the mark while the same member continues, so that Discord groups its messages.
  return previous.member === member && shows(plain + MARK)
}

/** Discord rejects some words in a webhook's name, and names of one UTF-16 unit. */
function fixForDiscord(name: string): string {
  const spaced = name.replace(REJECTED, `$&${HAIR_SPACE}`)
  const long = spaced.length === 1 ? spaced + INVISIBLE : spaced
  const cut = long.slice(0, MAX_PROXY_NAME)
  return HALF_PAIR_AT_END.test(cut) ? cut.slice(0, -1) : cut
}

function ignore(reason: IgnoreReason): Decision<never> {
  return { action: 'ignore', reason }
}

function refuse(
  { settings }: ProxyContext,
  reason: RefuseReason,
  limits: ProxyLimits,
  tagObstacles: readonly TagObstacle[] = [],
): Decision<never> {
  const notify = settings.proxy_error_message_enabled
  return { action: 'refuse', reason, notify, text: REFUSALS[reason](limits), tagObstacles }
}

const REFUSALS: Record<RefuseReason, (limits: ProxyLimits) => string> = {
  too_long: ({ content }) =>
    `This message would be longer than ${content} characters, so it cannot be proxied.`,
  tag_required: () =>
    'This server requires a system tag in the names of proxied messages. ' +
    'Set a tag, leave it on in this server, and keep {tag} in the name format.',
  name_too_long: ({ name }) =>
    `The name of this message would be longer than ${name} characters. ` +
    'Shorten the name of the member, the system tag or the name format.',
}

/** Reason if autoproxy has no member. The mode `member` without a member counts as off. */
const NO_FRONTER_REASON = {
  front: 'nobody_fronting',
  latch: 'nothing_latched',
  member: 'no_match',
} as const satisfies Record<Exclude<AutoproxyMode, 'off'>, IgnoreReason>

/** Some keyboards and clients insert a zero-width space between backslashes. */
const AUTOPROXY_OFF = /^\\\u200B?\\\u200B?\\/
const UNLATCH = /^\\\u200B?\\/

const DISCORD_ATTACHMENT =
  /^https?:\/\/(?:cdn\.discordapp\.com|media\.discordapp\.net)\/attachments\/(\d+\/\d+\/[^/\\&?]+\.(?:png|jpe?g|gif|webp))(?:\?(.*))?$/i

const HAIR_SPACE = '\u200A'
const INVISIBLE = '\u17B5'
const MARK = HAIR_SPACE + INVISIBLE
/** First letter of a rejected word; the hair space is inserted after it. */
const REJECTED = /c(?=lyde)|d(?=iscord)|^h(?=ere$)|^e(?=veryone$)|`(?=``)/gi
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/
