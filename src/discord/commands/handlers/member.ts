import { memberGuild } from '../../../model/guild'
import { type MemberPatch, member as memberEntity } from '../../../model/member'
import { isOwner } from '../../../model/privacy'
import type { ProxyTag } from '../../../model/validation'
import { Problem } from '../../../model/validation'
import { getMemberGuild, patchMemberGuild } from '../../../service/guilds'
import { createMember, deleteMember, patchMember } from '../../../service/members'
import { changeMemberGroups } from '../../../service/memberships'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm, confirmTyped } from '../ask'
import { formatNames, formatTag, memberCard } from '../cards/cards'
import { formatShortId } from '../cards/formatShortId'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { type Own, ownSettings, requireOwn, viewerAt } from '../ownSystem'
import { type Named, resolveMember, resolveOwnGroups, resolveOwnMember } from '../references'
import { Refusal } from '../refusal'
import { type MemberView, viewMember, viewMemberGroups, viewMembers } from '../views'
import { runField } from './fields'
import { runPrivacy } from './privacy'
import { idStyle, orNull, parseSwitched, requireGuild } from './system'

export type MemberField = Extract<
  keyof MemberPatch,
  | 'name'
  | 'display_name'
  | 'description'
  | 'pronouns'
  | 'color'
  | 'birthday'
  | 'avatar_url'
  | 'webhook_avatar_url'
  | 'banner'
>

export async function showMember(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const named = await resolveMember(context, values.member ?? '', flags)
  return showNamedMember(context, named, flags)
}

export async function showNamedMember(
  context: Context,
  { id, own }: Named,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const viewer = await viewerAt(context, own, own?.system.hid ?? '', flags)
  const member = await viewMember(context, viewer, id)
  const groups = (await orNull(viewMemberGroups(context, viewer, id))) ?? []
  const isOwn = own !== null && isOwner(viewer, own.system.id)
  const inGuild =
    isOwn && context.guild
      ? await orNull(getMemberGuild(context.deps, own.viewer, id, context.guild.id))
      : null
  const embed = memberCard(member, {
    texts: context.texts,
    ids: await idStyle(context),
    groups: groups.map(({ name }) => name),
    guildName: inGuild?.display_name ?? null,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

export async function showMemberId(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id } = await resolveMember(context, values.member ?? '', flags)
  return { content: formatCodeSpan(formatShortId(id, await idStyle(context))) }
}

/** Members from which on the limit is mentioned. */
const NEAR_LIMIT = 0.9

/** Creates a member. Asks first if another one has the same name. */
export async function newMember(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts } = context
  const own = await requireOwn(context)
  const name = parseName(context, values.name ?? '')
  const members = await viewMembers(context, own.viewer, '@me')
  const twin = members.find((member) => member.name.toLowerCase() === name.toLowerCase())
  const create = () => insertMember(context, own, name, members.length + 1)
  if (!twin || flags.has('y') || flags.has('yes')) return create()
  const question = texts.confirmDuplicateName(escapeMarkdown(name), formatCodeSpan(twin.id))
  return confirm(context, question, create)
}

async function insertMember(
  context: Context,
  own: Own,
  name: string,
  count: number,
): Promise<Answer> {
  const { texts, deps } = context
  const { row } = await createMember(deps, own.viewer, { name })
  const { member_limit: limit } = await ownSettings(context, own)
  const lines = [texts.memberCreated(escapeMarkdown(name), formatCodeSpan(row.hid))]
  if (name.includes(' ')) lines.push(texts.quoteNames)
  if (limit && count >= limit * NEAR_LIMIT) lines.push(texts.nearLimit(count, limit))
  return { content: lines.join('\n') }
}

function parseName({ texts }: Context, text: string): string {
  const name = memberEntity.fields.name.parse(text)
  if (name instanceof Problem)
    throw new Refusal(texts.invalidValue(texts.labels.name, name.message, name.actual_length))
  return name
}

/** Shows, sets or clears a field of a member. */
export function memberField(key: MemberField) {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const { id, own } = await resolveMember(context, args.values.member ?? '', args.flags)
    const viewer = await viewerAt(context, own, own?.system.hid ?? '', args.flags)
    const member = await viewMember(context, viewer, id)
    return runField(context, args, {
      owner: member.name,
      label: context.texts.fieldLabels[key],
      field: memberEntity.fields[key],
      read: async () => member[key],
      write: own && ((value) => patchMember(context.deps, own.viewer, id, { [key]: value })),
    })
  }
}

