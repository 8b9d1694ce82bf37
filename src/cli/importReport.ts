import type { Repair } from '../formats/bundle'
import { parts, type Tally } from '../model/transfer'
import type { ImportReport } from '../service/transfer/importContext'
import { columns } from './command'

const MOST_LINES = 40

/** What an import did, in words: what people must know comes first. */
export function describeReport(report: ImportReport): string {
  const { format, dry_run, system, token, renamed, accounts, kept, skipped } = report
  const tallies = parts.map((kind) => tallyRow(kind, report[kind]))
  const isSame = [report.members, report.groups, report.memberships, report.switches].every(
    ({ added, changed }) => added + changed === 0,
  )
  const repairs = Map.groupBy(report.repairs, kindOf)
  const told = (kind: ReturnType<typeof kindOf>) => (repairs.get(kind) ?? []).map(formatRepair)
  const sections = [
    `${names[format]} → ${system ? `system ${system}` : 'a new system'}${dry_run ? ' (dry run: nothing was written)' : ''}`,
    ...(repairs.get('file') ?? []).map(({ why }) => why),
    columns([['', 'added', 'changed', 'unchanged', 'left out'], ...tallies]),
    isSame ? 'No member, group or switch changed.' : '',
    section(
      'Chat accounts',
      accounts.map(({ id, linked, why }) => `${id}: ${linked ? 'linked' : 'not linked'} (${why})`),
    ),
    section('Changed to fit', told('changed')),
    section('Values that could not be taken', told('dropped')),
    section('Rows left out', told('left out')),
    section(
      'New IDs, because the old ones are not free here',
      renamed.map(
        ({ kind, name, from, to }) => `${named(kind, name)}: ${from} → ${to || 'a new one'}`,
      ),
    ),
    section('Kept aside, and exported again', counts(kept)),
    section('Not kept', counts(skipped)),
    token ? `token  ${token}\n\nKeep the token: it is not shown again.` : '',
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

const names = { pluralkit: 'PluralKit', tupperbox: 'Tupperbox', simplyplural: 'Simply Plural' }

/** A value that was mended, one that was dropped, a row that did not come in, or all of the file. */
function kindOf({ kind, left_out, now }: Repair): 'file' | 'left out' | 'dropped' | 'changed' {
  if (kind === 'file') return 'file'
  if (left_out !== undefined) return 'left out'
  return now === null ? 'dropped' : 'changed'
}

function formatRepair({ kind, name, id, field, was, now, why, left_out }: Repair): string {
  const who = named(kind, name, id)
  const old = was === null ? '' : ` ${quoted(was)}`
  const change = now === null ? old : `${old} → ${quoted(now)}`
  const many = left_out !== undefined && left_out > 1 ? ` (${left_out} rows)` : ''
  return `${who}, ${field}:${change}${change === '' ? ' ' : ', '}${why}${many}`
}

function named(kind: string, name: string | null, id?: string): string {
  return [kind, name, id && `(${id})`].filter(Boolean).join(' ')
}

function quoted(value: unknown): string {
  return JSON.stringify(value)
}

function counts(tally: Readonly<Record<string, number>>): string[] {
  return Object.entries(tally).map(([name, count]) => `${name}: ${count}`)
}

function tallyRow(kind: string, { added, changed, unchanged, left_out }: Tally): string[] {
  return [kind, ...[added, changed, unchanged, left_out].map(String)]
}

function section(title: string, lines: string[]): string {
  if (lines.length === 0) return ''
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  return [
    `${title}:`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more (--json lists all)`] : []),
  ].join('\n')
}
