import type { Viewer } from '../../../model/core/privacy'
import { SECOND } from '../../../model/core/time'
import { listSwitches } from '../../../service/front/history'
import { getFronters } from '../../../service/front/switches'
import { findFirstSwitchTime, getTotals } from '../../../service/insights/insights'
import { getSystem } from '../../../service/systems/systems'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { paginate } from '../ask'
import { formatNames } from '../cards/cards'
import { buildEmbed, type Card, formatTime } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import type { LastFront } from '../list'
import { mayNamePrivate, ownSettings, publicOf, viewerAt } from '../ownSystem'
import { type NamedSystem, resolveOwnGroup, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { type FrontView, viewFront, viewGroupMembers, viewMembers, viewSystem } from '../views'
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
const HISTORY_LIMIT = 1000

export async function showHistory(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const named = await resolveSystem(context, values.system)
  if (flags.has('clear')) {
    if (!named.own) throw new Refusal(texts.notYours)
    return deleteHistory(context)
  }
  const viewer = await viewerAt(context, named.own, flags)
  const system = await getSystem(deps, viewer, named.id)
  const switches = await listSwitches(deps, viewer, system, { before: null, limit: HISTORY_LIMIT })
  const names = await namesOf(context, named, viewer, flags)
  const lines = switches.map(({ timestamp, members, uuid }, index) => {
    const end = switches[index - 1]?.timestamp ?? deps.now()
    const shown = formatNames(members.map((id) => names.get(id) ?? texts.hiddenMember))
    const text = texts.pastSwitch({
      names: shown || texts.nobodyFronts,
      start: Math.floor(timestamp / SECOND),
      seconds: (end - timestamp) / SECOND,
      isCurrent: index === 0,
    })
    return flags.has('with-id') ? `${text} · ${formatCodeSpan(uuid)}` : text
  })
  if (lines.length === 0) return { content: texts.noSwitches }
  const title = texts.historyOf(await titleOf(context, named, viewer))
  return paginateLines(context, lines, HISTORY_PAGE, (description, footer) => ({
    title,
    description,
    footer,
  }))
}

/** Shows lines in pages. */
function paginateLines(
  context: Context,
  lines: readonly string[],
  perPage: number,
  build: (description: string, footer: string) => Card,
  isPublic = false,
): Answer {
  const pages = Math.ceil(lines.length / perPage)
  const answer = paginate(context, pages, (page) => {
    const shown = lines.slice(page * perPage, (page + 1) * perPage).join('\n')
    const footer = pages > 1 ? context.texts.pageOf(page + 1, pages) : ''
    return { embeds: [buildEmbed(build(shown, footer))] }
  })
  return { ...answer, isPublic }
}

/** Name of a system where the viewer may see it, otherwise its ID. */
async function titleOf(context: Context, { id }: NamedSystem, viewer: Viewer): Promise<string> {
  return (await viewSystem(context, viewer, id)).name ?? context.texts.systemWithId(id)
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
const SHARES_PAGE = 25

/** Returns the start of a period: a duration, a date, or `full` for all of the history. */
function startOf({ texts, deps }: Context, period: string, zone: string): number {
  if (period.toLowerCase() === 'full') return 0
  const now = deps.now()
  const duration = parseDuration(period)
  const since = duration === null ? parseWhen(period, now, zone) : now - duration
  if (since === null || since > now) throw new Refusal(texts.invalidPeriod)
  return since
}

/** Shows the share of time of each member since a duration or a date. */
export async function showPercent(context: Context, args: Arguments): Promise<Answer> {
  const { values, flags } = args
  const { texts, deps } = context
  const named = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, named.own, flags)
  const zone = named.own ? ((await ownSettings(context, named.own)).timezone ?? 'UTC') : 'UTC'
  const asked = startOf(context, values.period ?? DEFAULT_PERIOD, zone)
  const first = await findFirstSwitchTime(deps, viewer, named.id)
  const since = Math.max(asked, first === null ? asked : first - 1)
  const group = values.group === undefined ? null : await findGroup(context, values.group, flags)
  const totals = await getTotals(deps, viewer, named.id, { since, until: null })
  const names = await namesOf(context, named, viewer, flags)
  const rows = totals.members
    .filter(({ member }) => group === null || group.members.has(member))
    .map(({ member, time }) => ({
      name: escapeMarkdown(names.get(member) ?? texts.hiddenMember),
      time,
    }))
  // The time without fronters belongs to no group.
  const isAll = group === null && !flags.has('fronters-only')
  if (isAll && totals.nobody > 0) rows.push({ name: texts.noFronter, time: totals.nobody })
  const seconds = (totals.until - totals.since) / SECOND
  const span = seconds - (flags.has('fronters-only') ? totals.nobody : 0)
  const isFlat = flags.has('flat')
  const whole = isFlat ? rows.reduce((sum, { time }) => sum + time, 0) : span
  const lines = rows
    .toSorted((row, other) => other.time - row.time)
    .map(({ name, time }) => texts.shareOf(name, time / (whole || 1), time))
  const title = texts.frontPercent(group?.name ?? (await titleOf(context, named, viewer)))
  const head = texts.sharesSince(Math.floor(since / SECOND))
  const note = isFlat ? texts.percentFlat : texts.percentNote
  if (lines.length === 0) return { content: texts.noSwitches }
  return paginateLines(
    context,
    lines,
    SHARES_PAGE,
    (description, footer) => ({
      title,
      description: `${head}\n\n${description}`,
      footer: [footer, note].filter((part) => part !== '').join(' · '),
    }),
    flags.has('public'),
  )
}

async function findGroup(context: Context, ref: string, flags: ReadonlySet<string>) {
  const { id, name, own } = await resolveOwnGroup(context, ref, { flags })
  const members = await viewGroupMembers(context, own.viewer, id)
  return { name, members: new Set(members.map((member) => member.id)) }
}
