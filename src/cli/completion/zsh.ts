import type { Command } from '../command'
import { flagsOf, type NamedFlag } from '../flags'
import { type Branch, branchesOf, help, quote } from './tree'

export function completeInZsh(commands: readonly Command[]): string {
  const branches = branchesOf(commands)
  const cases = branches.map((branch) => completeBranch(branch, commands))
  const serve = commands.find(({ name }) => name === 'serve')
  return `#compdef multitude
# Completion of multitude for zsh, made by "multitude completion zsh".
_multitude() {
  local -a found
  if [[ $words[2] == help && $CURRENT -gt 2 ]]; then
    (( CURRENT > 4 )) && return
    shift words
    (( CURRENT-- ))
    case $CURRENT:$words[2] in
      2:*) ;;
${branches
  .filter(({ group }) => group.length > 0)
  .map(({ word }) => `      3:${word}) ;;`)
  .join('\n')}
      *) return ;;
    esac
  fi
  if [[ $CURRENT -eq 2 && $PREFIX != -* ]]; then
    found=(${describe([...branches, help])})
    _describe -t commands command found
    return
  fi
  case $words[2] in
${cases.join('\n')}
    -*)
      _arguments ${serve ? specsOf(serve) : ''}
      ;;
  esac
}
if [[ $funcstack[1] == _multitude ]]; then
  _multitude "$@"
else
  compdef _multitude multitude
fi
`
}

function completeBranch({ word, group }: Branch, commands: readonly Command[]): string {
  const named = (name: string) => commands.find((command) => command.name === name)
  const [own] = [named(word)].filter((command) => command !== undefined)
  if (own) return `    ${word})\n${completeCommand(own, '      ')}\n      ;;`
  const cases = group.flatMap((one) => {
    const command = named(`${word} ${one.word}`)
    return command
      ? [`        ${one.word})\n${completeCommand(command, '          ')}\n          ;;`]
      : []
  })
  return `    ${word})
      if (( CURRENT == 3 )); then
        found=(${describe(group)})
        _describe -t commands command found
        return
      fi
      case $words[3] in
${cases.join('\n')}
      esac
      ;;`
}

function completeCommand(command: Command, indent: string): string {
  const taken = command.name.split(' ').length
  return [`shift ${taken} words`, `(( CURRENT -= ${taken} ))`, `_arguments ${specsOf(command)}`]
    .map((line) => `${indent}${line}`)
    .join('\n')
}

function specsOf(command: Command): string {
  const { args = [] } = command
  const positions = args.map((name) => `:${name}:${name === 'FILE' ? '_files' : ' '}`)
  return [...flagsOf(command).map(specOf), ...positions].map(quote).join(' ')
}

function specOf({ name, value, type, doc, choices, isPath }: NamedFlag): string {
  const text = `[${doc.replaceAll(/[[\]\\]/g, '\\$&')}]`
  if (type === 'boolean') return `--${name}${text}`
  const action = choices ? `(${choices.join(' ')})` : isPath ? '_files' : ' '
  return `--${name}=${text}:${value}:${action}`
}

function describe(list: readonly { word: string; summary: string }[]): string {
  return list.map(({ word, summary }) => quote(`${word}:${summary}`)).join(' ')
}
