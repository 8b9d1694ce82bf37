import { realpathSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { envNames, isSecret, type SettingName, settings } from '../config'

/** How this very program was called: the executable, or the source through Bun. */
export function selfCommand(): string[] {
  const [, script = ''] = process.argv
  if (isExecutable()) return [process.execPath]
  // Else Bun would pass `.env` off as the environment, which outweighs other files.
  return [process.execPath, '--no-env-file', script]
}

/**
 * What another of this program gets from its surroundings: the same as this one, and settings that
 * nobody else may read, as anybody could on its command line.
 */
export function selfEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...settings }
}

/** What somebody else's program gets: not the way to the data, nor to whoever supervises this one. */
export function childEnvironment(): Record<string, string | undefined> {
  const names = Object.keys(settings) as SettingName[]
  const own = names.filter((name) => isSecret(name) || name === 'DATABASE_URL')
  const kept = new Set([...own.flatMap(envNames), 'NOTIFY_SOCKET'])
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !kept.has(name) && !name.startsWith('WATCHDOG_'),
    ),
  )
}

export function isExecutable(): boolean {
  return Bun.isStandaloneExecutable
}

/** A command line of this program, called as it was started, to be pasted into a shell. */
export function shellQuoted(...args: string[]): string {
  return [...startedCommand(), ...args].map(quoted).join(' ')
}

/** Words in front of a command that only the user of this process may run; none for root. */
export function asThisUser(): string[] {
  if (process.getuid?.() === 0) return []
  try {
    // Bun takes the name from the environment, where it may be another user's.
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
  // A runtime that npm installed is on the PATH of npm alone.
  const isOfNpm = basename(argv0) === argv0 && execPath.split(sep).includes('node_modules')
  return [
    ...(isOfNpm ? ['npx', argv0] : [argv0]),
    ...execArgv.filter((flag) => flag !== '--watch'),
    nearby.startsWith('..') ? script : nearby,
  ]
}

function isOnPath(name: string, file: string): boolean {
  const found = Bun.which(name)
  return found !== null && realpathSync(found) === realpathSync(file)
}

/** As a shell takes it whole, whatever the folder is called. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
