import { serverOptions } from '../../app/app'
import type { Finding } from '../../db/finding'
import { openStorage } from '../../db/open'
import { isServerAddress } from '../../db/postgres/address'
import { operator } from '../../model/core/privacy'
import { hidePassword } from '../../runtime/config/config'
import { renderRowJson } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { countSystems } from '../../service/systems/systems'
import { type Command, columns, Failure, UsageError } from '../command'
import { findAddressProblem } from '../database'
import { countOf } from '../format'
import { watchProgress } from '../progress'

const ZSTD = 'zstd'

export const maintenanceCommands: Command[] = [
  {
    name: 'backup',
    summary: 'Back up the database to a file; the server may be running',
    args: ['FILE'],
    flags: {
      compress: {
        type: 'string',
        doc: 'Compression of the file: zstd (default: none)',
        choices: [ZSTD],
      },
    },
    async run({ args: [file = ''], config, flags }) {
      if (flags.compress !== undefined && flags.compress !== ZSTD)
        throw new UsageError(`--compress: must be ${ZSTD}`)
      const { onProgress, end } = watchProgress(flags.json === true)
      const isCompressed = flags.compress === ZSTD
      // Imported on demand, like all modules of single commands, so that the program starts faster.
      const { makeBackup } = await import('../../db/backup/backup')
      await makeBackup(
        config.DATABASE_URL,
        file,
        isCompressed,
        serverOptions(config),
        onProgress,
      ).finally(end)
      return { json: { backup: file }, text: `Database backed up to ${file}.` }
    },
  },
  {
    name: 'restore',
    summary: 'Replace the database with a backup; the old database is kept',
    args: ['FILE'],
    isDestructive: true,
    async run({ args: [file = ''], config, flags, confirm }) {
      const { DATABASE_URL } = config
      const isServer = isServerAddress(DATABASE_URL)
      await confirm(
        `Restore ${file} to ${hidePassword(DATABASE_URL)}?`,
        isServer
          ? 'this writes to the database'
          : 'this replaces the database (the old one is kept in the same directory)',
      )
      const { onProgress, end } = watchProgress(flags.json === true)
      const { restoreBackup } = await import('../../db/backup/backup')
      const { previous, tokens } = await restoreBackup(
        DATABASE_URL,
        file,
        serverOptions(config),
        onProgress,
      ).finally(end)
      return {
        json: { restored: file, aside: previous, tokens },
        text: `Restored ${file}.${previous ? ` The old database is kept as ${previous}.` : ''}${describeTokens(tokens)}`,
      }
    },
  },
  {
    name: 'copy',
    summary: 'Copy all data to another, empty database, such as PostgreSQL',
    args: ['TO'],
    async run({ args: [to = ''], config, flags, deps }) {
      const problem = findAddressProblem(to)
      if (problem !== null) throw new UsageError(problem)
      const from = deps()
      // Fails before the target is created if the source cannot be read.
      await countSystems(from, operator)
      const { onProgress, end } = watchProgress(flags.json === true)
      const target = openStorage(to, {
        durability: config.DURABILITY,
        use: 'create',
        server: serverOptions(config),
      })
      try {
        await target.ready
        const { copyDatabase } = await import('../../db/backup/copyDatabase')
        const rows = await copyDatabase(from, target, onProgress).finally(end)
        return {
          json: { copied: target.location, rows },
          text: `Copied and verified ${countOf(rows, 'row')} to ${target.location}.`,
        }
      } finally {
        await target.close()
      }
    },
  },
  {
    name: 'doctor',
    summary: 'Check the database for damage and inconsistencies',
    flags: {
      fix: { type: 'boolean', doc: 'Repair the problems that can be repaired' },
      'new-push-key': {
        type: 'boolean',
        doc: 'Replace the key for push notifications, which every browser must then turn on again',
      },
    },
    async run({ flags, config, deps }) {
      if (flags['new-push-key'] === true) return replaceKey(deps())
      const isToFix = flags.fix === true
      const { openInspector } = await import('../../doctor/inspect')
      const inspector = await openInspector(
        config.DATABASE_URL,
        isToFix,
        renderRowJson,
        serverOptions(config),
      )
      try {
        const before = await inspector.inspect()
        const remaining = isToFix && before.length > 0 ? await inspector.repair() : before
        const fixed = Math.max(before.length - remaining.length, 0)
        const notes = remaining.some(isUnfixable) ? [] : await inspector.findWarnings()
        const json = { ok: remaining.length === 0, fixed, problems: remaining.map(toJson), notes }
        const repaired = fixed > 0 ? `${fixed} ${fixed > 1 ? 'problems' : 'problem'} repaired.` : ''
        if (remaining.length === 0)
          return { json, text: `${repaired || 'No problems found.'}${describeWarnings(notes)}` }
        const advice = !isToFix && remaining.some(({ fix }) => fix)
        throw new Failure(
          describeFindings(
            remaining,
            advice ? 'Run "multitude doctor --fix" to repair them.' : repaired,
          ) + describeWarnings(notes),
          json,
        )
      } finally {
        await inspector.close()
      }
    },
  },
]

async function replaceKey(deps: Deps) {
  const { replacePushKey } = await import('../../service/push/replacePushKey')
  const targets = await replacePushKey(deps, operator)
  return {
    json: { targets },
    text: `Replaced the push key and deleted ${countOf(targets, 'push target')}. People turn notifications on again in their browsers.`,
  }
}

/** Returns true if only a backup helps. The rest of such a database cannot be trusted. */
function isUnfixable({ fix, remedy }: Finding): boolean {
  return fix === undefined && remedy === undefined
}

function toJson({ check, problem, fix }: Finding) {
  return { check, problem, fixable: fix !== undefined }
}

function describeWarnings(notes: string[]): string {
  return notes.length === 0 ? '' : ['\n\nWarnings:', ...notes].join('\n  ')
}

function describeFindings(findings: Finding[], last: string): string {
  const lines = findings.map(
    ({ check, problem, fix, remedy = 'restore a backup' }) =>
      `  ${check}: ${problem}${fix ? '' : ` (${remedy})`}`,
  )
  return ['Problems found:', ...lines, last].filter((line) => line !== '').join('\n')
}

/** Lists the restored tokens, because tokens that were revoked after the backup are valid again. */
function describeTokens(tokens: readonly { system: string; name: string }[]): string {
  const sessions = '\n\nAll browsers are logged out, and login links are invalid.'
  if (tokens.length === 0) return sessions
  const rows = columns(tokens.map(({ system, name }) => [system, name]))
  return `${sessions} These tokens are valid, including any that were revoked after the backup:\n${rows}`
}
