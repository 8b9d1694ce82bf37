import { buildDefinitions } from '../../../src/discord/commands/slash/definitions'
import { messageMenuNames } from '../../../src/discord/commands/slash/menus'
import { slashCommands } from '../../../src/discord/commands/slash/table'
import { en } from '../../../src/discord/text/en'
import { outcomeOf } from '../../tools/outcomeOf'
import { describe, expect, test } from '../../tools/test'
import { lineOf, runConversations } from './conversations'
import { startChat } from './discordChat'
import { privateConversations } from './scenarios/privateMatters'
import { slashConversations } from './scenarios/slash'

const chat = await startChat()
const { users } = chat

describe('definitions', () => {
  interface Definition {
    type: number
    name: string
    description?: string
    required?: boolean
    choices?: { name: string; value: string }[]
    options?: Definition[]
  }
  const definitions: Definition[] = JSON.parse(JSON.stringify(buildDefinitions(en)))

  /** Counts the characters that Discord limits to 8000 for a command. */
  const sizeOf = ({ name, description = '', choices = [], options = [] }: Definition): number =>
    name.length +
    description.length +
    choices.reduce((sum, choice) => sum + choice.name.length + choice.value.length, 0) +
    options.reduce((sum, option) => sum + sizeOf(option), 0)

  const expectWithinLimits = ({
    name,
    description = '',
    choices = [],
    options = [],
  }: Definition) => {
    expect(name).toMatch(/^[-_a-z]{1,32}$/)
    expect(description, name).toMatch(/^.{1,100}$/)
    expect(choices.length).toBeLessThanOrEqual(25)
    expect(options.length).toBeLessThanOrEqual(25)
    const order = options.map(({ required }) => Number(required === false))
    expect(order).toEqual(order.toSorted())
    options.forEach(expectWithinLimits)
  }

  test('keep the limits of Discord', () => {
    const slash = definitions.filter(({ type }) => type === 1)
    expect(slash.length).toBeLessThanOrEqual(100)
    expect(messageMenuNames.length).toBeLessThanOrEqual(15)
    for (const definition of slash) {
      expectWithinLimits(definition)
      expect(sizeOf(definition), definition.name).toBeLessThanOrEqual(8000)
    }
    expect(new Set(slash.map(({ name }) => name)).size).toBe(slash.length)
    expect(definitions.length).toBe(slash.length + messageMenuNames.length + 1)
  })

  test('the values of variants are those of options', () => {
    const values = slashCommands.flatMap(({ variants, options }) =>
      Object.values(variants)
        .flatMap((fixed) => Object.entries(fixed))
        .map(([name, value]) => ({
          value,
          option: options.find((option) => option.name === name),
        })),
    )
    expect(values.length).toBeGreaterThan(0)
    for (const { value, option } of values)
      expect(option?.type === 'flag' ? ['True'] : option?.choices).toContain(value)
  })

  test('every description belongs to a slash command or an option', () => {
    const descriptions = slashCommands.flatMap(({ options }) =>
      options.map(({ description }) => description),
    )
    expect(Object.keys(en.slashTexts.options).toSorted()).toEqual(
      [...new Set<string>(descriptions)].toSorted(),
    )
    expect(Object.keys(en.slashTexts.commands).toSorted()).toEqual(
      slashCommands.map(({ name }) => String(name)).toSorted(),
    )
  })

  test('every slash command and each of its options is used in a scenario', () => {
    // Tests of private matters and of acting on proxied messages use these.
    const elsewhere = ['system new invite', 'say', 'edit', 'reproxy', 'message', 'why']
    const lines = Object.values({ ...slashConversations, ...privateConversations })
      .flat()
      .map(lineOf)
    const unused = slashCommands.flatMap(({ name, options }) => {
      const uses = lines.filter(({ use }) => use === name)
      const given = new Set(uses.flatMap((line) => Object.keys(line.with ?? {})))
      const missing = options.filter((option) => !given.has(option.name))
      return uses.length === 0 ? [name] : missing.map((option) => `${name} ${option.name}`)
    })
    expect(unused.toSorted()).toEqual(elsewhere.toSorted())
  })
})

describe('slash commands', () => runConversations(chat, slashConversations))

test('/server is for accounts with the permission Manage Server, and for guilds', async () => {
  const { owner } = await chat.newScene()
  expect(await outcomeOf(owner.use('server show'))).toThrow('may not use the command')
})

