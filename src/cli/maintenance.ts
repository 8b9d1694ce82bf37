import { serverOptions } from '../app'
import { hidePassword } from '../config'
import type { Finding } from '../db/consistencyChecks'
import { openStorage } from '../db/open'
import { isServerAddress } from '../db/postgres/address'
import { operator } from '../model/privacy'
import { renderRowJson } from '../serializers/v2'
import { countSystems } from '../service/systems'
import { type Command, columns, Failure, UsageError } from './command'
import { findAddressProblem } from './database'
import { watchProgress } from './progress'

const ZSTD = 'zstd'

export const maintenanceCommands: Command[] = [
  {
    name: 'backup',
    summary: 'Write a consistent copy of the database, also while the server runs',
    args: ['FILE'],
    flags: {
      compress: { type: 'string', doc: 'Compress it: zstd', choices: [ZSTD] },
    },
    async run({ args: [file = ''], config, flags }) {
      if (flags.compress !== undefined && flags.compress !== ZSTD)
        throw new UsageError(`--compress: must be ${ZSTD}`)
      const { onProgress, end } = watchProgress(flags.json === true)
      const isPacked = flags.compress === ZSTD
      // As for all that only some commands need: every start would wait for it.
      const { makeBackup } = await import('../db/backup')
      await makeBackup(
        config.DATABASE_URL,
        file,
        isPacked,
        serverOptions(config),
        onProgress,
      ).finally(end)
      return { json: { backup: file }, text: `The database is copied to ${file}.` }
    },
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of the database, which is kept aside',
    args: ['FILE'],
    isDestructive: true,
    async run({ args: [file = ''], config, flags, confirm }) {
      const { DATABASE_URL } = config
      const isServer = isServerAddress(DATABASE_URL)
      await confirm(
        `Put ${file} in the place of ${hidePassword(DATABASE_URL)}?`,
        isServer
          ? 'this fills the database'
          : 'this replaces the database (the old one is kept beside it)',
      )
      const { onProgress, end } = watchProgress(flags.json === true)
      const { restoreBackup } = await import('../db/backup')
      const { previous, tokens } = await restoreBackup(
        DATABASE_URL,
        file,
        serverOptions(config),
        onProgress,
      ).finally(end)
      return {
        json: { restored: file, aside: previous, tokens },
        text: `${file} is restored.${previous ? ` The old database is kept as ${previous}.` : ''}${describeTokens(tokens)}`,
      }
    },
  },
  {
    name: 'copy',
    summary: 'Copy everything into another, empty database of either kind',
    args: ['TO'],
    async run({ args: [to = ''], config, flags, deps }) {
      const problem = findAddressProblem(to)
      if (problem !== null) throw new UsageError(problem)
      const from = deps()
      // Nothing is made where there is nothing to copy.
      await countSystems(from, operator)
      const { onProgress, end } = watchProgress(flags.json === true)
      const target = openStorage(
        to,
        config.DURABILITY,
        undefined,
        undefined,
        'create',
        serverOptions(config),
      )
      try {
        await target.ready
        const { copyDatabase } = await import('../db/copyDatabase')
        const rows = await copyDatabase(from, target, onProgress).finally(end)
        return {
          json: { copied: target.location, rows },
          text: `Everything is copied to ${target.location}: ${rows} rows, each compared.`,
        }
      } finally {
        await target.close()
      }
    },
  },
  {
    name: 'doctor',
    summary: 'Look for damage in the database',
    flags: { fix: { type: 'boolean', doc: 'Repair what can be repaired' } },
    async run({ flags, config }) {
      const isToFix = flags.fix === true
      const { openInspector } = await import('../db/inspect')
      const patient = await openInspector(
        config.DATABASE_URL,
        isToFix,
        renderRowJson,
        serverOptions(config),
      )
      try {
        const before = await patient.inspect()
        const left = isToFix && before.length > 0 ? await patient.repair() : before
        const fixed = Math.max(before.length - left.length, 0)
        const notes = left.some(isUnfixable) ? [] : await patient.findWarnings()
        const json = { ok: left.length === 0, fixed, problems: left.map(show), notes }
        const repaired =
          fixed > 0 ? ` ${fixed} ${fixed > 1 ? 'problems were' : 'problem was'} repaired.` : ''
        if (left.length === 0)
          return { json, text: `The database is whole.${repaired}${describeWarnings(notes)}` }
        const advice = !isToFix && left.some(({ fix }) => fix)
        throw new Failure(
          describeFindings(left, advice ? 'Run it with --fix to repair.' : repaired) +
            describeWarnings(notes),
          // Scripts get their value too, though the command fails.
          json,
        )
      } finally {
        await patient.close()
      }
    },
  },
]

/** Where only a backup helps, what there is cannot be trusted. */
function isUnfixable({ fix, remedy }: Finding): boolean {
  return fix === undefined && remedy === undefined
}

function show({ check, problem, fix }: Finding) {
  return { check, problem, fixable: fix !== undefined }
}

function describeWarnings(notes: string[]): string {
  return notes.length === 0 ? '' : ['\n\nWorth a look:', ...notes].join('\n  ')
}

function describeFindings(findings: Finding[], last: string): string {
  const lines = findings.map(
    ({ check, problem, fix, remedy = 'needs a backup' }) =>
      `  ${check}: ${problem}${fix ? '' : ` (${remedy})`}`,
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
