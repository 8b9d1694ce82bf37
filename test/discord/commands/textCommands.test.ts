import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { matchCommand } from '../../../src/discord/commands/grammar/matchCommand'
import { commands } from '../../../src/discord/commands/table'
import { describe, expect, test } from '../../tools/test'
import { lineOf, runConversations } from './conversations'
import { startChat } from './discordChat'
import { memberConversations } from './scenarios/members'
import { privateConversations } from './scenarios/privateMatters'
import { settingConversations } from './scenarios/settings'
import { switchConversations } from './scenarios/switches'
import { systemConversations } from './scenarios/systems'

const chat = await startChat({ PUBLIC_URL: 'https://multitude.example', IMPORT_LIMIT: '1000000' })

describe('systems', () => runConversations(chat, systemConversations))
describe('members and groups', () => runConversations(chat, memberConversations))
describe('switches', () => runConversations(chat, switchConversations))
describe('settings', () => runConversations(chat, settingConversations))
describe('private matters', () => runConversations(chat, privateConversations))

test('pages can be turned by the account that asked, for 15 minutes', async () => {
  const { owner } = await chat.newScene()
  const first = await owner.say('pk;commands')
  const second = await owner.press('▶', first)
  expect(second.text).toContain('Page 2 of')
  await chat.wait(14)
  const third = await owner.press('▶', second)
  expect(third.text).toContain('Page 3 of')
  await chat.wait(2)
  expect((await owner.press('◀', third)).text).toContain('has expired')
})

test('a command without its prefix is taken for five minutes', async () => {
  const { guest } = await chat.newScene()
  await guest.say('pk;list')
  await chat.wait(6)
  expect((await guest.say('system new', { isIgnored: true })).text).toBe('')
  await guest.say('pk;list')
  await chat.wait(4)
  expect((await guest.say('system new')).text).toContain('✅ Your system was created')
})

describe('the scenarios', () => {
  // Tests of acting on proxied messages use these.
  const elsewhere = ['message', 'edit', 'x', 'reproxy', 'delete', 'debug.proxy']
  const matched = [
    systemConversations,
    memberConversations,
    switchConversations,
    settingConversations,
    privateConversations,
  ]
    .flatMap((conversations) => Object.values(conversations).flat())
    .flatMap((given) => {
      const { say = '' } = lineOf(given)
      const found = say.startsWith('pk;') ? matchCommand(say.slice(3), commands) : null
      return found && 'command' in found ? [found] : []
    })

  test('use every command', () => {
    const used = new Set<string>(matched.map(({ command }) => command.id))
    const unused = commands.filter(({ id }) => !used.has(id)).map(({ id }) => String(id))
    expect([...new Set(unused)].toSorted()).toEqual(elsewhere.toSorted())
  })

  test('use every flag', () => {
    const used = new Set(matched.flatMap(({ args }) => [...args.flags]))
    const known = commands
      .filter(({ id }) => !elsewhere.includes(id))
      .flatMap(({ flags }) => [...flags.values()])
    expect([...new Set(known)].filter((flag) => !used.has(flag))).toEqual([])
  })
})

describe('words', () => {
  test('each word of a command names it', () => {
    for (const { id, parts } of commands)
      for (const [at, part] of parts.entries())
        for (const word of 'literals' in part ? part.literals : []) {
          const words = parts.map((other, index) => {
            if (!('literals' in other)) return 'x'
            return index === at ? word : other.literals[0]
          })
          const found = matchCommand(words.join(' '), commands)
          expect([words, found && 'command' in found ? found.command.id : null]).toEqual([
            words,
            id,
          ])
        }
  })

  /** Phrases of PluralKit with the ID of the command here and a flag, which may be missing. */
  const phrases = readFileSync(join(import.meta.dir, './pluralkitWords.tsv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))

  test('each phrase of PluralKit reaches its command, with its flag', () => {
    expect(phrases.length).toBeGreaterThan(500)
    const missed = phrases.filter(([phrase = '', id, flag]) => {
      const found = matchCommand(phrase.replace('pk;', ''), commands)
      if (!found || !('command' in found)) return true
      const { command, args } = found
      // A flag may choose between two commands, which are one here.
      const isReached = id === command.id || (flag !== undefined && id?.startsWith(command.id))
      return !isReached || (flag !== undefined && !args.flags.has(command.flags.get(flag) ?? ''))
    })
    expect(missed).toEqual([])
  })
})

test('cards link to the dashboard: systems to their public page, own objects to theirs', async () => {
  const { owner, other, system } = await chat.newScene()
  const PAGE = 'https://multitude.example/#'
  const created = await owner.say('pk;g new Keepers')
  const [, group = ''] = /ID is ``?([a-z]{5,6})``?/.exec(created.text) ?? []
  const [, member = ''] = /`([a-z]{5,6})`/.exec((await owner.say('pk;m Wren id')).text) ?? []
  const rows: [speaker: typeof owner, command: string, link: string | undefined][] = [
    [owner, 'pk;s', `${PAGE}/systems/${system.hid}`],
    [other, `pk;s ${system.hid}`, `${PAGE}/systems/${system.hid}`],
    [owner, 'pk;m Wren', `${PAGE}/members/${member}`],
    [owner, 'pk;m Wren -public', undefined],
    [other, `pk;m ${member}`, undefined],
    [owner, 'pk;g Keepers', `${PAGE}/groups/${group}`],
    [other, `pk;g ${group}`, undefined],
  ]
  for (const [speaker, command, link] of rows) {
    const { message } = await speaker.say(command)
    const [embed] = message?.embeds ?? []
    expect(embed, command).toBeDefined()
    expect(embed?.url, command).toBe(link)
  }
})
