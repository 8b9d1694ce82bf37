import type { Command } from '../command'
import { flagsOf, type NamedFlag } from '../flags'
import { branchesOf, help, quote, takesFile } from './tree'

/** Also for the bash of macOS, which is of 2007. */
export function completeInBash(commands: readonly Command[]): string {
  const branches = branchesOf(commands)
  const words = (list: readonly { word: string }[]) => quote(list.map(({ word }) => word).join(' '))
  const groups = branches.filter(({ group }) => group.length > 0)
  const ofGroups = groups.map(({ word, group }) => `      ${word}) values=${words(group)} ;;`)
  // Those of two words first: a pattern of one would take them too.
  const ofCommands = commands
    .toSorted((one, other) => wordsIn(other) - wordsIn(one))
    .map(completeCommand)
  return `# Completion of multitude for bash, made by "multitude completion bash".
_multitude() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} at=$COMP_CWORD
  local flags= values= files=
  COMPREPLY=()
  # --flag=value comes as three words.
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $first == help && $at -gt 1 ]]; then
    first=$second at=$((at - 1))
    [[ $at -gt 2 ]] && return
  fi
  if [[ $at -eq 1 && $word != -* ]]; then
    values=${words([...branches, help])}
  elif [[ $at -eq 2 ]]; then
    case $first in
${ofGroups.join('\n')}
    esac
  fi
  [[ \${COMP_WORDS[1]} == help ]] && first=
  if [[ -z $values ]]; then
    case "$first $second" in
${ofCommands.join('\n')}
    esac
  fi
  local IFS=$' \\t\\n'
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ -n $files ]]; then
    IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _multitude multitude
`
}

function completeCommand(command: Command): string {
  const flags = flagsOf(command)
  const spelled = (list: readonly NamedFlag[]) => list.map(({ name }) => `--${name}`)
  const valued = flags.filter(({ type }) => type === 'string')
  const chosen = valued.filter(({ choices }) => choices)
  const paths = valued.filter(({ isPath }) => isPath)
  const others = valued.filter(({ choices, isPath }) => !choices && !isPath)
  const cases = [
    ...chosen.map(({ name, choices = [] }) => `--${name}) values=${quote(choices.join(' '))} ;;`),
    ...(paths.length > 0 ? [`${spelled(paths).join(' | ')}) files=yes ;;`] : []),
    ...(others.length > 0 ? [`${spelled(others).join(' | ')}) return ;;`] : []),
  ]
  return `      ${patternOf(command)})
        flags=${quote(spelled(flags).join(' '))}${takesFile(command) ? ' files=yes' : ''}
        case $before in
${cases.map((line) => `          ${line}`).join('\n')}
        esac
        ;;`
}

/** Serving is meant too where flags come first. */
function patternOf({ name }: Command): string {
  if (name === 'serve') return "'serve '* | -*"
  return name.includes(' ') ? quote(name) : `${quote(`${name} `)}*`
}

function wordsIn({ name }: Command): number {
  return name.split(' ').length
}
