import { isOwner } from '../../../model/core/privacy'
import { member as memberEntity } from '../../../model/members/member'
import { changeMemberGroups } from '../../../service/groups/memberships'
import { createMember } from '../../../service/members/members'
import { getMemberGuild } from '../../../service/proxy/guilds'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import { formatNames, memberCard } from '../cards/cards'
import type { Handler } from '../command'
import type { Context } from '../context'
import { mayNamePrivate, type Own, ownSettings, publicOf, requireOwn, viewerAt } from '../ownSystem'
import { type Named, resolveMember, resolveOwnGroups, resolveOwnMember } from '../references'
import { Refusal } from '../refusal'
import { type MemberView, viewMember, viewMemberGroups, viewMembers } from '../views'
import { idStyle, linkOf, orNull, viewSystemOf } from './common'
import { parseFields } from './fields'
import { readUpload } from './pictures'
import { conflictsOf, parseTag } from './proxyTags'

export const showMember: Handler = async (context, { values, flags }) =>
  showNamedMember(context, await resolveMember(context, values.member ?? '', { flags }), flags)

export async function showNamedMember(
  context: Context,
  { id, own }: Named,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const viewer = await viewerAt(context, own, flags)
  const member = await viewMember(context, viewer, id)
  const groups = publicOf(
    (await orNull(viewMemberGroups(context, viewer, id))) ?? [],
    mayNamePrivate(context, own, flags),
  )
  const isOwn = own !== null && isOwner(viewer, own.system.id)
  const inGuild =
    isOwn && context.guild
      ? await orNull(getMemberGuild(context.deps, own.viewer, id, context.guild.id))
      : null
  const embed = memberCard(member, {
    texts: context.texts,
    ids: await idStyle(context),
    link: linkOf(context, viewer, own, 'members', member.id),
    groups: groups.map(({ name }) => name),
    inGuild,
    system: await viewSystemOf(context, 'member', { id, own }, viewer),
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

/** Texts of the fields of a new object, by key. */
export type DraftTexts = Readonly<Record<string, string | undefined>> & { readonly name: string }

export const newMember: Handler = (context, { values, flags }) =>
  createMemberFrom(context, { name: values.name ?? '' }, flags)

/** Share of the limit from which on it is mentioned. */
const NEAR_LIMIT = 0.9

/**
 * Creates a member from texts, with proxy tags as an example. Asks first if another member has the
 * same name or tags.
 */
export async function createMemberFrom(
  context: Context,
  { tags: example, ...draftTexts }: DraftTexts,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const tag = example === undefined ? null : parseTag(texts, example)
  const problems = typeof tag === 'string' ? [tag] : []
  const { name = '', ...draft } = parseFields(context, memberEntity, draftTexts, problems)
  const proxy_tags = tag === null || typeof tag === 'string' ? [] : [tag]
  const members = await viewMembers(context, own.viewer, '@me')
  const [upload] = context.attachments
  const create = async (): Promise<Answer> => {
    const picture = upload ? await readUpload(context, upload) : null
    const avatar = picture && { avatar_url: picture.url }
    const { row } = await createMember(deps, own.viewer, { ...draft, ...avatar, name, proxy_tags })
    const { member_limit: limit } = await ownSettings(context, own)
    const count = members.length + 1
    const lines = [texts.memberCreated(escapeMarkdown(name), formatCodeSpan(row.hid))]
    if (members.every((member) => member.proxy_tags.length === 0) && proxy_tags.length === 0)
      lines.push(nextTags(context, name))
    if (name.includes(' ')) lines.push(texts.quoteNames)
    if (limit && count >= limit * NEAR_LIMIT) lines.push(texts.nearLimit(count, limit))
    if (picture?.warning) lines.push(picture.warning)
    return { content: lines.join('\n') }
  }
  const mayName = mayNamePrivate(context, own, flags)
  const conflicts = proxy_tags.flatMap((tag) => conflictsOf(texts, members, tag, mayName))
  return createUnlessDuplicate(context, { name, rows: members, conflicts, flags, create })
}

/** Suggests proxy tags for a member: the first letter of its name. */
function nextTags({ texts, name: nameCommand }: Context, name: string): string {
  const letter = /^[a-z]/i.exec(name)?.[0].toLowerCase() ?? 'x'
  const command = nameCommand('member.proxy.set', { member: name, tags: `${letter}:text` })
  return texts.nextTags(command, formatCodeSpan(`${letter}:hello`))
}

/** Asks before something is created under a name that exists, or with other conflicts. */
export async function createUnlessDuplicate(
  context: Context,
  creation: {
    readonly name: string
    readonly rows: readonly { readonly id: string; readonly name: string }[]
    readonly conflicts?: readonly string[]
    readonly flags: ReadonlySet<string>
    readonly create: () => Promise<Answer>
  },
): Promise<Answer> {
  const { name, rows, conflicts = [], flags, create } = creation
  const { texts } = context
  const twin = rows.find((row) => row.name.toLowerCase() === name.toLowerCase())
  const questions = [
    ...(twin ? [texts.confirmDuplicateName(escapeMarkdown(name), formatCodeSpan(twin.id))] : []),
    ...conflicts,
  ]
  if (questions.length === 0 || flags.has('y')) return create()
  return confirm(context, questions.join('\n'), create)
}

/** Lists the groups of a member. */
export const showMemberGroups: Handler = async (context, { values, flags }) => {
  const { id, name, own } = await resolveMember(context, values.member ?? '', { flags })
  const groups = await viewMemberGroups(context, await viewerAt(context, own, flags), id)
  const shown = publicOf(groups, mayNamePrivate(context, own, flags))
  const names = formatNames(shown.map((group) => group.name))
  return { content: context.texts.groupsOfMember(escapeMarkdown(name), names) }
}

export function escapeNames(rows: readonly { readonly name: string }[]): string[] {
  return rows.map(({ name }) => escapeMarkdown(name))
}

/** Adds a member to groups or removes it, and counts what changed. */
export function changeGroupsOfMember(action: 'add' | 'remove'): Handler {
  return async (context, { values, lists, flags }) => {
    const { texts, deps } = context
    const { id, name, own } = await resolveOwnMember(context, values.member ?? '', { flags })
    const { rows, missing } = await resolveOwnGroups(context, own, lists.groups ?? [], flags)
    const before = new Set(
      (await viewMemberGroups(context, own.viewer, id)).map((group) => group.id),
    )
    const changed = rows.filter((group) => before.has(group.id) === (action === 'remove'))
    const ids = changed.map((group) => group.id)
    if (ids.length > 0) await changeMemberGroups(deps, own.viewer, id, action, ids)
    const unchanged = rows.filter((group) => !changed.includes(group))
    const member = [escapeMarkdown(name)]
    return {
      content: texts.membershipChanged(
        action,
        { members: member, groups: escapeNames(changed) },
        { members: member, groups: escapeNames(unchanged) },
        missing.map((text) => escapeMarkdown(text)),
      ),
      isRefusal: changed.length === 0,
    }
  }
}

/** Shows one of these members. */
export async function randomMember(
  context: Context,
  members: readonly MemberView[],
  own: Own | null,
): Promise<Answer> {
  const member = members[Math.floor(Math.random() * members.length)]
  if (!member) throw new Refusal(context.texts.listEmpty)
  return showNamedMember(context, { id: member.id, name: member.name, own }, new Set())
}