/** Shows, sets or clears a field of an own member in this guild. */
export function memberGuildField(key: 'display_name' | 'avatar_url') {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const guild = requireGuild(context)
    const { id, name, own } = await resolveOwnMember(context, args.values.member ?? '', args.flags)
    const { deps, texts } = context
    return runField(context, args, {
      owner: name,
      label: texts.serverFieldLabels[key],
      field: memberGuild.fields[key],
      read: async () => (await orNull(getMemberGuild(deps, own.viewer, id, guild)))?.[key],
      write: (value) => patchMemberGuild(deps, own.viewer, id, guild, { [key]: value }, 'create'),
    })
  }
}

/** Turns an option of a member on or off. */
export function memberFlag(key: 'autoproxy_enabled' | 'keep_proxy' | 'tts') {
  return async (context: Context, { values, flags }: Arguments): Promise<Answer> => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnMember(context, values.member ?? '', flags)
    const member = await viewMember(context, own.viewer, id)
    const name = escapeMarkdown(member.name)
    const label = texts.fieldLabels[key]
    if (values.switched === undefined)
      return { content: texts.flagIs(name, label, member[key] === true) }
    const value = parseSwitched(context, values.switched)
    await patchMember(deps, own.viewer, id, { [key]: value })
    return { content: texts.flagSet(name, label, value) }
  }
}

/** Keeps or removes tags in this guild; `clear` returns to the member's own setting. */
export async function memberServerKeepProxy(context: Context, args: Arguments): Promise<Answer> {
  const { values, flags } = args
  const { texts, deps } = context
  const guild = requireGuild(context)
  const { id, name, own } = await resolveOwnMember(context, values.member ?? '', flags)
  const label = texts.serverFieldLabels.keep_proxy
  const shown = escapeMarkdown(name)
  const isClear = flags.has('clear') || values.switched?.toLowerCase() === 'clear'
  if (!isClear && values.switched === undefined) {
    const found = await orNull(getMemberGuild(deps, own.viewer, id, guild))
    return { content: texts.serverFlagIs(shown, label, found?.keep_proxy ?? null) }
  }
  const keep_proxy = isClear ? null : parseSwitched(context, values.switched ?? '')
  await patchMemberGuild(deps, own.viewer, id, guild, { keep_proxy }, 'create')
  return {
    content:
      keep_proxy === null ? texts.cleared(shown, label) : texts.flagSet(shown, label, keep_proxy),
  }
}

/** Shows the proxy tags of a member. */
export async function showTags(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveMember(context, values.member ?? '', flags)
  const viewer = await viewerAt(context, own, own?.system.hid ?? '', flags)
  const member = await viewMember(context, viewer, id)
  return { content: tagsText(context, member.name, member.proxy_tags) }
}

export type TagAction = 'set' | 'add' | 'remove' | 'clear'

/** Changes the proxy tags of a member. Tags that other members have are named, and confirmed. */
export function changeTags(action: TagAction) {
  return async (context: Context, { values, flags }: Arguments): Promise<Answer> => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnMember(context, values.member ?? '', flags)
    const members = await viewMembers(context, own.viewer, '@me')
    const member = members.find((one) => one.id === id)
    if (!member) throw new Refusal(texts.memberNotFound)
    const write = async (proxy_tags: ProxyTag[]): Promise<Answer> => {
      const parsed = memberEntity.fields.proxy_tags.parse(proxy_tags)
      if (parsed instanceof Problem)
        throw new Refusal(texts.invalidValue(texts.labels.proxyTags, parsed.message))
      await patchMember(deps, own.viewer, id, { proxy_tags: parsed })
      return { content: `✅ ${tagsText(context, member.name, parsed)}` }
    }
    const isSure = flags.has('y') || flags.has('yes')
    const before = [...member.proxy_tags]
    if (action === 'clear' || flags.has('clear')) {
      if (isSure || before.length < 2) return write([])
      return confirm(context, texts.confirmClearTags(escapeMarkdown(member.name)), () => write([]))
    }
    const tag = parseTag(context, values.tags ?? '')
    const isSame = (other: ProxyTag) => other.prefix === tag.prefix && other.suffix === tag.suffix
    if (action === 'remove') {
      if (!before.some(isSame)) throw new Refusal(texts.hasNoSuchTag(formatTag(tag)))
      return write(before.filter((other) => !isSame(other)))
    }
    if (action === 'add' && before.some(isSame)) throw new Refusal(texts.hasTag(formatTag(tag)))
    const after = action === 'set' ? [tag] : [...before, tag]
    const rivals = members.filter((one) => one.id !== id && one.proxy_tags.some(isSame))
    const lost = action === 'set' && before.length > 1 ? before : []
    if (isSure || (rivals.length === 0 && lost.length === 0)) return write(after)
    const question =
      rivals.length > 0
        ? texts.confirmTagConflict(formatTag(tag), formatNames(rivals.map(({ name }) => name)))
        : texts.confirmReplaceTags(lost.map((one) => formatTag(one)).join(', '))
    return confirm(context, question, () => write(after))
  }
}

