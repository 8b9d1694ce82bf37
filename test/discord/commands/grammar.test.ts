import { matchCommand } from '../../../src/discord/commands/grammar/matchCommand'
import { parsePattern } from '../../../src/discord/commands/grammar/pattern'
import { findCommandText } from '../../../src/discord/commands/grammar/prefix'
import { splitWords } from '../../../src/discord/commands/grammar/words'
import { commands } from '../../../src/discord/commands/table'
import { describe, expect, test } from '../../tools/test'

const BOT = '400000000000000001'

describe('prefixes', () => {
  const options = { prefixes: ['pk;', 'pk!', 'p;'], botId: BOT }
  const cases: [message: string, command: string | null][] = [
    ['pk;system', 'system'],
    ['PK;System', 'System'],
    ['pk! system', 'system'],
    ['pk;   system  ', 'system'],
    ['p;system', 'system'],
    [`<@${BOT}> system`, 'system'],
    [`<@!${BOT}>\nsystem`, 'system'],
    [`<@${BOT}>`, ''],
    [`<@${BOT}>system`, null],
    ['<@400000000000000002> system', null],
    ['pk;', ''],
    ['pk;   ', ''],
    [' pk;system', null],
    ['pk system', null],
    ['hello pk;system', null],
    ['', null],
  ]
  for (const [message, command] of cases)
    test(`${JSON.stringify(message)} is ${command === null ? 'no command' : JSON.stringify(command)}`, () => {
      expect(findCommandText(message, options)?.text ?? null).toBe(command)
    })
})

test('a command knows the prefix that was typed; after a mention, the first one', () => {
  const options = { prefixes: ['mu;', 'pk;'], botId: BOT }
  expect(findCommandText('PK;system', options)?.prefix).toBe('pk;')
  expect(findCommandText(`<@${BOT}> system`, options)?.prefix).toBe('mu;')
})

describe('words', () => {
  const cases: [text: string, words: string[]][] = [
    ['one two', ['one', 'two']],
    ['  one\n\ttwo ', ['one', 'two']],
    ['"one two" three', ['one two', 'three']],
    ["'one two' three", ['one two', 'three']],
    ['“one two” three', ['one two', 'three']],
    ['„one two“ three', ['one two', 'three']],
    ['‘one two’ three', ['one two', 'three']],
    ['«one two» three', ['one two', 'three']],
    ['「one two」 three', ['one two', 'three']],
    ['『one two』 《three four》', ['one two', 'three four']],
    ["O'Neill it's", ["O'Neill", "it's"]],
    ["'tis a 'quote'", ["tis a 'quote"]],
    ['"unclosed words', ['"unclosed', 'words']],
    ['""', ['']],
    ['"a"b c" d', ['a"b c', 'd']],
    ['', []],
    ['"', ['"']],
  ]
  for (const [text, words] of cases)
    test(`${JSON.stringify(text)} has the words ${JSON.stringify(words)}`, () => {
      expect(splitWords(text).map((word) => word.text)).toEqual(words)
    })
})

