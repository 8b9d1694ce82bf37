import type { Repair } from '../../formats/bundle'
import { extParts, parts, type Tally } from '../../model/transfer/transfer'
import type { ImportReport } from '../../service/transfer/import/importRun'
import { columns } from '../command'

const MAX_LINES = 40

/** Describes the result of an import, most important sections first. */
export function describeReport(report: ImportReport): string {
  const { format, dry_run, system, token, renamed, accounts, kept, skipped } = report
  const { ext, pictures } = report
  const rows = [
    ...parts.map((kind) => [kind, report[kind]] as const),
    ...(ext ? extParts.map((kind) => [kind.replace('_', ' '), ext[kind]] as const) : []),
  ]
  const tallies = rows.map(([name, tally]) => tallyRow(name, tally))
  if (pictures) tallies.push(tallyRow('pictures', { changed: 0, ...pictures }))
  const isUnchanged = rows.every(([, { added, changed }]) => added + changed === 0)
  const repairs = Map.groupBy(report.repairs, kindOf)
  const repairsOf = (kind: ReturnType<typeof kindOf>) => (repairs.get(kind) ?? []).map(formatRepair)
  const sections = [
    `${names[format]} → ${system ? `system ${system}` : 'a new system'}${dry_run ? ' (dry run: nothing was written)' : ''}`,
    ...(repairs.get('file') ?? []).map(({ why }) => why),
    columns([['', 'added', 'changed', 'unchanged', 'left out'], ...tallies]),
    isUnchanged ? 'No member, group or switch changed.' : '',
    section(
      'Chat accounts',
      accounts.map(({ id, linked, why }) => `${id}: ${linked ? 'linked' : 'not linked'} (${why})`),
    ),
    section('Adjusted values', repairsOf('changed')),
    section('Invalid values left out', repairsOf('dropped')),
    section('Values left as they are', repairsOf('kept')),
    section('Rows left out', repairsOf('left out')),
    section(
      'New IDs, because the old ones are taken on this server',
      renamed.map(
        ({ kind, name, from, to }) => `${formatSubject(kind, name)}: ${from} → ${to || 'a new ID'}`,
      ),
    ),
    section('Kept only for export', counts(kept)),
    section('Not imported', counts(skipped)),
    token ? `token  ${token}\n\nKeep the token: it is not shown again.` : '',
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

const names = {
  pluralkit: 'PluralKit',
  tupperbox: 'Tupperbox',
  simplyplural: 'Simply Plural',
  pluralport: 'PluralPort',
}

/**
 * Classifies a repair: a changed, dropped or kept value, a row that was left out, or the whole file.
 */
function kindOf({
  kind,
  left_out,
  was,
  now,
}: Repair): 'file' | 'left out' | 'dropped' | 'changed' | 'kept' {
  if (kind === 'file') return 'file'
  if (left_out !== undefined) return 'left out'
  if (now === null) return 'dropped'
  return now === was ? 'kept' : 'changed'
}

function formatRepair({ kind, name, id, field, was, now, why, left_out }: Repair): string {
  const subject = formatSubject(kind, name, id)
  const old = was === null ? '' : ` ${quoted(was)}`
  const change = now === null || now === was ? old : `${old} → ${quoted(now)}`
  const count = left_out !== undefined && left_out > 1 ? ` (${left_out} rows)` : ''
  return `${subject}, ${field}:${change}${change === '' ? ' ' : ', '}${why}${count}`
}

function formatSubject(kind: string, name: string | null, id?: string): string {
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
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  return [
    `${title}:`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more (use --json for all)`] : []),
  ].join('\n')
}
