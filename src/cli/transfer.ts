import { parseJson } from '../formats/json'
import { exportFrontHistory, exportSystem } from '../service/exporting'
import { type ImportTarget, importFile } from '../service/importing'
import { type ImportPart, type ImportReport, importParts, type Tally } from '../service/importWork'
import { findSystem } from '../service/systems'
import { type Call, type Command, columns, Failure, UsageError } from './command'
import { readImport, STANDARD, writeExport } from './files'
import { namedSystem } from './named'

export const transferCommands: Command[] = [
  {
    name: 'import',
    summary: 'Bring in a file of PluralKit, Tupperbox or Simply Plural; - for standard input',
    args: ['FILE'],
    makesDatabase: (flags) => flags.new === true,
    flags: {
      system: { type: 'string', doc: 'Into this system' },
      new: { type: 'boolean', doc: 'Into a new system, whose token is shown this once' },
      'dry-run': { type: 'boolean', doc: 'Only say what would happen' },
      only: { type: 'string', doc: `Only these of ${importParts.join(',')}` },
      public: {
        type: 'boolean',
        doc: 'Simply Plural: what all friends could see becomes public',
      },
    },
    async run(call) {
      const { flags, config, deps } = call
      const only = readOnly(flags.only)
      const target = await readTarget(call)
      const file = await readImport(call.args[0] ?? '', config.IMPORT_LIMIT)
      const isShown = process.stderr.isTTY && flags.json !== true
      const work = importFile(deps(), file, target, {
        dryRun: flags['dry-run'] === true,
        only,
        isPublic: flags.public === true,
        ...(isShown && { onProgress: showProgress }),
      })
      const report = await work.finally(() => isShown && process.stderr.write(CLEAR_LINE))
      return { json: report, text: describeReport(report) }
    },
  },
  {
    name: 'export',
    summary: 'Write a system to a file that PluralKit takes too',
    args: ['SYSTEM'],
    flags: {
      out: { type: 'string', doc: 'File to write; standard output when left out, or -' },
      force: { type: 'boolean', doc: 'Overwrite the file if there is one' },
      members: { type: 'string', doc: 'Only these members, with commas between' },
      groups: { type: 'string', doc: 'Only these groups with their members' },
      'front-history': { type: 'string', doc: 'The front history instead, as csv or ics' },
    },
    async run(call) {
      const { out, force, members, groups, 'front-history': history } = call.flags
      if (history !== undefined && history !== 'csv' && history !== 'ics')
        throw new UsageError('--front-history: must be csv or ics')
      if (history && (members ?? groups) !== undefined)
        throw new UsageError('--front-history: is of everyone, without --members and --groups')
      const { id, hid } = await namedSystem(call)
      const choice = { members: splitList(members), groups: splitList(groups) }
      const file = history
        ? await exportFrontHistory(call.deps(), id, history)
        : await exportSystem(call.deps(), id, choice)
      if (typeof out === 'string' && out !== STANDARD) {
        writeExport(out, file, force === true)
        return { json: { system: hid, file: out }, text: `System ${hid} is written to ${out}.` }
      }
      // To the byte: a byte order mark at the front stays.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file)
      // Account IDs come out as strings: JavaScript numbers would round them.
      return { json: history ? text : parseJson(text), text: text.replace(/\r\n$/, '') }
    },
  },
]

function readOnly(given: Call['flags'][string]): ReadonlySet<ImportPart> | null {
  const words = splitList(given)
  if (!words) return null
  const wrong = words.filter((word) => !importParts.includes(word as ImportPart))
  if (wrong.length > 0)
    throw new UsageError(
      `--only: there is no ${wrong.join(', ')}; it takes ${importParts.join(',')}`,
    )
  return new Set(words as ImportPart[])
}

async function readTarget({ flags, deps }: Call): Promise<ImportTarget> {
  const { system, new: isNew } = flags
  if ((typeof system === 'string') === (isNew === true))
    throw new UsageError('either --system or --new is needed')
  if (typeof system !== 'string') return 'new'
  const found = await findSystem(deps().db, system)
  if (!found) throw new Failure(`There is no system ${system}.`)
  return { systemId: found.id }
}

function splitList(given: Call['flags'][string]): string[] | null {
  return typeof given === 'string' ? given.split(',').map((part) => part.trim()) : null
}

const BAR = 30
const CLEAR_LINE = '\r\x1b[K'

function showProgress(done: number, total: number): void {
  const filled = Math.round((done / total) * BAR)
  const bar = '█'.repeat(filled).padEnd(BAR, '░')
  process.stderr.write(`\r${bar} ${done} of ${total}`)
}

const MOST_LINES = 40

/** The report in words. */
function describeReport(report: ImportReport): string {
  const { format, dry_run, system, token, repairs, renamed, kept, skipped } = report
  const tallies = (['members', 'groups', 'memberships', 'switches'] as const).map((kind) =>
    tallyRow(kind, report[kind]),
  )
  const isSame = [report.members, report.groups, report.memberships, report.switches].every(
    ({ added, changed }) => added + changed === 0,
  )
  const sections = [
    `${names[format]} → ${system ? `system ${system}` : 'a new system'}${dry_run ? ' (dry run: nothing was written)' : ''}`,
    columns([['', 'added', 'changed', 'unchanged', 'left out'], ...tallies]),
    isSame ? 'No member, group or switch changed.' : '',
    section(
      'Repaired',
      repairs.map(({ kind, name, field, why }) => `${kind} ${name ?? ''} ${field}: ${why}`),
    ),
    section(
      'Renamed, because the ID was not free here',
      renamed.map(({ kind, from, to }) => `${kind} ${from} → ${to}`),
    ),
    section(
      'Kept aside',
      Object.entries(kept).map(([name, count]) => `${name}: ${count}`),
    ),
    section(
      'Left out',
      Object.entries(skipped).map(([name, count]) => `${name}: ${count}`),
    ),
    token ? `token  ${token}\n\nKeep the token: it is not shown again.` : '',
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

const names = { pluralkit: 'PluralKit', tupperbox: 'Tupperbox', simplyplural: 'Simply Plural' }

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
