import type { Viewer } from '../../../model/privacy'
import { getTotals } from '../../../service/fronting/fronting'
import { listSwitches } from '../../../service/history'
import { getSystem } from '../../../service/systems'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { paginate } from '../ask'
import { formatNames } from '../cards/cards'
import { buildEmbed, formatTime } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import type { LastFront } from '../list'
import { ownSettings, viewerAt } from '../ownSystem'
import { type NamedSystem, resolveOwnGroup, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { viewFront, viewGroupMembers, viewMembers } from '../views'
import { parseDuration, parseWhen } from '../when'
import { orNull } from './common'

/** Reads when each member was last in front, as far as the viewer may see the history. */
export async function readLastFronts(
  { deps }: Context,
  viewer: Viewer,
  system: string,
): Promise<Map<string, LastFront>> {
  const { members } = await getTotals(deps, viewer, system, { since: 0, until: null })
  return new Map(members.map(({ member, last }) => [member, last ?? 'now']))
}

export async function showFront(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts } = context
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, own, flags)
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
  const viewer = await viewerAt(context, named.own, flags)
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
