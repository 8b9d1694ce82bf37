import { commands } from '../../src/cli/run'

/**
 * Command lines by their use of the configured database. `FILE` is replaced by a file that can be
 * imported.
 */
export const commandLines = {
  /** Reject a database that is missing, empty, older or newer. */
  requiring: [
    'system list',
    'system show abcdef',
    'system delete abcdef --yes',
    'system disable abcdef',
    'system enable abcdef',
    'prune --unused-since 2020-01-01 --yes',
    'stats',
    'invite create --name friends',
    'invite list',
    'invite revoke friends --yes',
    'front abcdef',
    'insights abcdef',
    'token create abcdef',
    'token list abcdef',
    'login abcdef',
    'login --setup',
    'token revoke abcdef default --yes',
    'bot list',
    'bot revoke discord --yes',
    'discord',
    'account link abcdef 1234567',
    'account unlink abcdef 1234567 --yes',
    'import FILE --system abcdef',
    'export abcdef',
    'archive list abcdef',
    'archive convert abcdef',
    'backup copy.db',
    'doctor',
    'doctor --fix',
    'copy file:other.db',
  ],
  /** Create a missing or empty database; reject an older or newer one. */
  creating: ['system create --name Hill', 'bot create --name discord', 'import FILE --new'],
  /** Create a missing or empty database and upgrade an older one; reject a newer one. */
  upgrading: ['migrate', 'serve'],
  /** Replace the database, whichever version wrote it. */
  replacing: ['restore backup.db --yes'],
  /** Print other information, and fail like the requiring ones. */
  reporting: ['status --port 1'],
  /** Do not open the database. */
  independent: [
    'config',
    'openapi',
    'version',
    'health --port 1',
    'discord check',
    'completion bash',
    'completion zsh',
    'completion fish',
    'man',
  ],
} as const

/** Lists the commands that no line of the table runs. */
export function untriedCommands(): string[] {
  const lines: string[] = Object.values(commandLines).flat()
  return commands
    .map(({ name }) => name)
    .filter((name) => !lines.some((line) => line === name || line.startsWith(`${name} `)))
}

/** Splits a line into words, with the file that it imports. */
export function wordsOf(line: string, file: string): string[] {
  return line.split(' ').map((word) => (word === 'FILE' ? file : word))
}
