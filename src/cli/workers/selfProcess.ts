import { realpathSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { envNames, isSecret, type SettingName, settings } from '../../runtime/config/config'

/** Command that runs this program again: the executable, or Bun with the source. */
export function selfCommand(): string[] {
  const [, script = ''] = process.argv
  if (isExecutable()) return [process.execPath]
  // Otherwise Bun would load `.env` into the environment, which takes precedence over other files.
  return [process.execPath, '--no-env-file', script]
}

/**
 * Environment of a child process of this program: that of this process, and settings that must not
 * be on its command line, which every user of the machine can read.
 */
export function selfEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...settings }
}

/** Environment of an external program: without access to the database and the service manager. */
export function childEnvironment(): Record<string, string | undefined> {
  const names = Object.keys(settings) as SettingName[]
  const confidential = names.filter((name) => isSecret(name) || name === 'DATABASE_URL')
  const removed = new Set([...confidential.flatMap(envNames), 'NOTIFY_SOCKET'])
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !removed.has(name) && !name.startsWith('WATCHDOG_'),
    ),
  )
}

export function isExecutable(): boolean {
  return Bun.isStandaloneExecutable
}

/** Command line of this program for a shell, with the program named as it was started. */
export function shellQuoted(...args: string[]): string {
  return [...startedCommand(), ...args].map(quoted).join(' ')
}

/** Prefix of a command that must run as the user of this process; empty for root. */
export function asThisUser(): string[] {
  if (process.getuid?.() === 0) return []
  try {
    // Bun reads the name from the environment, which may name another user.
    const name = Bun.spawnSync(['id', '-un']).stdout.toString().trim()
    return name === '' ? [] : ['sudo', '-u', name]
  } catch {
    return []
  }
}

function startedCommand(): string[] {
  const { argv0, execPath, execArgv } = process
  if (isExecutable()) {
    const name = basename(execPath)
    return [isOnPath(name, execPath) ? name : argv0]
  }
  const [, script = ''] = process.argv
  const nearby = relative(process.cwd(), script)
  // A Bun that npm installed is only on the PATH of npm scripts.
  const isFromNpm = basename(argv0) === argv0 && execPath.split(sep).includes('node_modules')
  return [
    ...(isFromNpm ? ['npx', argv0] : [argv0]),
    ...execArgv.filter((flag) => flag !== '--watch'),
    nearby.startsWith('..') ? script : nearby,
  ]
}

function isOnPath(name: string, file: string): boolean {
  const path = Bun.which(name)
  return path !== null && realpathSync(path) === realpathSync(file)
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
