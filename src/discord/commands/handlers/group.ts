import { isOwner } from '../../../model/core/privacy'
import { group as groupEntity } from '../../../model/groups/group'
import { createGroup } from '../../../service/groups/groups'
import { changeGroupMembers } from '../../../service/groups/memberships'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import { groupCard } from '../cards/cards'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { type LastFront, listRows } from '../list'
import { publicOf, requireOwn, viewerAt } from '../ownSystem'
import {
  type NamedList,
  resolveGroup,
  resolveOwnGroup,
  resolveOwnMembers,
  resolveSystem,
} from '../references'
import { Refusal } from '../refusal'
import {
  type MemberView,
  stranger,
  viewGroup,
  viewGroupMembers,
  viewGroups,
  viewMembers,
} from '../views'
import { idStyle, linkOf, orNull, viewSystemOf } from './common'
import { parseFields } from './fields'
import { readLastFronts } from './front'
import { createUnlessDuplicate, type DraftTexts, escapeNames, randomMember } from './member'

export async function showGroup(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveGroup(context, values.group ?? '', { flags })
  const viewer = await viewerAt(context, own, flags)
  const members = await orNull(viewGroupMembers(context, viewer, id))
  const group = await viewGroup(context, viewer, id)
  const embed = groupCard(group, {
    texts: context.texts,
    ids: await idStyle(context),
    link: linkOf(context, viewer, own, 'groups', group.id),
    memberCount: members?.length ?? null,
    system: await viewSystemOf(context, 'group', { id, own }, viewer),
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

export const newGroup: Handler = (context, { values, flags }) =>
  createGroupFrom(context, { name: values.name ?? '' }, flags)

/** Creates a group from texts. Asks first if another one has the same name. */
export async function createGroupFrom(
  context: Context,
  draftTexts: DraftTexts,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const { name = '', ...draft } = parseFields(context, groupEntity, draftTexts)
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
    const { id, name, own } = await resolveOwnGroup(context, values.group ?? '', { flags })
    const before = await viewGroupMembers(context, own.viewer, id)
    const isIn = (member: MemberView) => before.some((other) => other.id === member.id)
    const change = async (named: Pick<NamedList<MemberView>, 'rows' | 'missing'>) => {
      const changed = named.rows.filter((member) => isIn(member) === (action === 'remove'))
      const unchanged = named.rows.filter((member) => !changed.includes(member))
      const ids = changed.map((member) => member.id)
      if (ids.length > 0) await changeGroupMembers(deps, own.viewer, id, action, ids)
      const groups = [escapeMarkdown(name)]
      return {
        content: texts.membershipChanged(
          action,
          { members: escapeNames(changed), groups },
          { members: escapeNames(unchanged), groups },
          named.missing.map((text) => escapeMarkdown(text)),
        ),
        isRefusal: changed.length === 0,
      }
    }
    if (!flags.has('all'))
      return change(await resolveOwnMembers(context, own, lists.members ?? [], flags))
    const all = await viewMembers(context, own.viewer, '@me')
    const rows = action === 'add' ? all.filter((member) => !isIn(member)) : before
    if (rows.length === 0 || flags.has('y')) return change({ rows, missing: [] })
    const question = texts.confirmAll(action, rows.length, escapeMarkdown(name))
    return confirm(context, question, () => change({ rows, missing: [] }))
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

/** Shows a random member of a system or group, or a random group. */
export async function showRandom(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const mayShowPrivate = flags.has('all')
  if (values.group !== undefined) {
    const { id, own } = await resolveGroup(context, values.group, { flags })
    const members = await viewGroupMembers(context, own?.viewer ?? stranger, id)
    return randomMember(context, publicOf(members, mayShowPrivate), own)
  }
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = own?.viewer ?? stranger
  if (!flags.has('group')) {
    const members = await viewMembers(context, viewer, id)
    return randomMember(context, publicOf(members, mayShowPrivate), own)
  }
  const groups = publicOf(await viewGroups(context, viewer, id), mayShowPrivate)
  const group = groups[Math.floor(Math.random() * groups.length)]
  if (!group) throw new Refusal(context.texts.listEmpty)
  return showGroup(context, { values: { group: group.id }, lists: {}, flags: new Set(['id']) })
}

export function showRandomGroup(context: Context, args: Arguments): Promise<Answer> {
  return showRandom(context, { ...args, flags: new Set([...args.flags, 'group']) })
}
