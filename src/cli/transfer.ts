import { parseJson } from '../formats/json'
import { operator, type Viewer } from '../model/privacy'
import { type ImportPart, importParts } from '../model/transfer'
import { exportFrontHistory, exportSystem } from '../service/transfer/export'
import { importFile, importNewSystem } from '../service/transfer/import'
import { type Call, type Command, Failure, UsageError } from './command'
import { readImport, STANDARD, writeExport } from './files'
import { describeReport } from './importReport'
import { watchProgress } from './progress'
import { resolveSystem } from './resolveSystem'

export const transferCommands: Command[] = [
  {
    name: 'import',
    summary: 'Bring in a file of PluralKit, Tupperbox or Simply Plural; - for standard input',
    args: ['FILE'],
    database: (flags) => {
      if (flags.new !== true) return 'require'
      return flags['dry-run'] === true ? 'rehearse' : 'create'
    },
    flags: {
      system: { type: 'string', doc: 'Into this system' },
      new: { type: 'boolean', doc: 'Into a new system, whose token is shown this once' },
      'dry-run': { type: 'boolean', doc: 'Only say what would happen' },
      only: {
        type: 'string',
        doc: `Only these of ${importParts.join(',')}`,
        choices: importParts,
      },
      public: {
        type: 'boolean',
        doc: 'Simply Plural: what all friends could see becomes public',
      },
      'no-accounts': { type: 'boolean', doc: 'Link none of the chat accounts that the file names' },
      yes: { type: 'boolean', doc: 'Make a second copy of a system that is here already' },
    },
    requires: [['system', 'new']],
    async run(call) {
      const { flags, config, deps } = call
      const only = parseOnly(flags.only)
      const target = await parseTarget(call)
      const file = await readImport(call.args[0] ?? '', config.IMPORT_LIMIT)
      const progress = watchProgress(flags.json === true)
      const options = {
        dryRun: flags['dry-run'] === true,
        only,
        isPublic: flags.public === true,
        // Whoever runs commands here may vouch for anybody.
        link: flags['no-accounts'] === true ? new Set<string>() : ('all' as const),
        allowsCopy: flags.yes === true,
        onProgress: progress.onProgress,
      }
      const work =
        target === 'new'
          ? importNewSystem(deps(), operator, file, options)
          : importFile(deps(), target, file, options)
      const report = await work.finally(progress.end)
      return { json: report, text: describeReport(report) }
    },
  },
  {
    name: 'export',
    summary: 'Write a system to a file that PluralKit takes too',
    args: ['SYSTEM'],
    flags: {
      out: {
        type: 'string',
        doc: 'File to write; standard output when left out, or -',
        isPath: true,
      },
      force: { type: 'boolean', doc: 'Overwrite the file if there is one' },
      members: { type: 'string', doc: 'Only these members, with commas between' },
      groups: { type: 'string', doc: 'Only these groups with their members' },
      'front-history': {
        type: 'string',
        doc: 'The front history instead, as csv or ics',
        choices: ['csv', 'ics'],
      },
    },
    async run(call) {
      const { out, force, members, groups, 'front-history': history } = call.flags
      if (history !== undefined && history !== 'csv' && history !== 'ics')
        throw new UsageError('--front-history: must be csv or ics')
      if (history && (members ?? groups) !== undefined)
        throw new UsageError('--front-history: is of everyone, without --members and --groups')
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      const choice = { members: splitList(members), groups: splitList(groups) }
      const write = (part: number) =>
        history
          ? exportFrontHistory(call.deps(), viewer, history).then((file) => ({
              file,
              hasMore: false,
            }))
          : exportSystem(call.deps(), viewer, choice, part)
      if (typeof out === 'string' && out !== STANDARD) {
        const files: string[] = []
        for (let part = 1, hasMore = true; hasMore; part++) {
          const made = await write(part)
          const name = part === 1 ? out : `${out}-${part}`
          writeExport(name, made.file, force === true)
          files.push(name)
          hasMore = made.hasMore
        }
        return {
          json: { system: hid, file: out, files },
          text: `System ${hid} is written to ${files.join(', ')}.`,
        }
      }
      const { file, hasMore } = await write(1)
      if (hasMore)
        throw new Failure('The history is too long for one file: use --out, which writes several.')
      // To the byte: a byte order mark at the front stays.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file)
      // Account IDs come out as strings: JavaScript numbers would round them.
      return { json: history ? text : parseJson(text), text: text.replace(/\r\n$/, '') }
    },
  },
]

function parseOnly(given: Call['flags'][string]): ReadonlySet<ImportPart> | null {
  const words = splitList(given)
  if (!words) return null
  const wrong = words.filter((word) => !importParts.includes(word as ImportPart))
  if (wrong.length > 0)
    throw new UsageError(
      `--only: there is no ${wrong.join(', ')}; it takes ${importParts.join(',')}`,
    )
  return new Set(words as ImportPart[])
}

/** The operator as the system that is to have it, if it is here already. */
async function parseTarget(call: Call): Promise<Viewer | 'new'> {
  const { system } = call.flags
  if (typeof system !== 'string') return 'new'
  const { viewer } = await resolveSystem(call, system)
  return viewer
}

function splitList(given: Call['flags'][string]): string[] | null {
  return typeof given === 'string' ? given.split(',').map((part) => part.trim()) : null
}
