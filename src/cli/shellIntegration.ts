import type { Command } from './command'

/** What the program tells of its own commands to shells and to `man`. */
export function shellCommands(commands: () => readonly Command[]): Command[] {
  const said = (text: string) => ({ json: text, text: text.trimEnd() })
  return [
    {
      name: 'completion bash',
      summary: 'Print what lets bash complete commands, flags and values',
      async run() {
        return said((await import('./completion/bash')).completeInBash(commands()))
      },
    },
    {
      name: 'completion zsh',
      summary: 'Print what lets zsh complete them',
      async run() {
        return said((await import('./completion/zsh')).completeInZsh(commands()))
      },
    },
    {
      name: 'completion fish',
      summary: 'Print what lets fish complete them',
      async run() {
        return said((await import('./completion/fish')).completeInFish(commands()))
      },
    },
    {
      name: 'man',
      summary: 'Print the manual page',
      async run() {
        return said((await import('./man')).writeManual(commands()))
      },
    },
  ]
}
