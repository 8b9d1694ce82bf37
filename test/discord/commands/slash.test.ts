import { toMessageBody, toModalBody } from '../../../src/discord/commands/answer'
import { runPress } from '../../../src/discord/commands/runCommand'
import { completeOption } from '../../../src/discord/commands/slash/complete'
import {
  buildDefinitions,
  messageMenus,
  slashCommands,
} from '../../../src/discord/commands/slash/definitions'
import {
  runMenu,
  runSlash,
  type SlashValues,
  slashCalls,
} from '../../../src/discord/commands/slash/runSlash'
import { combine } from '../../../src/discord/permissions/permission'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { ALL, CHANNEL, createChat, type SayOptions, textOf } from './chat'

const chat = createChat(createTestApp())
const manager = { permissions: ALL | combine('ManageGuild') }

describe('definitions', () => {
  const definitions = buildDefinitions()

  test('keep the limits of Discord', () => {
    expect(slashCommands.length).toBeLessThanOrEqual(100)
    expect(messageMenus.length).toBeLessThanOrEqual(15)
    for (const { name, description, options, subcommands } of slashCommands) {
      const all = [{ name, description, options }, ...subcommands]
      const lengths = all.flatMap((one) => [
        one.name.length,
        one.description.length,
        ...one.options.map(
          (option) =>
            option.name.length +
            option.description.length +
            (option.choices ?? []).join('').length * 2,
        ),
      ])
      expect(
        lengths.reduce((sum, length) => sum + length, 0),
        name,
      ).toBeLessThanOrEqual(8000)
      expect(subcommands.length).toBeLessThanOrEqual(25)
      for (const one of all) {
        expect(one.name).toMatch(/^[-_a-z]{1,32}$/)
        expect(one.description.length).toBeGreaterThan(0)
        expect(one.description.length, one.description).toBeLessThanOrEqual(100)
        expect(one.options.length).toBeLessThanOrEqual(25)
        const order = one.options.map(({ isRequired }) => Number(!isRequired))
        expect(order).toEqual(order.toSorted())
        for (const option of one.options) {
          expect(option.name).toMatch(/^[-_a-z]{1,32}$/)
          expect(option.description.length).toBeLessThanOrEqual(100)
          expect((option.choices ?? []).length).toBeLessThanOrEqual(25)
        }
      }
    }
    expect(new Set(slashCommands.map(({ name }) => name)).size).toBe(slashCommands.length)
    expect(definitions.length).toBe(slashCommands.length + messageMenus.length + 1)
  })

  test('each slash command has a handler, and each handler a slash command', () => {
    const names = slashCommands.flatMap(({ name, subcommands }) =>
      subcommands.length === 0 ? [name] : subcommands.map((one) => `${name} ${one.name}`),
    )
    expect(names.toSorted()).toEqual(Object.keys(slashCalls).toSorted())
  })
})

