import { type GroupPatch, group as groupEntity } from '../../../model/group'
import { isOwner } from '../../../model/privacy'
import { Problem } from '../../../model/validation'
import { createGroup, deleteGroup, patchGroup } from '../../../service/groups'
import { changeGroupMembers } from '../../../service/memberships'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm, confirmTyped } from '../ask'
import { groupCard } from '../cards/cards'
import { formatShortId } from '../cards/formatShortId'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { listRows } from '../list'
import { requireOwn, viewerAt } from '../ownSystem'
import { resolveGroup, resolveOwnGroup, resolveOwnMembers } from '../references'
import { Refusal } from '../refusal'
import { viewGroup, viewGroupMembers, viewGroups, viewMembers } from '../views'
import { runField } from './fields'
import { randomMember } from './member'
import { runPrivacy } from './privacy'
import { idStyle, orNull, termOf } from './system'

export type GroupField = Extract<
  keyof GroupPatch,
  'name' | 'display_name' | 'description' | 'icon' | 'banner' | 'color'
>

export async function showGroup(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveGroup(context, values.group ?? '', flags)
  const viewer = await viewerAt(context, own, own?.system.hid ?? '', flags)
  const members = await orNull(viewGroupMembers(context, viewer, id))
  const embed = groupCard(await viewGroup(context, viewer, id), {
    texts: context.texts,
    ids: await idStyle(context),
    memberCount: members?.length ?? null,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

export async function showGroupId(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id } = await resolveGroup(context, values.group ?? '', flags)
  return { content: formatCodeSpan(formatShortId(id, await idStyle(context))) }
}

/** Creates a group. Asks first if another one has the same name. */
export async function newGroup(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const name = groupEntity.fields.name.parse(values.name ?? '')
  if (name instanceof Problem)
    throw new Refusal(texts.invalidValue(texts.labels.name, name.message, name.actual_length))
  const groups = await viewGroups(context, own.viewer, '@me')
  const twin = groups.find((group) => group.name.toLowerCase() === name.toLowerCase())
  const create = async (): Promise<Answer> => {
    const { row } = await createGroup(deps, own.viewer, { name })
    return { content: texts.groupCreated(escapeMarkdown(name), formatCodeSpan(row.hid)) }
  }
  if (!twin || flags.has('y') || flags.has('yes')) return create()
  const question = texts.confirmDuplicateName(escapeMarkdown(name), formatCodeSpan(twin.id))
  return confirm(context, question, create)
}

/** Shows, sets or clears a field of a group. */
export function groupField(key: GroupField) {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const { id, own } = await resolveGroup(context, args.values.group ?? '', args.flags)
    const viewer = await viewerAt(context, own, own?.system.hid ?? '', args.flags)
    const group = await viewGroup(context, viewer, id)
    return runField(context, args, {
      owner: group.name,
      label: context.texts.fieldLabels[key],
      field: groupEntity.fields[key],
      read: async () => group[key],
      write: own && ((value) => patchGroup(context.deps, own.viewer, id, { [key]: value })),
    })
  }
}

export async function groupPrivacy(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, own } = await resolveOwnGroup(context, values.group ?? '', flags)
  const group = await viewGroup(context, own.viewer, id)
  return runPrivacy(context, values, {
    owner: group.name,
    entity: groupEntity,
    levels: group.privacy,
    write: (patch) => patchGroup(context.deps, own.viewer, id, patch),
  })
}

/** Sets all privacy levels of a group. */
export function groupVisibility(level: 'public' | 'private') {
  return (context: Context, { values, ...args }: Arguments): Promise<Answer> =>
    groupPrivacy(context, { ...args, values: { ...values, subject: 'all', level } })
}

/** Adds members to a group or removes them, and counts what changed. */
export function changeMembersOfGroup(action: 'add' | 'remove') {
  return async (context: Context, { values, lists, flags }: Arguments): Promise<Answer> => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnGroup(context, values.group ?? '', flags)
    const members = await viewGroupMembers(context, own.viewer, id)
    const before = new Set(members.map((member) => member.id))
    const named = flags.has('all')
      ? { found: await viewMembers(context, own.viewer, '@me'), missing: [] }
      : await resolveOwnMembers(context, own, lists.members ?? [], flags)
    const changed = named.found.filter((member) => before.has(member.id) === (action === 'remove'))
    const ids = changed.map((member) => member.id)
    if (ids.length > 0) await changeGroupMembers(deps, own.viewer, id, action, ids)
    return {
      content: texts.membershipChanged(
        action,
        changed.length,
        named.found.length - changed.length,
        named.missing.map((one) => escapeMarkdown(one)),
      ),
    }
  }
}

export async function listGroupMembers(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { id, name, own } = await resolveGroup(context, values.group ?? '', flags)
  const viewer = await viewerAt(context, own, own?.system.hid ?? '', flags)
  const [term, isFull] = termOf(values.term)
  return {
    ...listRows(context, await viewGroupMembers(context, viewer, id), {
      title: context.texts.membersOf(name),
      term,
      flags: isFull ? new Set([...flags, 'full']) : flags,
      ids: await idStyle(context),
      showsAll: own !== null && isOwner(viewer, own.system.id) && context.via === 'interaction',
    }),
    isPublic: flags.has('public'),
  }
}

/** Shows a random member of the system, of a group, or a random group. */
export async function showRandom(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const own = await requireOwn(context)
  if (flags.has('group')) {
    const groups = await viewGroups(context, own.viewer, '@me')
    const group = groups[Math.floor(Math.random() * groups.length)]
    if (!group) throw new Refusal(context.texts.listEmpty)
    return showGroup(context, { values: { group: group.id }, lists: {}, flags: new Set(['id']) })
  }
  if (values.group === undefined)
    return randomMember(
      context,
      await publicOf(await viewMembers(context, own.viewer, '@me'), flags),
      own,
    )
  const named = await resolveOwnGroup(context, values.group, flags)
  const members = await viewGroupMembers(context, own.viewer, named.id)
  return randomMember(context, publicOf(members, flags), own)
}

function publicOf<T extends { privacy: Readonly<Record<string, string>> | null }>(
  rows: readonly T[],
  flags: ReadonlySet<string>,
): readonly T[] {
  return flags.has('all') ? rows : rows.filter(({ privacy }) => privacy?.visibility !== 'private')
}

export async function removeGroup(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const { id, name, own } = await resolveOwnGroup(context, values.group ?? '', flags)
  const question = texts.confirmDelete(escapeMarkdown(name), formatCodeSpan(id))
  return confirmTyped(context, question, id, async () => {
    await deleteGroup(deps, own.viewer, id)
    return { content: texts.deleted(escapeMarkdown(name)) }
  })
}