test('slash commands work in direct messages, except those for guilds', async () => {
  const { owner, guild } = await chat.newScene()
  const sent = await users.sendMessage({ userId: owner.id, content: 'pk;help' })
  const inDirect = chat.speaker(guild, owner.id, sent.channelId)
  expect((await inDirect.use('member info', { member: 'Wren' })).text).toContain('Wren')
  for (const [command, options] of [
    ['autoproxy', { mode: 'off' }],
    ['say', { member: 'Wren', text: 'x' }],
    ['server show', {}],
  ] as const)
    expect(await outcomeOf(inDirect.use(command, options))).toThrow(
      'cannot be used in this context',
    )
  for (const [command, options] of [
    ['member server', { member: 'Wren', name: 'x' }],
    ['permissions', {}],
  ] as const)
    expect((await inDirect.use(command, options)).text).toContain('❌ This works in servers only')
})

test('members are completed by prefix, then substring, the most recently used first', async () => {
  const { owner, guest, guild } = await chat.newScene()
  for (const name of ['Marwen', 'Finch', 'Wrendle']) await owner.say(`pk;m new ${name}`)
  await owner.say('pk;g new Keepers')
  await owner.say('pk;m Wrendle proxy d:text')
  await chat.sendProxied(owner.id, guild.channelId, 'd:hello')
  const complete = async (...args: [command: string, option: string, typed: string]) =>
    (await owner.complete(...args)).map(({ name }) => String(name).replace(/ \(.*/, ''))
  expect(await complete('member info', 'member', 'wre')).toEqual(['Wrendle', 'Wren'])
  expect(await complete('member info', 'member', 'en')).toHaveLength(3)
  expect(await complete('member info', 'member', 'wen')).toEqual(['Marwen'])
  expect(await complete('member info', 'member', '')).toHaveLength(4)
  expect(await complete('group info', 'group', 'keep')).toEqual(['Keepers'])
  expect(await complete('config set', 'setting', 'proxy')).toContain('proxy switch')
  const [list] = await owner.complete('switch to', 'members', 'abcdef Fin')
  expect(list?.value).toMatch(/^abcdef [a-z]{6}$/)
  expect(await guest.complete('member info', 'member', 'w')).toEqual([])
})

test('at most 25 members are completed', async () => {
  const { owner } = await chat.newScene()
  for (let count = 0; count < 30; count++) await owner.say(`pk;m new Bird${count}`)
  expect(await owner.complete('member info', 'member', 'bird')).toHaveLength(25)
})

test('the menu of an account shows its system, to the account that asks alone', async () => {
  const { owner, other, guest } = await chat.newScene()
  const shown = await guest.use('System info', {}, owner.id)
  expect(shown).toMatchObject({ isPrivate: true, text: expect.stringContaining('Lantern Hill') })
  expect((await other.use('System info', {}, guest.id)).text).toContain('has no system')
})

test('menus act on the message that they were opened on', async () => {
  const { owner, guest, guild } = await chat.newScene()
  const { channelId } = guild
  await owner.say('pk;m Wren proxy w:text')
  await owner.say('pk;m new Finch')
  const { id } = await chat.sendProxied(owner.id, channelId, 'w:hello')
  for (const [by, menu, answer] of [
    [guest, 'Message info', 'Wren'],
    [guest, 'Why not proxied?', '❌'],
    [guest, 'Edit message', '❌ That is not a message of your system'],
    [guest, 'Reproxy message', '❌ That is not a message of your system'],
    [guest, 'Delete message', '❌ That is not a message of your system'],
    [owner, 'Edit message', 'Text: hello'],
    [owner, 'Reproxy message', 'Member (name or ID)'],
  ] as const) {
    const reply = await by.use(menu, {}, id)
    expect([menu, reply.text]).toEqual([menu, expect.stringContaining(answer)])
    if (reply.message) expect([menu, reply.isPrivate]).toEqual([menu, true])
  }
  await guest.use('Ping author', {}, id)
  await chat.untilMessages(channelId, (all) =>
    all.some(({ notified }) => notified.includes(owner.id)),
  )
  const form = await owner.use('Edit message', {}, id)
  await owner.submit({ value: 'goodbye' }, form)
  await chat.untilMessages(channelId, (all) => all.some(({ content }) => content === 'goodbye'))
  await owner.use('Delete message', {}, id)
  await chat.untilMessages(channelId, (all) => all.every((one) => one.id !== id))
})