/** Slash commands in order, each with options and a part of the answer. */
const conversation: [
  name: string,
  options: SlashValues,
  answer: string | RegExp,
  say?: SayOptions,
][] = [
  ['system info', {}, 'Lantern Hill'],
  [
    'member new',
    {
      name: 'Finch',
      tags: '[text]',
      display_name: 'The Bird',
      pronouns: 'it/its',
      color: '#ff8800',
    },
    /Finch[\s\S]*display name changed[\s\S]*\[text\]/,
  ],
  ['member info', { member: 'Finch' }, 'The Bird'],
  ['member tags', { member: 'Finch', action: 'add', tags: '{text}' }, '{text}'],
  ['member server', { member: 'Finch', name: 'Finchy', keep_tags: 'on' }, 'now on'],
  ['member server', { member: 'Finch' }, '❌ Nothing was given'],
  [
    'member options',
    { member: 'Finch', autoproxy: false, tts: true },
    /autoproxy is now off[\s\S]*speech is now on/,
  ],
  [
    'member avatar',
    { member: 'Finch', url: 'https://example.com/f.png', where: 'proxy' },
    'proxy avatar changed',
  ],
  [
    'member privacy',
    { member: 'Finch', subject: 'description', level: 'private' },
    'is now private',
  ],
  ['member list', { search: 'fin', sort: 'created' }, 'Finch'],
  ['member random', {}, 'Member ID'],
  ['group new', { name: 'Keepers', display_name: 'The Keepers' }, 'Group Keepers'],
  ['group info', { group: 'Keepers' }, 'The Keepers'],
  ['group add', { group: 'Keepers', members: 'Finch Wren' }, '2 added'],
  ['group members', { group: 'Keepers' }, 'Finch'],
  ['group remove', { group: 'Keepers', members: 'Wren' }, '1 removed'],
  ['group privacy', { group: 'Keepers', subject: 'all', level: 'public' }, '✅'],
  ['group list', {}, 'Keepers'],
  ['switch to', { members: 'Finch' }, 'Now fronting: Finch'],
  ['switch edit', { members: 'Wren' }, 'Now fronting: Wren'],
  ['switch move', { when: '1h' }, 'Move the latest switch'],
  ['front now', {}, 'Wren'],
  ['front history', {}, 'Wren'],
  ['front percent', { period: '7d' }, 'Share'],
  ['switch out', {}, 'Nobody fronts'],
  ['switch delete', {}, 'Delete the latest'],
  ['switch delete', { all: true }, 'Delete **all**'],
  ['autoproxy', { mode: 'latch' }, 'last proxied'],
  ['autoproxy', { mode: 'member', member: 'Finch' }, 'now uses Finch'],
  ['say', { member: 'Finch', text: 'hello' }, '❌ Speaking by command is off'],
  ['config show', {}, 'timezone'],
  ['config set', { setting: 'proxy switch', value: 'new' }, '✅ proxy switch'],
  ['server show', {}, '❌ You need the permission'],
  ['server show', {}, 'log channel', manager],
  ['server set', { setting: 'say', value: 'on' }, '✅ say: on', manager],
  ['say', { member: 'Finch', text: 'hello' }, '✅ Sent'],
  ['server proxying', { channel: CHANNEL, state: 'off' }, `<#${CHANNEL}>`, manager],
  ['server proxying', { channel: CHANNEL, state: 'on' }, 'none', manager],
  ['server logging', { channel: CHANNEL, state: 'off' }, `<#${CHANNEL}>`, manager],
  ['edit', { text: 'x' }, '❌ You have no proxied message'],
  ['reproxy', { member: 'Finch' }, '❌ You have no proxied message'],
  ['message', { message: '123456789012345678' }, '❌ I did not proxy'],
  ['why', { message: '123456789012345677' }, 'reason for'],
  ['import', {}, '❌ Attach'],
  ['export', {}, 'Check your direct messages'],
  ['token', { refresh: true }, 'Your token is'],
  ['dashboard', {}, '❌ This server has no public address'],
  ['link', {}, '❌ Give the code'],
  ['link', { code: 'WRONG' }, '❌ Your account already has a system'],
  ['help', {}, 'Topics'],
  ['permissions', {}, 'Missing permissions'],
  ['invite', {}, 'https://discord.com'],
  ['system privacy', { subject: 'name', level: 'public' }, '✅'],
  ['system link', { account: '123456789012345678' }, 'wants to link'],
  ['system unlink', { account: '123456789012345678' }, '❌ That account is not linked'],
  ['system new', { name: 'Again' }, '❌ Your account already has a system'],
  ['__proto__', {}, '❌ Unknown command'],
]

test('slash commands call the handlers of the text commands, and answer in private', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  await owner.say('pk;m new Wren')
  for (const [name, options, expected, say = {}] of conversation) {
    chat.wait(5)
    const { context } = chat.createContext(owner.account, say, 'interaction')
    const { answer } = await runSlash(context, name, options)
    const text = answer ? textOf(answer) : ''
    if (expected instanceof RegExp) expect(text, name).toMatch(expected)
    else expect(text, `/${name}`).toContain(expected)
    expect([name, answer?.isPrivate]).toEqual([name, name !== 'system link'])
    expect(chat.errors).toEqual([])
  }
})

test('`public: true` shows only what strangers see, to everybody', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  await owner.say('pk;m new Wren')
  await owner.say('pk;m Wren desc MARKER')
  await owner.say('pk;m Wren privacy desc private')
  await owner.say('pk;m new Hidden-MARKER')
  await owner.say('pk;m Hidden-MARKER private')
  const { context } = chat.createContext(owner.account, {}, 'interaction')
  const run = async (name: string, options: SlashValues) => {
    chat.wait(5)
    const { answer } = await runSlash(context, name, options)
    return { isPrivate: answer?.isPrivate, text: answer ? textOf(answer) : '' }
  }
  expect((await run('member info', { member: 'Wren' })).text).toContain('MARKER')
  expect((await run('member list', {})).text).toContain('Hidden-MARKER')
  for (const [name, options] of [
    ['member info', { member: 'Wren', public: true }],
    ['member list', { public: true }],
    ['system info', { public: true }],
  ] as const) {
    const shown = await run(name, options)
    expect(shown.isPrivate, name).toBe(false)
    expect(shown.text, name).not.toContain('MARKER')
  }
})

