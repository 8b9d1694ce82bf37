import { type Command, columns, usageOf } from './command'
import { flagsOf, formatFlag } from './flags'

/** Finds the help of the program, of a group such as `system`, or of one command. */
export function findHelp(commands: readonly Command[], words: readonly string[]): string | null {
  const name = words.join(' ')
  if (name === '') return explainAll(commands)
  const command = commands.find((candidate) => candidate.name === name)
  if (command) return explainCommand(command)
  return isGroup(commands, name) ? explainGroup(commands, name) : null
}

/** Returns true if the word is the first of several commands, such as `system`. */
export function isGroup(commands: readonly Command[], word: string): boolean {
  return commands.some(({ name }) => name.startsWith(`${word} `))
}

function explainAll(commands: readonly Command[]): string {
  return [
    'Multitude: a self-hosted server for plural systems.',
    'usage: multitude [COMMAND] [--help]',
    listOf(commands),
    'Run "multitude help COMMAND" for the flags of a command.',
  ].join('\n\n')
}

function explainGroup(commands: readonly Command[], group: string): string {
  const subcommands = commands.filter(({ name }) => name.startsWith(`${group} `))
  return `usage: multitude ${group} COMMAND [--help]\n\n${listOf(subcommands)}`
}

function listOf(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [`  ${name}`, summary]))
}

function explainCommand(command: Command): string {
  const list = columns(flagsOf(command).map((flag) => [`  ${formatFlag(flag)}`, flag.doc]))
  return `${command.summary}.\n\nusage: ${usageOf(command)}\n\n${list}`
}
