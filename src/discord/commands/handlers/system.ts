import { DomainError } from '../../../model/errors'
import { systemGuild } from '../../../model/guild'
import { DISCORD, platformOf } from '../../../model/platform'
import { discordBot, isOwner } from '../../../model/privacy'
import { type SystemPatch, system as systemEntity } from '../../../model/system'
import { listAccounts } from '../../../service/accounts'
import { getTotals } from '../../../service/fronting/fronting'
import { getSystemGuild, patchSystemGuild } from '../../../service/guilds'
import { listSwitches } from '../../../service/history'
import { createSystem } from '../../../service/registration'
import { deleteSystem, getSystem, patchSystem } from '../../../service/systems'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Texts } from '../../text/texts'
import type { Answer } from '../answer'
import { confirmTyped, paginate } from '../ask'
import { formatNames, systemCard } from '../cards/cards'
import { buildEmbed, formatTime } from '../cards/embed'
import { formatShortId } from '../cards/formatShortId'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { listRows } from '../list'
import { findOwn, ownSettings, requireOwn, viewerAt } from '../ownSystem'
import { type NamedSystem, parseAccount, resolveOwnGroup, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { viewFront, viewGroupMembers, viewGroups, viewMembers, viewSystem } from '../views'
import { parseDuration, parseWhen } from '../when'
import { runField } from './fields'
import { runPrivacy } from './privacy'

/** Fields of a system that commands set, with the label of each. */
export type SystemField = Exclude<
  keyof SystemPatch & keyof typeof systemEntity.fields,
  'created' | 'webhook_url'
>

export async function showSystem(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, own, id, flags)
  const isOwn = own !== null && isOwner(viewer, own.system.id)
  const system = await viewSystem(context, viewer, id)
  const front = await orNull(viewFront(context, viewer, id))
  const members = await orNull(viewMembers(context, viewer, id))
  // Accounts are shown to their owner only: other people know the account that they asked about.
  const linked = isOwn ? await listAccounts(context.deps, own.viewer) : []
  const accounts = linked.flatMap((account) =>
    platformOf(account.id) === DISCORD ? account.id : [],
  )
  const named = values.system === undefined ? null : parseAccount(values.system)
  const embed = systemCard(system, {
    texts: context.texts,
    ids: await idStyle(context),
    fronters: front?.members.map(({ name }) => name) ?? null,
    accounts: accounts.length > 0 || named === null ? accounts : [named],
    memberCount: members?.length ?? null,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

export async function showSystemId(context: Context, { values }: Arguments): Promise<Answer> {
  const { id } = await resolveSystem(context, values.system)
  return { content: formatCodeSpan(formatShortId(id, await idStyle(context))) }
}

/** Creates a system. An invite code is accepted only where other people do not see it. */
export async function newSystem(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, deps, account } = context
  const { name } = values
  const invite = values.code ?? null
  if (await findOwn(context)) throw new Refusal(texts.hasSystem)
  const isSecret = context.via === 'interaction' || context.guild === null
  if (deps.quotas.registration === 'invite' && !isSecret) {
    await context.deleteCommand()
    throw new Refusal(texts.inviteNeeded)
  }
  if (deps.quotas.registration === 'invite' && invite === null)
    throw new Refusal(texts.inviteNeeded)
  const draft = parseDraftName(context, name)
  const { system } = await createSystem(deps, discordBot, draft, {
    account,
    tokenName: 'bot',
    invite,
  })
  return { content: texts.systemCreated(formatCodeSpan(system.hid)) }
}

function parseDraftName({ texts }: Context, name: string | undefined): { name: string | null } {
  const { max } = systemEntity.fields.name
  if (name !== undefined && max !== undefined && name.length > max)
    throw new Refusal(texts.invalidValue(texts.labels.name, texts.tooLong(max), name.length))
  return { name: name ?? null }
}

/** Shows, sets or clears a field of a system. */
export function systemField(key: SystemField) {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const { id, own } = await resolveSystem(context, args.values.system)
    const viewer = await viewerAt(context, own, id, args.flags)
    const system = await viewSystem(context, viewer, id)
    return runField(context, args, {
      owner: system.name ?? context.texts.systemWithId(id),
      label: context.texts.fieldLabels[key],
      field: systemEntity.fields[key],
      read: async () => system[key],
      write: own && ((value) => patchSystem(context.deps, own.viewer, '@me', { [key]: value })),
    })
  }
}

/** Shows, sets or clears a field of the own system in this guild. */
export function systemGuildField(key: 'display_name' | 'tag' | 'avatar_url' | 'name_format') {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const guild = requireGuild(context)
    const { own } = await requireOwnSystem(context, args.values.system)
    const write = (patch: object) =>
      patchSystemGuild(context.deps, own.viewer, guild, patch, 'create')
    if (key === 'tag' && (args.flags.has('enable') || args.flags.has('disable'))) {
      await write({ tag_enabled: args.flags.has('enable') })
      return { content: context.texts.serverTagEnabled(args.flags.has('enable')) }
    }
    return runField(context, args, {
      owner: own.system.name ?? context.texts.systemWithId(own.system.hid),
      label: context.texts.serverFieldLabels[key],
      field: systemGuild.fields[key],
      read: async () => (await findSystemGuild(context))?.[key],
      write: (value) => write({ [key]: value }),
    })
  }
}