test('forms edit several fields at once and name every problem', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  await owner.say('pk;m new Wren')
  await owner.say('pk;g new Keepers')
  const { context } = chat.createContext(owner.account, {}, 'interaction')
  const forms: [
    name: string,
    options: SlashValues,
    fields: Record<string, string>,
    show: string,
  ][] = [
    [
      'system edit',
      {},
      { name: 'Hill', tag: '|H', pronouns: '', color: '#112233', description: 'Text' },
      'pk;system',
    ],
    [
      'member edit',
      { member: 'Wren' },
      { name: 'Robin', birthday: 'May 3', description: 'Text' },
      'pk;m Robin',
    ],
    ['group edit', { group: 'Keepers' }, { name: 'Guards', description: 'Text' }, 'pk;g Guards'],
  ]
  for (const [name, options, fields, show] of forms) {
    chat.wait(5)
    const { answer } = await runSlash(context, name, options)
    expect(answer?.modal?.fields.length).toBeLessThanOrEqual(5)
    if (answer?.modal) expect(toModalBody(answer.modal).title.length).toBeLessThanOrEqual(45)
    const wrong = await owner.press('', answer ?? null, {
      ...fields,
      color: 'x',
      name: 'x'.repeat(101),
    })
    expect(wrong.text).toContain('name: Too long')
    chat.wait(5)
    const again = await runSlash(context, name, options)
    expect((await owner.press('', again.answer, fields)).text).toContain('✅')
    expect((await owner.say(show)).text).toContain('Text')
  }
})

test('deleting asks for the ID in a form', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  await owner.say('pk;m new Wren')
  const { context } = chat.createContext(owner.account, {}, 'interaction')
  const { answer } = await runSlash(context, 'system delete', {})
  expect(answer?.modal?.fields[0]?.label).toContain(owner.system.hid)
  const stranger = chat.newcomer()
  expect((await stranger.press('', answer, { confirmation: owner.system.hid })).text).toContain(
    'Only the account',
  )
  expect((await owner.press('', answer, { confirmation: owner.system.hid })).text).toContain(
    'was deleted',
  )
})

test('menus act on the message or account they were opened on', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  const link = `https://discord.com/channels/500000000000000001/${CHANNEL}/123456789012345677`
  const { context } = chat.createContext(owner.account, { replyTo: link }, 'interaction')
  for (const name of messageMenus) {
    chat.wait(5)
    const { answer } = await runMenu(context, name)
    const expected = name === 'Why not proxied?' ? 'reason for' : '❌ I did not proxy'
    expect(textOf(answer ?? {}), name).toContain(expected)
  }
  chat.wait(5)
  const { answer } = await runMenu(context, 'System info', owner.account)
  expect(textOf(answer ?? {})).toContain('Lantern Hill')
})

test('options are completed from the own system, starting with what begins with the text', async () => {
  const owner = await chat.newSystem()
  for (const name of ['Wren', 'Marwen', 'Finch']) await owner.say(`pk;m new ${name}`)
  await owner.say('pk;g new Keepers')
  const { context } = chat.createContext(owner.account, {}, 'interaction')
  const names = async (...args: [command: string, option: string, typed: string]) =>
    (await completeOption(context, ...args)).map(({ name }) => name.replace(/ \(.*/, ''))
  expect(await names('member info', 'member', 'wre')).toEqual(['Wren'])
  expect(await names('member info', 'member', 'wen')).toEqual(['Marwen'])
  expect(await names('member info', 'member', '')).toHaveLength(3)
  expect(await names('group info', 'group', 'keep')).toEqual(['Keepers'])
  expect(await names('config set', 'setting', 'proxy')).toContain('proxy switch')
  expect(await names('server set', 'setting', 'log')).toContain('log channel')
  expect(await names('member new', 'name', 'W')).toEqual([])
  expect(await names('nonsense', 'name', 'W')).toEqual([])
  const list = await completeOption(context, 'switch to', 'members', 'abcdef Fin')
  expect(list[0]?.value).toMatch(/^abcdef [a-z]{6}$/)
  const stranger = chat.createContext(chat.newcomer().account, {}, 'interaction')
  expect(await completeOption(stranger.context, 'member info', 'member', 'w')).toEqual([])
})

test('buttons of a former process answer that they have expired', async () => {
  const owner = await chat.newSystem()
  const { context } = chat.createContext(owner.account, {}, 'interaction')
  const answer = await runPress(context, 'q:AAAAAAAAAAAAAAAA:yes')
  expect(answer).toMatchObject({ isPrivate: true, isRefusal: true })
  expect(await runPress(context, 'something else')).toBeNull()
})

test('answers ping nobody, except an account that is asked', async () => {
  expect(toMessageBody({ content: '@everyone <@1>' }).allowed_mentions).toEqual({
    parse: [],
    users: [],
    replied_user: false,
  })
  expect(toMessageBody({ content: '<@1>', pings: '1' }).allowed_mentions).toMatchObject({
    users: ['1'],
  })
})
