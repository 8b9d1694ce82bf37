import { join } from 'node:path'
import { parseJson } from '../../formats/json'
import { operator, type Viewer } from '../../model/core/privacy'
import type { ExportPosition } from '../../model/transfer/exportPosition'
import { allImportParts, exportFormats, exportLists } from '../../model/transfer/transfer'
import { exportPictures } from '../../service/pictures/pictures'
import {
  type ExportPart,
  exportFrontHistory,
  exportSystem,
} from '../../service/transfer/export/export'
import { importFile, importNewSystem } from '../../service/transfer/import/import'
import type { PictureFiles } from '../../service/transfer/import/importRun'
import { type Call, type Command, Failure, UsageError } from '../command'
import { createFolder, openPictureFolder, readImport, STANDARD, writeExport } from '../files'
import { countOf } from '../format'
import { watchProgress } from '../progress'
import { describeReport } from './importReport'
import { resolveSystem } from './resolveSystem'

export const transferCommands: Command[] = [
  {
    name: 'import',
    summary: 'Import a PluralKit, Tupperbox, Simply Plural or PluralPort file (- for stdin)',
    args: ['FILE'],
    database: (flags) => {
      if (flags.new !== true) return 'require'
      return flags['dry-run'] === true ? 'rehearse' : 'create'
    },
    takesSettings: ['DATABASE_URL', 'PUBLIC_URL'],
    flags: {
      system: { type: 'string', doc: 'Import into this system' },
      new: { type: 'boolean', doc: 'Import into a new system and print its token' },
      'dry-run': { type: 'boolean', doc: 'Show the result without writing anything' },
      only: {
        type: 'string',
        doc: `Import only these parts: ${allImportParts.join(',')}`,
        choices: allImportParts,
      },
      public: {
        type: 'boolean',
        doc: 'Simply Plural: make public what all friends could see',
      },
      private: {
        type: 'boolean',
        doc: 'Make everything in the file private, whatever its privacy levels are',
      },
      pictures: {
        type: 'string',
        doc: 'Also store the pictures in this folder, which export --pictures wrote',
        isPath: true,
      },
      'no-accounts': { type: 'boolean', doc: 'Do not link the chat accounts in the file' },
      yes: { type: 'boolean', doc: 'Import a second copy of a system that already exists' },
    },
    requires: [['system', 'new']],
    async run(call) {
      const { flags, config, deps } = call
      const only = parseWords('only', flags.only, allImportParts)
      if (flags.public === true && flags.private === true)
        throw new UsageError('--private: cannot be combined with --public')
      const pictures = parseFolder(flags.pictures, config.PUBLIC_URL)
      const target = await parseTarget(call)
      const file = await readImport(call.args[0] ?? '', config.IMPORT_LIMIT)
      const progress = watchProgress(flags.json === true)
      const options = {
        dryRun: flags['dry-run'] === true,
        only,
        isPublic: flags.public === true,
        isPrivate: flags.private === true,
        // The operator may link any account.
        link: flags['no-accounts'] === true ? new Set<string>() : ('all' as const),
        allowsCopy: flags.yes === true,
        ...(pictures && { pictures }),
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
    summary: 'Export a system to a file that PluralKit can import',
    args: ['SYSTEM'],
    flags: {
      out: {
        type: 'string',
        doc: 'File to write (default: -, standard output)',
        isPath: true,
      },
      force: { type: 'boolean', doc: 'Overwrite an existing file' },
      format: {
        type: 'string',
        doc: 'Format of the file: pluralkit (default) or pluralport',
        choices: exportFormats,
      },
      members: { type: 'string', doc: 'Export only these members, separated by commas' },
      groups: {
        type: 'string',
        doc: 'Export only these groups and their members, separated by commas',
      },
      with: {
        type: 'string',
        doc: `With --members or --groups: also export these: ${exportLists.join(',')}`,
        choices: exportLists,
      },
      'front-history': {
        type: 'string',
        doc: 'Export only the front history, as csv or ics',
        choices: ['csv', 'ics'],
      },
      pictures: {
        type: 'boolean',
        doc: 'With --out: also write the pictures, into a folder beside the file',
      },
    },
    async run(call) {
      const { out, force, members, groups, 'front-history': history } = call.flags
      if (history !== undefined && history !== 'csv' && history !== 'ics')
        throw new UsageError('--front-history: must be csv or ics')
      if (history && (members ?? groups) !== undefined)
        throw new UsageError('--front-history: cannot be combined with --members or --groups')
      const format = exportFormats.find((name) => name === (call.flags.format ?? 'pluralkit'))
      if (!format) throw new UsageError(`--format: must be ${exportFormats.join(' or ')}`)
      if (history && call.flags.format !== undefined)
        throw new UsageError('--front-history: cannot be combined with --format')
      const isWithPictures = call.flags.pictures === true
      if (isWithPictures && (typeof out !== 'string' || out === STANDARD))
        throw new UsageError('--pictures: needs --out with the name of a file')
      if (isWithPictures && (history ?? members ?? groups) !== undefined)
        throw new UsageError('--pictures: only for the export of a whole system')
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      const choice = {
        format,
        members: splitList(members),
        groups: splitList(groups),
        with: parseWords('with', call.flags.with, exportLists),
      }
      const write = async (position?: ExportPosition) =>
        history
          ? { file: await exportFrontHistory(call.deps(), viewer, history), next: null }
          : exportSystem(call.deps(), viewer, choice, position)
      if (typeof out === 'string' && out !== STANDARD) {
        const files: string[] = []
        for (let position: ExportPosition | undefined | null; position !== null; ) {
          const { file, next }: ExportPart = await write(position)
          const name = position ? `${out}-${position.part}` : out
          writeExport(name, file, force === true)
          files.push(name)
          position = next
        }
        const text = `Exported system ${hid} to ${files.join(', ')}.`
        if (!isWithPictures) return { json: { system: hid, file: out, files }, text }
        const folder = pictureFolderOf(out)
        const pictures = await writePictures(exportPictures(call.deps(), viewer), folder)
        return {
          json: { system: hid, file: out, files, pictures: { folder, files: pictures } },
          text: `${text}\nWrote ${countOf(pictures.length, 'picture')} to ${folder}.`,
        }
      }
      const { file, next } = await write()
      if (next)
        throw new Failure('The system is too large for one file; use --out, which writes several.')
      // Keeps a byte order mark.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file)
      // Account IDs become strings, because JavaScript numbers would round them.
      return { json: history ? text : parseJson(text), text: text.replace(/\r\n$/, '') }
    },
  },
]

/** Parses a comma-separated list of known words. */
function parseWords<Word extends string>(
  flag: string,
  text: Call['flags'][string],
  allowed: readonly Word[],
): ReadonlySet<Word> | null {
  const words = splitList(text)
  if (!words) return null
  const wrong = words.filter((word) => !allowed.some((allowedWord) => allowedWord === word))
  if (wrong.length > 0)
    throw new UsageError(
      `--${flag}: unknown part ${wrong.join(', ')}; valid parts are ${allowed.join(',')}`,
    )
  return new Set(allowed.filter((word) => words.includes(word)))
}

/** Opens the folder with the pictures of a file. */
function parseFolder(folder: Call['flags'][string], publicUrl: string): PictureFiles | null {
  if (typeof folder !== 'string') return null
  if (publicUrl === '')
    throw new UsageError('--pictures: needs PUBLIC_URL, the address that the pictures get')
  return openPictureFolder(folder)
}

/** Resolves the system to import into, with the operator as its owner. */
async function parseTarget(call: Call): Promise<Viewer | 'new'> {
  const { system } = call.flags
  if (typeof system !== 'string') return 'new'
  const { viewer } = await resolveSystem(call, system)
  return viewer
}

/** Folder beside an export file, named after it. */
function pictureFolderOf(out: string): string {
  return `${out.replace(/\.json$/i, '')}-pictures`
}

/** Writes pictures one at a time and returns the names of their files. */
async function writePictures(
  pictures: ReturnType<typeof exportPictures>,
  folder: string,
): Promise<string[]> {
  const names: string[] = []
  createFolder(folder)
  for await (const { file, bytes } of pictures) {
    // The random name of a picture is never used again: a file of this name has the same bytes.
    writeExport(join(folder, file), bytes, true)
    names.push(file)
  }
  return names
}

function splitList(text: Call['flags'][string]): string[] | null {
  return typeof text === 'string' ? text.split(',').map((part) => part.trim()) : null
}
