import { isOwner } from '../../../model/core/privacy'
import { group as groupEntity } from '../../../model/groups/group'
import { createGroup } from '../../../service/groups/groups'
import { changeGroupMembers } from '../../../service/groups/memberships'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { groupCard } from '../cards/cards'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { type LastFront, listRows } from '../list'
import { publicOf, requireOwn, viewerAt } from '../ownSystem'
import { resolveGroup, resolveOwnGroup, resolveOwnMembers, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { stranger, viewGroup, viewGroupMembers, viewGroups, viewMembers } from '../views'
import { idStyle, orNull } from './common'
import { parseFields } from './fields'
import { readLastFronts } from './front'
import { createUnlessDuplicate, type DraftTexts, randomMember } from './member'

export async function showGroup(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveGroup(context, values.group ?? '', { flags })
  const viewer = await viewerAt(context, own, flags)
  const members = await orNull(viewGroupMembers(context, viewer, id))
  const embed = groupCard(await viewGroup(context, viewer, id), {
    texts: context.texts,
    ids: await idStyle(context),
    memberCount: members?.length ?? null,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

export const newGroup: Handler = (context, { values, flags }) =>
  createGroupFrom(context, { name: values.name ?? '' }, flags)

/** Creates a group from texts. Asks first if another one has the same name. */
export async function createGroupFrom(
  context: Context,
  given: DraftTexts,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const { name = '', ...draft } = parseFields(context, groupEntity, given)
  const create = async (): Promise<Answer> => {
    const { row } = await createGroup(deps, own.viewer, { ...draft, name })
    return { content: texts.groupCreated(escapeMarkdown(name), formatCodeSpan(row.hid)) }
  }
  const rows = await viewGroups(context, own.viewer, '@me')
  return createUnlessDuplicate(context, { name, rows, flags, create })
}

/** Adds members to a group or removes them, and counts what changed. */
export function changeMembersOfGroup(action: 'add' | 'remove') {
  return async (context: Context, { values, lists, flags }: Arguments): Promise<Answer> => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnGroup(context, values.group ?? '', { flags })
    const members = await viewGroupMembers(context, own.viewer, id)
    const before = new Set(members.map((member) => member.id))
    const named = flags.has('all')
      ? { rows: await viewMembers(context, own.viewer, '@me'), missing: [] }
      : await resolveOwnMembers(context, own, lists.members ?? [], flags)
    const changed = named.rows.filter((member) => before.has(member.id) === (action === 'remove'))
    const ids = changed.map((member) => member.id)
    if (ids.length > 0) await changeGroupMembers(deps, own.viewer, id, action, ids)
    return {
      content: texts.membershipChanged(
        action,
        changed.length,
        named.rows.length - changed.length,
        named.missing.map((name) => escapeMarkdown(name)),
      ),
      isRefusal: changed.length === 0,
    }
  }
}

export const listGroupMembers: Handler = async (context, { values, flags }) => {
  const { id, name, own } = await resolveGroup(context, values.group ?? '', { flags })
  const viewer = await viewerAt(context, own, flags)
  return listRows(context, await viewGroupMembers(context, viewer, id), {
    title: context.texts.membersOf(name),
    term: values.term,
    flags,
    ids: await idStyle(context),
    showsAll: own !== null && isOwner(viewer, own.system.id) && context.via === 'interaction',
    readLastFronts: async () =>
      own ? readLastFronts(context, viewer, own.system.hid) : new Map<string, LastFront>(),
  })
}

/** Shows a random member of a system or of an own group, or a random group. */
export async function showRandom(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = own?.viewer ?? stranger
  const mayShowPrivate = flags.has('all')
  if (flags.has('group')) {
    const groups = publicOf(await viewGroups(context, viewer, id), mayShowPrivate)
    const group = groups[Math.floor(Math.random() * groups.length)]
    if (!group) throw new Refusal(context.texts.listEmpty)
    return showGroup(context, { values: { group: group.id }, lists: {}, flags: new Set(['id']) })
  }
  const members =
    values.group === undefined
      ? await viewMembers(context, viewer, id)
      : await viewGroupMembers(
          context,
          viewer,
          (await resolveOwnGroup(context, values.group, { flags })).id,
        )
  return randomMember(context, publicOf(members, mayShowPrivate), own)
}

export function showRandomGroup(context: Context, args: Arguments): Promise<Answer> {
  return showRandom(context, { ...args, flags: new Set([...args.flags, 'group']) })
}
