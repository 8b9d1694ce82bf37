import { DomainError } from '../../../model/core/errors'
import type { Instant } from '../../../model/core/time'
import { type Front, MAX_FRONTERS } from '../../../model/front/switch'
import { listSwitches } from '../../../service/front/history'
import {
  changeSwitchMembers,
  createSwitch,
  deleteAllSwitches,
  deleteSwitch,
  getFronters,
  moveSwitch,
} from '../../../service/front/switches'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { isPrivate, mayNamePrivate, type Own, ownSettings, requireOwn } from '../ownSystem'
import { resolveOwnMembers } from '../references'
import { Refusal } from '../refusal'
import type { MemberView } from '../views'
import { parseWhen } from '../when'

/** Logs a switch to the named members. */
export async function logSwitch(context: Context, { lists, flags }: Arguments): Promise<Answer> {
  const own = await requireOwn(context)
  const members = await requireMembers(context, own, lists.members ?? [], flags)
  return insert(context, own, members, members)
}

/** Logs a switch without members. */
export async function switchOut(context: Context): Promise<Answer> {
  return insert(context, await requireOwn(context), [], [])
}

async function insert(
  context: Context,
  own: Own,
  members: readonly Fronter[],
  named: readonly Fronter[],
): Promise<Answer> {
  const { texts, deps } = context
  const draft = { timestamp: null, members: members.map(({ id }) => id) }
  try {
    await createSwitch(deps, own.viewer, '@me', draft)
  } catch (cause) {
    throw explainSame(context, cause, own, members, named)
  }
  const names = nameFronters(context, own, members, named)
  return { content: members.length === 0 ? texts.switchedOut : texts.switched(names) }
}

