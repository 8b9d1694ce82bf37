import type { Viewer } from '../../model/core/privacy'
import { formatInstant, type Instant, parseInstant, SECOND } from '../../model/core/time'
import { isTimezone } from '../../model/core/validation'
import type { MemberTotal, Totals } from '../../model/insights/totals'
import type { System } from '../../model/systems/system'
import { totalsToV2 } from '../../serializers/fronting'
import { switchToV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { getFrontRows } from '../../service/front/front'
import { getTotals } from '../../service/insights/insights'
import { listMembers } from '../../service/members/members'
import { getVisibleSettings } from '../../service/systems/settings'
import { type Call, type Command, columns, UsageError } from '../command'
import { formatDuration, formatTime, printable } from '../format'
import { resolveSystem } from './resolveSystem'

export const frontCommands: Command[] = [
  {
    name: 'front',
    summary: 'Show who is fronting, since when, and status texts',
    args: ['SYSTEM'],
    flags: { zone: { type: 'string', doc: 'Time zone of the output (default: the system’s)' } },
    async run(call) {
      const { viewer, system } = await resolveSystem(call)
      const deps = call.deps()
      const zone = await chooseZone(call, viewer, system)
      const frontRows = await getFrontRows(deps, viewer, system)
      if (frontRows === null) return { json: null, text: 'There are no switches yet.' }
      const { front, details } = frontRows
      const now = deps.now()
      const members = front.members.map(({ id: row, hid, name, display_name }) => ({
        id: hid,
        name: display_name ?? name,
        since: details.get(row)?.since ?? front.timestamp,
        status: details.get(row)?.status ?? null,
      }))
      const rows = members.map(({ id, name, since: from, status }) => [
        printable(name),
        id,
        `since ${formatTime(from, zone)}`,
        formatDuration(now - from),
        printable(status ?? ''),
      ])
      return {
        json: switchToV2(
          front,
          members.map(({ since: from, ...member }) => ({ ...member, since: formatInstant(from) })),
        ),
        text:
          rows.length > 0
            ? columns(rows)
            : `Nobody is fronting since ${formatTime(front.timestamp, zone)}.`,
      }
    },
  },
  {
    name: 'insights',
    summary: 'Show how long and how often each member fronted',
    args: ['SYSTEM'],
    flags: {
      since: { type: 'string', doc: 'Start of the period (default: 30 days before its end)' },
      until: { type: 'string', doc: 'End of the period (default: now)' },
      zone: { type: 'string', doc: 'Time zone of the output (default: the system’s)' },
    },
    async run(call) {
      const { viewer, system } = await resolveSystem(call)
      const deps = call.deps()
      const zone = await chooseZone(call, viewer, system)
      const period = { since: parseTime(call, 'since'), until: parseTime(call, 'until') }
      const totals = await getTotals(deps, viewer, system.hid, period)
      return {
        json: totalsToV2(totals),
        text: describeTotals(totals, system, await namesOf(deps, viewer, system), zone),
      }
    },
  },
]

async function namesOf(deps: Deps, viewer: Viewer, system: System): Promise<Map<string, string>> {
  const members = await listMembers(deps, viewer, system)
  return new Map(members.map(({ hid, name, display_name }) => [hid, display_name ?? name]))
}

function describeTotals(
  { since, until, switches, nobody, members }: Totals,
  { hid, name }: System,
  names: ReadonlyMap<string, string>,
  zone: string,
): string {
  const most = Math.max(...members.map(({ share }) => share))
  const rows = members.map((total) => [
    printable(names.get(total.member) ?? ''),
    total.member,
    formatSeconds(total.time),
    `${(total.share * 100).toFixed(1)} %`,
    bar(total.share / most),
    ...restOf(total, zone),
  ])
  const head = ['MEMBER', 'ID', 'TIME', 'SHARE', '', 'STINTS', 'LONGEST', 'MEDIAN', 'LAST']
  const title = name === null ? hid : `${printable(name)} (${hid})`
  const counted = `${switches} ${switches === 1 ? 'switch' : 'switches'}`
  return [
    `${title}, ${formatTime(since, zone)} to ${formatTime(until, zone)} (${zone})`,
    rows.length > 0 ? columns(alignRight([head, ...rows])) : 'Nobody was in front.',
    nobody > 0 ? `${counted}; nobody was in front for ${formatSeconds(nobody)}.` : `${counted}.`,
  ].join('\n\n')
}

function restOf({ stints, longest, median, last }: MemberTotal, zone: string): string[] {
  return [
    String(stints),
    formatSeconds(longest),
    formatSeconds(median),
    last === null ? 'in front' : formatTime(last, zone),
  ]
}

/** Columns of numbers, which are aligned to the right. */
const RIGHT = [2, 3, 5, 6, 7]

function alignRight(rows: string[][]): string[][] {
  const widths = new Map(
    RIGHT.map((column) => [column, Math.max(...rows.map((row) => row[column]?.length ?? 0))]),
  )
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths.get(column) ?? 0)))
}

const BAR = 16
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws a bar in eighths of a character, at least one. */
function bar(part: number): string {
  const eighths = Math.max(1, Math.round(part * BAR * 8) || 0)
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

function formatSeconds(seconds: number): string {
  return formatDuration(seconds * SECOND)
}

async function chooseZone({ flags, deps }: Call, viewer: Viewer, system: System): Promise<string> {
  const { zone } = flags
  if (typeof zone !== 'string') {
    const { timezone } = await getVisibleSettings(deps(), viewer, system.hid)
    return timezone && isTimezone(timezone) ? timezone : 'UTC'
  }
  if (!isTimezone(zone))
    throw new UsageError('--zone: must be a time zone name such as Europe/Oslo')
  return zone
}

function parseTime({ flags }: Call, name: 'since' | 'until'): Instant | null {
  const text = flags[name]
  if (typeof text !== 'string') return null
  const time = parseInstant(text)
  if (time === null)
    throw new UsageError(`--${name}: must be a time such as 2026-05-01 or 2026-05-01T18:30:00Z`)
  return time
}
