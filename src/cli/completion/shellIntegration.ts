import type { Command } from '../command'

/** Commands that print shell completions and the manual page. */
export function shellCommands(commands: () => readonly Command[]): Command[] {
  const outcome = (text: string) => ({ json: text, text: text.trimEnd() })
  return [
    {
      name: 'completion bash',
      summary: 'Print the completion script for bash',
      async run() {
        return outcome((await import('./bash')).completeInBash(commands()))
      },
    },
    {
      name: 'completion zsh',
      summary: 'Print the completion script for zsh',
      async run() {
        return outcome((await import('./zsh')).completeInZsh(commands()))
      },
    },
    {
      name: 'completion fish',
      summary: 'Print the completion script for fish',
      async run() {
        return outcome((await import('./fish')).completeInFish(commands()))
      },
    },
    {
      name: 'man',
      summary: 'Print the manual page',
      async run() {
        return outcome((await import('./man')).writeManual(commands()))
      },
    },
  ]
}