async function findSystemGuild(context: Context) {
  const { viewer } = await requireOwn(context)
  return orNull(getSystemGuild(context.deps, viewer, requireGuild(context)))
}

export async function systemPrivacy(context: Context, { values }: Arguments): Promise<Answer> {
  const { own } = await requireOwnSystem(context, values.system)
  const { privacy } = await viewSystem(context, own.viewer, '@me')
  return runPrivacy(context, values, {
    owner: own.system.name ?? context.texts.systemWithId(own.system.hid),
    entity: systemEntity,
    levels: privacy,
    write: (patch) => patchSystem(context.deps, own.viewer, '@me', patch),
  })
}

/** Turns proxying of the own system on or off in a guild. */
export async function systemProxy(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const words = [values.guild, values.switched].filter((word) => word !== undefined)
  const guild = words.find((word) => /^\d{15,20}$/.test(word)) ?? context.guild?.id
  const switched = words.find((word) => !/^\d{15,20}$/.test(word))
  if (guild === undefined) throw new Refusal(texts.guildOnly)
  if (switched === undefined) {
    const found = await orNull(getSystemGuild(deps, own.viewer, guild))
    return { content: texts.proxyingIs(found?.proxying_enabled ?? true) }
  }
  const proxying_enabled = parseSwitched(context, switched)
  await patchSystemGuild(deps, own.viewer, guild, { proxying_enabled }, 'create')
  return { content: texts.proxyingSet(proxying_enabled) }
}

export function parseSwitched({ texts }: Context, text: string): boolean {
  const folded = text.toLowerCase()
  if (['on', 'yes', 'true', 'enable', 'enabled', '1'].includes(folded)) return true
  if (['off', 'no', 'false', 'disable', 'disabled', '0'].includes(folded)) return false
  throw new Refusal(texts.onOrOff)
}

/** Lists the members or the groups of a system. */
function listOf(
  view: typeof viewMembers | typeof viewGroups,
  titleOf: (texts: Texts, name: string) => string,
): Handler {
  return async (context, { values, flags }) => {
    const { id, own } = await resolveSystem(context, values.system)
    const viewer = await viewerAt(context, own, id, flags)
    const isOwn = own !== null && isOwner(viewer, own.system.id)
    const { name, color } = await viewSystem(context, viewer, id)
    const [term, isFull] = termOf(values.term)
    return {
      ...listRows(context, await view(context, viewer, id), {
        title: titleOf(context.texts, name ?? context.texts.systemWithId(id)),
        term,
        flags: isFull ? new Set([...flags, 'full']) : flags,
        ids: await idStyle(context),
        color,
        showsAll: isOwn && context.via === 'interaction',
      }),
      isPublic: flags.has('public'),
    }
  }
}

export const listSystemMembers = listOf(viewMembers, (texts, name) => texts.membersOf(name))
export const listSystemGroups = listOf(viewGroups, (texts, name) => texts.groupsOf(name))

/** Separates the word `full`, which may precede what is searched. */
export function termOf(text: string | undefined): [term: string | undefined, isFull: boolean] {
  const [, rest] = /^full(?:\s+(.*))?$/is.exec(text ?? '') ?? []
  if (!/^full(?:\s|$)/i.test(text ?? '')) return [text, false]
  return [rest, true]
}