/** Parses an example such as `[text]`: what precedes and follows the word `text`. */
function parseTag({ texts }: Context, example: string): ProxyTag {
  const parts = example.split(/text/i)
  const [prefix = '', suffix = ''] = parts
  if (parts.length !== 2) throw new Refusal(texts.tagNeedsText)
  if (prefix === '' && suffix === '') throw new Refusal(texts.tagEmpty)
  return { prefix: prefix || null, suffix: suffix || null }
}

function tagsText({ texts }: Context, name: string, tags: readonly ProxyTag[]): string {
  const shown = tags.map((tag) => formatTag(tag)).join(', ')
  return tags.length === 0
    ? texts.noTags(escapeMarkdown(name))
    : texts.tagsAre(escapeMarkdown(name), shown)
}

/** Lists the groups of a member. */
export async function showMemberGroups(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, name, own } = await resolveMember(context, values.member ?? '', flags)
  const viewer = await viewerAt(context, own, own?.system.hid ?? '', flags)
  const groups = await viewMemberGroups(context, viewer, id)
  const { texts } = context
  return {
    content: texts.groupsOfMember(escapeMarkdown(name), formatNames(groups.map((one) => one.name))),
  }
}

/** Adds a member to groups or removes it, and counts what changed. */
export function changeGroupsOfMember(action: 'add' | 'remove') {
  return async (context: Context, { values, lists, flags }: Arguments): Promise<Answer> => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnMember(context, values.member ?? '', flags)
    const { found, missing } = await resolveOwnGroups(context, own, lists.groups ?? [], flags)
    const before = new Set(
      (await viewMemberGroups(context, own.viewer, id)).map((group) => group.id),
    )
    const changed = found.filter((group) => before.has(group.id) === (action === 'remove'))
    const ids = changed.map((group) => group.id)
    if (ids.length > 0) await changeMemberGroups(deps, own.viewer, id, action, ids)
    return {
      content: texts.membershipChanged(
        action,
        changed.length,
        found.length - changed.length,
        missing.map((one) => escapeMarkdown(one)),
      ),
    }
  }
}

export async function memberPrivacy(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, own } = await resolveOwnMember(context, values.member ?? '', flags)
  const member = await viewMember(context, own.viewer, id)
  return runPrivacy(context, values, privacyTarget(context, own, member))
}

/** Sets all privacy levels of a member. */
export function memberVisibility(level: 'public' | 'private') {
  return (context: Context, { values, ...args }: Arguments): Promise<Answer> =>
    memberPrivacy(context, { ...args, values: { ...values, subject: 'all', level } })
}

function privacyTarget({ deps }: Context, own: Own, member: MemberView) {
  return {
    owner: member.name,
    entity: memberEntity,
    levels: member.privacy,
    write: (patch: MemberPatch) => patchMember(deps, own.viewer, member.id, patch),
  }
}

export async function removeMember(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { texts, deps } = context
  const { id, name, own } = await resolveOwnMember(context, values.member ?? '', flags)
  const question = texts.confirmDelete(escapeMarkdown(name), formatCodeSpan(id))
  return confirmTyped(context, question, id, async () => {
    await deleteMember(deps, own.viewer, id)
    return { content: texts.deleted(escapeMarkdown(name)) }
  })
}

/** Shows a random member, of a group if one is named. */
export async function randomMember(
  context: Context,
  members: readonly MemberView[],
  own: Own,
): Promise<Answer> {
  const member = members[Math.floor(Math.random() * members.length)]
  if (!member) throw new Refusal(context.texts.listEmpty)
  return showNamedMember(context, { id: member.id, name: member.name, own }, new Set())
}
