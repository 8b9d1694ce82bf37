import type { Command } from '../command'
import { flagsOf, type NamedFlag } from '../flags'
import { branchesOf, help, takesFile } from './tree'

export function completeInFish(commands: readonly Command[]): string {
  const branches = branchesOf(commands)
  const lines = [
    ...[...branches, help].map((one) => word('__multitude_at', one)),
    ...branches.map((one) => word('__multitude_at help', one)),
    ...branches.flatMap(({ word: first, group }) =>
      group.flatMap((one) => [
        word(`__multitude_at ${first}`, one),
        word(`__multitude_at help ${first}`, one),
      ]),
    ),
    ...commands.flatMap(completeCommand),
  ]
  return `# Completion of multitude for fish, made by "multitude completion fish".
# Whether these words and no others have been typed.
function __multitude_at
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
# Whether it is this command that flags are typed for.
function __multitude_in
    set -l words (commandline -opc)
    string match -q -- "$argv *" "$words[2..] "
end
# Serving is meant too where flags come first.
function __multitude_serves
    set -l words (commandline -opc)
    test (count $words) -eq 1; or string match -q -- '-*' $words[2]; or __multitude_in serve
end
complete -c multitude -f
${lines.join('\n')}
`
}

function word(condition: string, one: { word: string; summary: string }): string {
  return `complete -c multitude -n ${quote(condition)} -a ${one.word} -d ${quote(one.summary)}`
}

function completeCommand(command: Command): string[] {
  const { name } = command
  const condition = name === 'serve' ? '__multitude_serves' : `__multitude_in ${name}`
  const start = `complete -c multitude -n ${quote(condition)}`
  return [
    ...flagsOf(command).map((flag) => `${start} ${formatFlag(flag)} -d ${quote(flag.doc)}`),
    ...(takesFile(command) ? [`${start} -F`] : []),
  ]
}

function formatFlag({ name, type, choices, isPath }: NamedFlag): string {
  if (type === 'boolean') return `-l ${name}`
  if (choices) return `-l ${name} -x -a ${quote(choices.join(' '))}`
  return `-l ${name} ${isPath ? '-r -F' : '-x'}`
}

/** Between its quotes fish knows no more than these two. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