export async function showFront(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts } = context
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, own, id, flags)
  const front = await viewFront(context, viewer, id)
  if (!front) return { content: texts.noSwitches }
  const names = front.members.map(({ name }) => name)
  const embed = buildEmbed({
    title: texts.currentFront(names.length),
    color: front.members[0]?.color ?? null,
    fields: [
      { name: texts.labels.fronters, value: formatNames(names) || texts.nobodyFronts },
      {
        name: texts.labels.since,
        value: `${formatTime(front.timestamp)} (${formatTime(front.timestamp, 'R')})`,
      },
    ],
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

const HISTORY_PAGE = 10
const HISTORY_LIMIT = 100

export async function showHistory(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const named = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, named.own, named.id, flags)
  const of = await getSystem(deps, viewer, named.id)
  const switches = await listSwitches(deps, viewer, of, { before: null, limit: HISTORY_LIMIT })
  const names = await namesOf(context, named, viewer)
  const lines = switches.map(({ timestamp, members }) => {
    const time = `<t:${Math.floor(timestamp / 1_000_000)}:f>`
    const shown = members.map((id) => names.get(id) ?? texts.hiddenMember)
    return `**${formatNames(shown) || texts.nobodyFronts}** · ${time}`
  })
  if (lines.length === 0) return { content: texts.noSwitches }
  const pages = Math.ceil(lines.length / HISTORY_PAGE)
  return paginate(context, pages, (page) => ({
    embeds: [
      buildEmbed({
        title: texts.historyOf(of.hid),
        description: lines.slice(page * HISTORY_PAGE, (page + 1) * HISTORY_PAGE).join('\n'),
        footer: texts.pageOf(page + 1, pages),
      }),
    ],
  }))
}

/** Names of members by short ID, as far as the viewer may list them. */
async function namesOf(
  context: Context,
  { id }: NamedSystem,
  viewer: Parameters<typeof viewMembers>[1],
) {
  const members = (await orNull(viewMembers(context, viewer, id))) ?? []
  return new Map(members.map((member) => [member.id, member.name]))
}

const DEFAULT_PERIOD = '30d'

/** Shows the share of time of each member since a duration or a date. */
export async function showPercent(context: Context, args: Arguments): Promise<Answer> {
  const { values, flags } = args
  const { texts, deps } = context
  const named = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, named.own, named.id, flags)
  const zone = named.own ? ((await ownSettings(context, named.own)).timezone ?? 'UTC') : 'UTC'
  const now = deps.now()
  const period = values.period ?? DEFAULT_PERIOD
  const duration = parseDuration(period)
  const since = duration === null ? parseWhen(period, now, zone) : now - duration
  if (since === null || since > now) throw new Refusal(texts.invalidPeriod)
  const only =
    values.group === undefined ? null : await membersOfGroup(context, values.group, flags)
  const totals = await getTotals(deps, viewer, named.id, { since, until: null })
  const names = await namesOf(context, named, viewer)
  const rows = totals.members
    .filter(({ member }) => only === null || only.has(member))
    .map(({ member, share }) => ({ name: names.get(member) ?? texts.hiddenMember, share }))
    .toSorted((one, other) => other.share - one.share)
  const lines = rows
    .slice(0, 25)
    .map(({ name, share }) => `${escapeMarkdown(name)}: ${formatShare(share)}`)
  const embed = buildEmbed({
    title: texts.frontPercent,
    description: lines.join('\n') || texts.noSwitches,
    footer: texts.percentNote,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

async function membersOfGroup(context: Context, ref: string, flags: ReadonlySet<string>) {
  const { id, own } = await resolveOwnGroup(context, ref, flags)
  return new Set((await viewGroupMembers(context, own.viewer, id)).map((member) => member.id))
}

function formatShare(share: number): string {
  return new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(share)
}

/** Deletes the own system after its ID was typed. */
export async function removeSystem(context: Context): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const { hid } = own.system
  return confirmTyped(
    context,
    texts.confirmDeleteSystem(formatCodeSpan(hid)),
    hid,
    async (answering) => {
      const now = await requireOwn(answering)
      if (now.system.id !== own.system.id) throw new Refusal(texts.promptExpired)
      await deleteSystem(deps, now.viewer)
      return { content: texts.systemDeleted }
    },
  )
}

/** Returns how the account that asks wants to see IDs. */
export async function idStyle(context: Context) {
  const own = await findOwn(context)
  return own ? ownSettings(context, own) : {}
}

export function requireGuild({ guild, texts }: Context): string {
  if (!guild) throw new Refusal(texts.guildOnly)
  return guild.id
}

async function requireOwnSystem(context: Context, ref: string | undefined) {
  const { own } = await resolveSystem(context, ref)
  if (!own) throw new Refusal(context.texts.notYours)
  return { own }
}

/** Returns null instead of an error of a list that is private or settings that were never stored. */
export async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (cause) {
    if (cause instanceof DomainError && (cause.status === 403 || cause.status === 404)) return null
    throw cause
  }
}
