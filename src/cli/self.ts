import { isSecret, type SettingName, settings, spellingsOf } from '../config'

/** How this very program was called: the executable, or the source through Bun. */
export function ownCommand(): string[] {
  const [, script = ''] = process.argv
  if (isExecutable()) return [process.execPath]
  // Else Bun would pass `.env` off as the environment, which outweighs other files.
  return [process.execPath, '--no-env-file', script]
}

/**
 * What another of this program gets from its surroundings: the same as this one, and settings that
 * nobody else may read, as anybody could on its command line.
 */
export function ownEnvironment(
  settings: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  return { ...process.env, ...settings }
}

/** What somebody else's program gets: not the way to the data, nor to whoever supervises this one. */
export function othersEnvironment(): Record<string, string | undefined> {
  const names = Object.keys(settings) as SettingName[]
  const own = names.filter((name) => isSecret(name) || name === 'DATABASE_URL')
  const kept = new Set([...own.flatMap(spellingsOf), 'NOTIFY_SOCKET'])
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !kept.has(name) && !name.startsWith('WATCHDOG_'),
    ),
  )
}

export function isExecutable(): boolean {
  return Bun.isStandaloneExecutable
}

/** A command line of this program that works as it stands, pasted in any folder. */
export function typedCommand(...args: string[]): string {
  return [...ownCommand(), ...args].map(quoted).join(' ')
}

/** As a shell takes it whole, whatever the folder is called. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
