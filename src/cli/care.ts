import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'
import { backUp, restore, tokensIn } from '../db/backup'
import type { Finding } from '../db/checks'
import { examine, findNotes, repair } from '../db/doctor'
import { refuseInterrupted, statOf } from '../db/leftovers'
import { isOurs, pendingMigrations, unknownMigrations } from '../db/migrate'
import { pathOf } from '../db/open'
import { backUpPacked, withUnpacked } from '../db/pack'
import { explainTrouble, troubleOf } from '../db/trouble'
import { renderFace } from '../wire/v2'
import { type Command, columns, Failure, UsageError } from './command'

const ZSTD = 'zstd'

export const careCommands: Command[] = [
  {
    name: 'backup',
    summary: 'Write a consistent copy of the database, also while the server runs',
    args: ['FILE'],
    flags: {
      compress: { type: 'string', doc: 'Compress it: zstd', choices: [ZSTD] },
    },
    async run({ args: [file = ''], flags, config }) {
      if (flags.compress !== undefined && flags.compress !== ZSTD)
        throw new UsageError(`--compress: must be ${ZSTD}`)
      if (flags.compress === ZSTD) await backUpPacked(config.DATABASE_URL, file)
      else backUp(config.DATABASE_URL, file)
      return { json: { backup: file }, text: `The database is copied to ${file}.` }
    },
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of the database, which is kept aside',
    args: ['FILE'],
    destroys: true,
    async run({ args: [file = ''], config, confirm }) {
      await confirm(`Put ${file} in the place of ${config.DATABASE_URL}?`)
      const url = config.DATABASE_URL
      const aside = await withUnpacked(url, file, (plain) => restore(url, plain, new Date()))
      const tokens = tokensIn(config.DATABASE_URL)
      return {
        json: { restored: file, aside, tokens },
        text: `${file} is restored.${aside ? ` The old database is kept as ${aside}.` : ''}${describeTokens(tokens)}`,
      }
    },
  },
  {
    name: 'doctor',
    summary: 'Look for damage in the database',
    flags: { fix: { type: 'boolean', doc: 'Repair what can be repaired' } },
    async run({ flags, config }) {
      const database = openAsItIs(pathOf(config.DATABASE_URL), flags.fix === true)
      try {
        const before = examine(database, renderFace)
        const left = flags.fix === true && before.length > 0 ? repair(database, renderFace) : before
        const fixed = Math.max(before.length - left.length, 0)
        const isReadable = left.every(({ fix }) => fix !== undefined)
        const notes = isReadable ? findNotes(database) : []
        const json = { ok: left.length === 0, fixed, problems: left.map(show), notes }
        const repaired =
          fixed > 0 ? ` ${fixed} ${fixed > 1 ? 'problems were' : 'problem was'} repaired.` : ''
        if (left.length === 0)
          return { json, text: `The database is whole.${repaired}${describeNotes(notes)}` }
        // Scripts get their value too, though the command fails.
        if (flags.json === true) await Bun.write(Bun.stdout, `${JSON.stringify(json)}\n`)
        const advice = flags.fix !== true && left.some(({ fix }) => fix)
        throw new Failure(
          describeFindings(left, advice ? 'Run it with --fix to repair.' : repaired) +
            describeNotes(notes),
        )
      } finally {
        database.close()
      }
    },
  },
]

/** Not migrated first: what is broken must be looked at as it is. */
function openAsItIs(path: string, isToFix: boolean): Database {
  let database: Database | undefined
  try {
    refuseInterrupted(path)
    if (!statOf(path)) throw new Failure(`There is no database ${path}.`)
    database = openToLook(path, isToFix)
    if (!isOurs(database)) throw new Failure(`${path} is not a Multitude database.`)
    if (unknownMigrations(database).length > 0)
      throw new Failure(`${path} was made by a newer Multitude; update this program.`)
    if (pendingMigrations(database).length > 0)
      throw new Failure(`${path} was made by an older Multitude; run "multitude migrate" first.`)
    return database
  } catch (cause) {
    database?.close()
    const trouble = troubleOf(path, cause)
    if (trouble === 'foreign')
      throw new Failure(`${path} is not a database, or its beginning is damaged: restore a backup.`)
    if (trouble === 'damaged')
      throw new Failure(`${path} is damaged beyond reading: restore a backup.`)
    throw explainTrouble(path, cause) ?? cause
  }
}

/** Also where nothing can be written, as long as all of it lies in the one file. */
function openToLook(path: string, isToFix: boolean): Database {
  try {
    const database = new Database(path, { readwrite: true })
    database.run('PRAGMA busy_timeout = 5000')
    isOurs(database)
    if (isToFix) database.run('BEGIN IMMEDIATE; ROLLBACK')
    return database
  } catch (cause) {
    const trouble = troubleOf(path, cause)
    const isWhole = (statOf(`${path}-wal`)?.size ?? 0) === 0
    const isKeptFromWriting = ['readonly', 'forbidden', 'full'].includes(trouble ?? '')
    if (isToFix || !isWhole || !isKeptFromWriting) throw cause
    // SQLite asks for no lock and no log of what it is told will not change.
    const { href } = pathToFileURL(path)
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
    return new Database(`${href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }
}

function show({ check, problem, fix }: Finding) {
  return { check, problem, fixable: fix !== undefined }
}

function describeNotes(notes: string[]): string {
  return notes.length === 0 ? '' : ['\n\nWorth a look:', ...notes].join('\n  ')
}

function describeFindings(findings: Finding[], last: string): string {
  const lines = findings.map(
    ({ check, problem, fix }) => `  ${check}: ${problem}${fix ? '' : ' (needs a backup)'}`,
  )
  return ['Problems were found:', ...lines, last.trim()].filter((line) => line !== '').join('\n')
}

/** Named, because one that was revoked since works again. */
function describeTokens(tokens: readonly { system: string; name: string }[]): string {
  const sessions = '\n\nAll browsers are logged out, and login links are gone.'
  if (tokens.length === 0) return sessions
  const rows = columns(tokens.map(({ system, name }) => [system, name]))
  return `${sessions} These tokens work as they did then, also those that were revoked since:\n${rows}`
}
