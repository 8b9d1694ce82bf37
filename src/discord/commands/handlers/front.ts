import type { Viewer } from '../../../model/core/privacy'
import { listSwitches } from '../../../service/front/history'
import { getFronters } from '../../../service/front/switches'
import { getTotals } from '../../../service/insights/insights'
import { getSystem } from '../../../service/systems/systems'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { paginate } from '../ask'
import { formatNames } from '../cards/cards'
import { buildEmbed, formatTime } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import type { LastFront } from '../list'
import { mayNamePrivate, ownSettings, publicOf, viewerAt } from '../ownSystem'
import { type NamedSystem, resolveOwnGroup, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { type FrontView, viewFront, viewGroupMembers, viewMembers } from '../views'
import { parseDuration, parseWhen } from '../when'
import { orNull } from './common'
import { deleteHistory } from './switch'

/** Reads when each member was last in front, as far as the viewer may see the history. */
export async function readLastFronts(
  { deps }: Context,
  viewer: Viewer,
  system: string,
): Promise<Map<string, LastFront>> {
  const { members } = await getTotals(deps, viewer, system, { since: 0, until: null })
  return new Map(members.map(({ member, last }) => [member, last ?? 'now']))
}

/** Returns the names of the fronters, of whom private ones are named only where they may be. */
export async function nameFronters(
  context: Context,
  viewer: Viewer,
  { id, own }: NamedSystem,
  { members }: FrontView,
  flags: ReadonlySet<string>,
): Promise<string[]> {
  const { texts, deps } = context
  if (mayNamePrivate(context, own, flags)) return members.map(({ name }) => name)
  // What other people see of a member does not contain its levels.
  const rows = await getFronters(deps, viewer, await getSystem(deps, viewer, id))
  const open = rows?.members.filter(({ visibility }) => visibility === 'public') ?? []
  const ids = new Set(open.map(({ hid }) => hid))
  return members.map((member) => (ids.has(member.id) ? member.name : texts.hiddenMember))
}

export async function showFront(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts } = context
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, own, flags)
  const front = await viewFront(context, viewer, id)
  if (!front) return { content: texts.noSwitches }
  const names = await nameFronters(context, viewer, { id, own }, front, flags)
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
  if (flags.has('clear')) {
    if (!named.own) throw new Refusal(texts.notYours)
    return deleteHistory(context)
  }
  const viewer = await viewerAt(context, named.own, flags)
  const of = await getSystem(deps, viewer, named.id)
  const switches = await listSwitches(deps, viewer, of, { before: null, limit: HISTORY_LIMIT })
  const names = await namesOf(context, named, viewer, flags)
  const lines = switches.map(({ timestamp, members, uuid }) => {
    const at = `<t:${Math.floor(timestamp / 1_000_000)}:f>`
    const time = flags.has('with-id') ? `${at} · ${formatCodeSpan(uuid)}` : at
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

/** Names of members by short ID, as far as the viewer may list them and they may be named. */
async function namesOf(
  context: Context,
  { id, own }: NamedSystem,
  viewer: Viewer,
  flags: ReadonlySet<string>,
) {
  const members = (await orNull(viewMembers(context, viewer, id))) ?? []
  const shown = publicOf(members, mayNamePrivate(context, own, flags))
  return new Map(shown.map((member) => [member.id, member.name]))
}

const DEFAULT_PERIOD = '30d'

/** Shows the share of time of each member since a duration or a date. */
export async function showPercent(context: Context, args: Arguments): Promise<Answer> {
  const { values, flags } = args
  const { texts, deps } = context
  const named = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, named.own, flags)
  const zone = named.own ? ((await ownSettings(context, named.own)).timezone ?? 'UTC') : 'UTC'
  const now = deps.now()
  const period = values.period ?? DEFAULT_PERIOD
  const duration = parseDuration(period)
  const since = duration === null ? parseWhen(period, now, zone) : now - duration
  if (since === null || since > now) throw new Refusal(texts.invalidPeriod)
  const only =
    values.group === undefined ? null : await membersOfGroup(context, values.group, flags)
  const totals = await getTotals(deps, viewer, named.id, { since, until: null })
  const names = await namesOf(context, named, viewer, flags)
  const listed = totals.members
    .filter(({ member }) => only === null || only.has(member))
    .toSorted((one, other) => other.share - one.share)
  const isFlat = flags.has('flat')
  const whole = isFlat ? listed.reduce((sum, { share }) => sum + share, 0) || 1 : 1
  const lines = listed.slice(0, 25).map(({ member, share }) => {
    const name = escapeMarkdown(names.get(member) ?? texts.hiddenMember)
    return `${name}: ${formatShare(share / whole)}`
  })
  const embed = buildEmbed({
    title: texts.frontPercent,
    description: lines.join('\n') || texts.noSwitches,
    footer: isFlat ? texts.percentFlat : texts.percentNote,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

async function membersOfGroup(context: Context, ref: string, flags: ReadonlySet<string>) {
  const { id, own } = await resolveOwnGroup(context, ref, { flags })
  return new Set((await viewGroupMembers(context, own.viewer, id)).map((member) => member.id))
}

function formatShare(share: number): string {
  return new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(share)
}