/** Edits the members of the latest switch: replaces them, or changes the list by flags. */
export async function editSwitch(context: Context, { lists, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const front = await requireFront(context, own)
  const named = await requireMembers(context, own, lists.members ?? [], flags)
  const members = combine(front.members.map(toFronter), named, flags)
  try {
    const ids = members.map(({ id }) => id)
    await changeSwitchMembers(deps, own.viewer, '@me', front.uuid, ids)
  } catch (cause) {
    throw explainSame(context, cause, own, members, named)
  }
  const before = nameFronters(context, own, front.members.map(toFronter), named)
  return { content: texts.switchEdited(nameFronters(context, own, members, named), before) }
}

/** Removes all members from the latest switch. */
export async function editSwitchOut(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const front = await requireFront(context, own)
  try {
    await changeSwitchMembers(deps, own.viewer, '@me', front.uuid, [])
  } catch (cause) {
    throw explainSame(context, cause, own, [], [])
  }
  const before = nameFronters(context, own, front.members.map(toFronter), [])
  return { content: texts.switchEdited('', before) }
}

/** Logs a new switch with the current fronters and the named members. */
export async function copySwitch(context: Context, { lists, flags }: Arguments): Promise<Answer> {
  const own = await requireOwn(context)
  const front = await requireFront(context, own)
  const named = await requireMembers(context, own, lists.members ?? [], flags)
  const before = front.members.map(toFronter)
  const way = ['first', 'remove', 'append', 'prepend'].some((flag) => flags.has(flag))
  return insert(context, own, combine(before, named, way ? flags : new Set(['append'])), named)
}

type Fronter = Pick<MemberView, 'id' | 'name' | 'privacy'>

function toFronter({ hid, name, visibility }: Front['members'][number]): Fronter {
  return { id: hid, name, privacy: { visibility } }
}

/** Formats the names of fronters, of whom private ones are named where they may be or were typed. */
function nameFronters(
  context: Context,
  own: Own,
  members: readonly Fronter[],
  typed: readonly Fronter[],
): string {
  const mayName = mayNamePrivate(context, own, new Set())
  const isTyped = ({ id }: Fronter) => typed.some((fronter) => fronter.id === id)
  const names = members.map((fronter) =>
    mayName || isTyped(fronter) || !isPrivate(fronter) ? fronter.name : context.texts.hiddenMember,
  )
  return context.texts.list(names.map((name) => escapeMarkdown(name)))
}

/** Combines the current and the named members as the flags say. */
function combine(
  before: readonly Fronter[],
  named: readonly Fronter[],
  flags: ReadonlySet<string>,
): readonly Fronter[] {
  const isNamed = ({ id }: Fronter) => named.some((fronter) => fronter.id === id)
  const rest = before.filter((fronter) => !isNamed(fronter))
  if (flags.has('remove')) return rest
  if (flags.has('append')) {
    const isThere = ({ id }: Fronter) => before.some((fronter) => fronter.id === id)
    return [...before, ...named.filter((fronter) => !isThere(fronter))]
  }
  return flags.has('first') || flags.has('prepend') ? [...named, ...rest] : named
}

/** Moves the latest switch, but not before the one that precedes it. */
export async function moveLatest(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const { timezone: zone = 'UTC' } = await ownSettings(context, own)
  const to = parseWhen(values.when ?? '', deps.now(), zone ?? 'UTC')
  if (to === null) throw new Refusal(texts.invalidTime)
  if (to > deps.now()) throw new Refusal(texts.timeInFuture)
  const [latest, previous] = await listSwitches(deps, own.viewer, own.system, {
    before: null,
    limit: 2,
  })
  if (!latest) throw new Refusal(texts.noSwitches)
  if (previous && to <= previous.timestamp)
    throw new Refusal(texts.beforePrevious(formatMoment(previous.timestamp), context.name))
  const move = async (): Promise<Answer> => {
    await moveSwitch(deps, own.viewer, '@me', latest.uuid, to)
    return { content: texts.switchMoved(formatMoment(to)) }
  }
  if (flags.has('y')) return move()
  const front = await requireFront(context, own)
  const names = nameFronters(context, own, front.members.map(toFronter), []) || texts.nobodyFronts
  const from = formatMoment(latest.timestamp)
  return confirm(context, texts.confirmMove(names, from, formatMoment(to)), move)
}

export async function deleteLatest(context: Context, { flags }: Arguments): Promise<Answer> {
  if (flags.has('all')) return deleteHistory(context)
  const { texts, deps } = context
  const own = await requireOwn(context)
  const front = await requireFront(context, own)
  const remove = async (): Promise<Answer> => {
    await deleteSwitch(deps, own.viewer, '@me', front.uuid)
    return { content: texts.switchDeleted }
  }
  if (flags.has('y')) return remove()
  const names = nameFronters(context, own, front.members.map(toFronter), []) || texts.nobodyFronts
  return confirm(context, texts.confirmDeleteSwitch(names, formatMoment(front.timestamp)), remove)
}

export async function deleteHistory(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  await requireFront(context, own)
  return confirm(context, texts.confirmDeleteHistory, async () => {
    await deleteAllSwitches(deps, own.viewer)
    return { content: texts.historyDeleted }
  })
}

async function requireMembers(
  context: Context,
  own: Own,
  names: readonly string[],
  flags: ReadonlySet<string>,
): Promise<readonly MemberView[]> {
  const { texts } = context
  const { rows, missing, near, isRepeated } = await resolveOwnMembers(context, own, names, flags)
  if (missing.length > 0)
    throw new Refusal(
      texts.membersNotFound(
        missing.map((name) => escapeMarkdown(name)),
        near,
      ),
    )
  if (isRepeated) throw new Refusal(texts.namedTwice)
  if (rows.length > MAX_FRONTERS) throw new Refusal(texts.tooManyFronters(MAX_FRONTERS))
  return rows
}

async function requireFront({ deps, texts }: Context, own: Own) {
  const front = await getFronters(deps, own.viewer, own.system)
  if (!front) throw new Refusal(texts.noSwitches)
  return front
}

function explainSame(
  context: Context,
  cause: unknown,
  own: Own,
  members: readonly Fronter[],
  named: readonly Fronter[],
): unknown {
  if (!(cause instanceof DomainError) || cause.kind !== 'sameFronters') return cause
  const { texts } = context
  const names = nameFronters(context, own, members, named)
  return new Refusal(
    members.length === 0 ? texts.alreadyOut : texts.alreadyFronting(names, members.length),
  )
}

function formatMoment(at: Instant): string {
  const seconds = Math.floor(at / 1_000_000)
  return `<t:${seconds}:f> (<t:${seconds}:R>)`
}