describe('commands', () => {
  const cases: [text: string, id: string, values?: object, flags?: string[]][] = [
    ['system', 'system.show'],
    ['s abcdef', 'system.show', { system: 'abcdef' }],
    ['system name Lantern Hill', 'system.name', { value: 'Lantern Hill' }],
    ['system abcdef name', 'system.name', { system: 'abcdef' }],
    ['s <@123456789012345678> desc', 'system.description', { system: '<@123456789012345678>' }],
    ['member new Wren', 'member.new', { name: 'Wren' }],
    ['m n "Wren of the Hill"', 'member.new', { name: 'Wren of the Hill' }],
    ['member Wren', 'member.show', { member: 'Wren' }],
    [
      'member "Wren Hill" dn Wrenny',
      'member.displayname',
      { member: 'Wren Hill', value: 'Wrenny' },
    ],
    [
      'm Wren desc line one\nline two',
      'member.description',
      { member: 'Wren', value: 'line one\nline two' },
    ],
    ['m Wren desc -clear', 'member.description', { member: 'Wren' }, ['clear']],
    ['m Wren -raw desc', 'member.description', { member: 'Wren' }, ['raw']],
    [
      'm Wren desc — a dash -not-a-flag',
      'member.description',
      { member: 'Wren', value: '— a dash -not-a-flag' },
    ],
    ['m Wren desc "-raw" stays', 'member.description', { member: 'Wren', value: '"-raw" stays' }],
    ['m Wren proxy text -w', 'member.proxy.set', { member: 'Wren', tags: 'text -w' }],
    ['m Wren proxy add "text"', 'member.proxy.add', { member: 'Wren', tags: '"text"' }],
    ['m Wren proxy -y [text]', 'member.proxy.set', { member: 'Wren', tags: '[text]' }, ['y']],
    ['m Wren desc -R', 'member.description', { member: 'Wren' }, ['raw']],
    ['m Wren desc -c -yes', 'member.description', { member: 'Wren' }, ['clear', 'y']],
    ['m Wren desc "-z"', 'member.description', { member: 'Wren', value: '"-z"' }],
    ['s -priv', 'system.show', {}, ['private']],
    ['sw out -y', 'switch.out', {}, ['y']],
    ['sw delete -clear', 'switch.delete', {}, ['all']],
    ['m new "-z"', 'member.new', { name: '-z' }],
    ['m Wren —id', 'member.show', { member: 'Wren' }, ['id']],
    ['m Wren --ID', 'member.show', { member: 'Wren' }, ['id']],
    ['sw move 1d 12h', 'switch.move', { when: '1d 12h' }],
    ['sw out', 'switch.out'],
    ['sw edit out', 'switch.edit.out'],
    ['sw delete all', 'switch.delete.all'],
    ['ap off', 'autoproxy', { name: 'off' }],
    ['s privacy front private', 'system.privacy', { subject: 'front', level: 'private' }],
    ['reproxy Wren', 'reproxy', { member: 'Wren' }],
    [
      'rp https://discord.com/channels/1/2/3 Wren',
      'reproxy',
      { message: 'https://discord.com/channels/1/2/3', member: 'Wren' },
    ],
    ['edit -append more\n text', 'edit', { text: 'more\n text' }, ['append']],
    ['list full wr -by-name -reverse', 'system.list', { term: 'full wr' }, ['by-name', 'reverse']],
  ]
  for (const [text, id, values = {}, flags = []] of cases)
    test(`${JSON.stringify(text)} is ${id}`, () => {
      const matched = matchCommand(text, commands)
      if (!matched || !('command' in matched)) throw new Error('no command matches')
      expect(matched.command.id as string).toBe(id)
      expect({ ...matched.args.values } as object).toEqual(values)
      expect([...matched.args.flags].toSorted()).toEqual(flags.toSorted())
    })

  const incomplete: [text: string, id: string | null][] = [
    ['member new', 'member.new'],
    ['sw', 'switch.log'],
    ['sw move', 'switch.move'],
    ['link', 'link'],
    ['nonsense', null],
    ['', null],
  ]
  for (const [text, id] of incomplete)
    test(`${JSON.stringify(text)} is ${id === null ? 'unknown' : `an incomplete ${id}`}`, () => {
      const matched = matchCommand(text, commands)
      expect(matched && 'incomplete' in matched ? (matched.incomplete.id as string) : null).toBe(id)
    })

  const refused: [text: string, id: string, ...flags: string[]][] = [
    ['m Wren -z', 'member.show', '-z'],
    ['m Wren desc -z', 'member.description', '-z'],
    ['m Wren desc -z —more', 'member.description', '-z', '—more'],
    ['m Wren proxy -z', 'member.proxy', '-z'],
    ['m Wren proxy add -z', 'member.proxy.add', '-z'],
    ['edit -z', 'edit', '-z'],
    ['sw edit Wren -z -remove', 'switch.edit', '-z'],
    ['cfg ping -z on', 'config', '-z'],
    ['list full -z', 'system.list', '-z'],
  ]
  for (const [text, id, ...flags] of refused)
    test(`${JSON.stringify(text)} is refused for its unknown flags`, () => {
      const matched = matchCommand(text, commands)
      if (!matched || !('refused' in matched)) throw new Error('not refused')
      expect([String(matched.refused.id), ...matched.unknownFlags]).toEqual([id, ...flags])
    })

  test('keeps each word in the list of a command', () => {
    const matched = matchCommand('sw Wren "Finch Hill" -id abcde', commands)
    if (!matched || !('command' in matched)) throw new Error('no command matches')
    expect(matched.args.lists.members).toEqual(['Wren', 'Finch Hill', 'abcde'])
  })

  test('rejects a pattern with an unknown parameter', () => {
    expect(() => parsePattern('member <nonsense>')).toThrow('nonsense')
  })

  test('stays quick with hostile texts', () => {
    for (const text of [
      '"'.repeat(4000),
      '- '.repeat(2000),
      `m ${'x '.repeat(2000)}`,
      '\u0000'.repeat(100),
    ])
      expect(() => matchCommand(text, commands)).not.toThrow()
  })
})
