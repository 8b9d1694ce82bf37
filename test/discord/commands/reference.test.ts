import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildCommandReference } from '../../../src/discord/commands/reference'
import { commands } from '../../../src/discord/commands/table'
import { commandSummaries } from '../../../src/discord/text/enCommands'
import { expect, test } from '../../tools/test'

const page = readFileSync(join(import.meta.dir, '../../../docs/discord.md'), 'utf8')

test('docs/discord.md lists the commands of the table', () => {
  const [, section = ''] = /<!-- commands -->\n([\s\S]*?)\n<!-- \/commands -->/.exec(page) ?? []
  expect(section.trim()).toBe(buildCommandReference())
})

test('every summary belongs to a command', () => {
  const ids = new Set(commands.map(({ id }) => id))
  expect(Object.keys(commandSummaries).toSorted()).toEqual([...ids].toSorted())
})

test('no word of a command is used twice in one place', () => {
  const patterns = commands.map(({ parts }) =>
    parts.map((part) => ('literals' in part ? part.literals.join('|') : part.parameter)).join(' '),
  )
  expect(new Set(patterns).size).toBe(patterns.length)
})
