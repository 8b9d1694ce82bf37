import { matchCommand } from '../../../src/discord/commands/grammar/matchCommand'
import { commands } from '../../../src/discord/commands/table'
import { describe, expect, test } from '../../test'
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

  /** Words of PluralKit that communities are used to. */
  const words: [id: string, ...texts: string[]][] = [
    ['system.show', 'system', 's', 'account', 'acc'],
    ['system.new', 's new', 's create', 's make', 's add', 's register', 's init', 's n'],
    ['system.name', 's name', 's rename', 's rn'],
    ['system.tag', 's tag', 's t'],
    ['system.description', 's description', 's desc', 's bio'],
    ['system.pronouns', 's pronouns', 's prns'],
    ['system.color', 's color', 's colour'],
    ['system.avatar', 's avatar', 's icon', 's pfp'],
    ['system.banner', 's banner', 's splash', 's cover'],
    ['system.servername', 's servername', 's sn'],
    ['system.servertag', 's servertag', 's st'],
    ['system.serveravatar', 's serveravatar', 's sa'],
    ['system.proxy', 's proxy', 'proxy'],
    ['system.list', 's list', 's l', 's ls', 's members', 's find', 's search', 'list', 'find'],
    ['system.list', 'l', 'ls', 'members', 'search', 'f'],
    ['system.fronter', 's fronter', 's f', 's front'],
    ['system.fronthistory', 's fronthistory', 's fh'],
    ['system.frontpercent', 's frontpercent', 's fp', 's fp 30d'],
    ['system.groups', 's groups', 's gs'],
    ['random', 'random', 'r', 'rand'],
    ['system.delete', 's delete', 's yeet'],
    ['member.new', 'member new x', 'm n x', 'm add x', 'm create x'],
    ['member.name', 'm x name', 'm x rn'],
    ['member.displayname', 'm x displayname', 'm x dn', 'm x nick'],
    ['member.servername', 'm x servername', 'm x sn'],
    ['member.description', 'm x description', 'm x desc', 'm x bio'],
    ['member.pronouns', 'm x pronouns', 'm x prns'],
    ['member.color', 'm x color', 'm x colour'],
    ['member.birthday', 'm x birthday', 'm x bday'],
    ['member.avatar', 'm x avatar', 'm x pfp', 'm x icon'],
    ['member.proxyavatar', 'm x proxyavatar', 'm x pa'],
    ['member.serveravatar', 'm x serveravatar', 'm x sa'],
    ['member.banner', 'm x banner', 'm x cover'],
    ['member.proxy', 'm x proxy', 'm x tags', 'm x brackets'],
    ['member.autoproxy', 'm x autoproxy', 'm x ap'],
    ['member.keepproxy', 'm x keepproxy', 'm x kp'],
    ['member.serverkeepproxy', 'm x serverkeepproxy', 'm x skp'],
    ['member.group', 'm x group', 'm x groups', 'm x g'],
    ['member.public', 'm x public', 'm x show'],
    ['member.private', 'm x private', 'm x hide'],
    ['member.delete', 'm x delete', 'm x yeet', 'm x remove'],
    ['group.show', 'group x', 'g x'],
    ['switch.log', 'switch x', 'sw x'],
    ['switch.edit', 'sw edit x', 'sw e x'],
    ['switch.copy', 'sw copy x', 'sw add x', 'sw dupe x'],
    ['switch.move', 'sw move 1h', 'sw m 1h'],
    ['switch.delete', 'sw delete', 'sw yeet'],
    ['autoproxy', 'autoproxy', 'ap', 'auto'],
    ['config', 'config', 'cfg'],
    ['serverconfig', 'serverconfig', 'scfg', 'guildconfig'],
    ['message', 'message', 'msg'],
    ['edit', 'edit x', 'e x'],
    ['reproxy', 'reproxy x', 'rp x'],
    ['delete', 'delete', 'del'],
    ['dashboard', 'dashboard', 'dash'],
    ['debug.permissions', 'debug permissions', 'permcheck'],
    ['debug.proxy', 'debug proxy', 'proxycheck'],
    ['help', 'help', 'h'],
    ['commands', 'commands', 'c', 'cmd'],
  ]
  for (const [id, ...texts] of words)
    test(`${texts.join(', ')}: ${id}`, () => {
      for (const text of texts) {
        const found = matchCommand(text, commands)
        expect<unknown>([text, found && 'command' in found ? found.command.id : null]).toEqual([
          text,
          id,
        ])
      }
    })
})
