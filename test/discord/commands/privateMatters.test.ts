import { operator } from '../../../src/model/privacy'
import { disableSystem } from '../../../src/service/admin/disableSystem'
import { expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { createChat } from './chat'
import { runConversations } from './conversations'

const testApp = createTestApp()
const chat = createChat(testApp, { publicUrl: 'https://multitude.example' })

const file = (name: string, size = 100) => ({
  url: `https://cdn.discordapp.com/attachments/1/2/${name}`,
  filename: name,
  size,
  contentType: 'application/json',
})

chat.discord.files.set(
  file('system.json').url,
  JSON.stringify({
    version: 2,
    name: 'Imported',
    members: [{ id: 'aaaaaa', name: 'MARKER-MEMBER', proxy_tags: [] }],
    groups: [],
    switches: [],
  }),
)
chat.discord.files.set(file('broken.json').url, '{ nonsense')

const TOKEN = /[\w+/=-]{40,}/

runConversations(chat, {
  'sends secrets by direct message only': [
    {
      say: 'pk;token',
      answer: 'Check your direct messages',
      direct: 'replaces the one',
      lacks: ['Your token is'],
    },
    { say: 'pk;token refresh', answer: 'Check your direct messages', direct: TOKEN },
    { say: 'pk;token refresh', options: { inDirect: true }, answer: TOKEN },
    { say: 'pk;dashboard', answer: 'Check your', direct: 'https://multitude.example/#/login/' },
    { say: 'pk;linkcode', answer: 'Check your', direct: 'Send this code' },
    { say: 'pk;system webhook', answer: 'Check your', direct: 'No webhook is set' },
  ],
  'never shows a secret in the channel if direct messages are refused': [
    {
      say: 'pk;token refresh',
      options: { refusesDirect: true },
      answer: '❌ I could not send you a direct message',
      after: ({ text }) => expect(text).not.toMatch(TOKEN),
    },
    {
      say: 'pk;export',
      options: { refusesDirect: true },
      answer: '❌ I could not send you a direct message',
      after: ({ answer }) => expect(answer?.files).toBeUndefined(),
    },
  ],
  'refuses codes and addresses in a channel, and deletes the message': [
    {
      say: 'pk;link ABCD-EFGH',
      answer: '❌ Never show a code in a channel',
      after: ({ deletesCommand }) => expect(deletesCommand).toBe(true),
    },
    {
      say: 'pk;system webhook https://example.com/secret',
      answer: '❌ Please send this to me in a direct message',
      after: ({ deletesCommand }) => expect(deletesCommand).toBe(true),
    },
    {
      say: 'pk;system webhook https://example.com/hook',
      options: { inDirect: true },
      answer: 'signing token',
    },
    { say: 'pk;system webhook', options: { inDirect: true }, answer: 'https://example.com/hook' },
    { say: 'pk;system webhook -clear', options: { inDirect: true }, answer: 'was removed' },
  ],
  'exports to a direct message': [
    {
      say: 'pk;export',
      answer: 'Check your direct messages',
      after: ({ directFiles }) => expect(directFiles.join()).toContain('"Wren"'),
    },
  ],
  'imports an attached file after a dry run, without names in the channel': [
    ['pk;import', '❌ Attach the export file'],
    {
      say: 'pk;import',
      options: { files: [file('system.json', 2_000_000)] },
      answer: '❌ The file is too large',
    },
    { say: 'pk;import', options: { files: [file('broken.json')] }, answer: '❌' },
    {
      say: 'pk;import',
      options: { files: [file('system.json')] },
      answer: ['Import this file?', '1 new member'],
      lacks: ['MARKER'],
    },
    { press: 'Import', answer: ['✅ Imported', '1 new member'], lacks: ['MARKER'] },
    ['pk;m MARKER-MEMBER', 'MARKER-MEMBER'],
  ],
  'links another account only if it accepts': [
    ['pk;link <owner>', '❌ That account is already linked'],
    ['pk;link <@<other>>', '❌ That account is linked to another system'],
    ['pk;link 123456789012345678', 'wants to link your account'],
    { press: 'Accept', answer: 'Only the account that was asked' },
    ['pk;unlink', '❌ This is the last account'],
    ['pk;unlink 123456789012345678', '❌ That account is not linked'],
  ],
})

test('an account that accepts is linked and can be unlinked', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  const guest = chat.newcomer()
  const asked = await owner.say(`pk;link <@${guest.account}>`)
  expect(asked.answer).toMatchObject({ pings: guest.account })
  expect((await guest.press('Accept', asked.answer)).text).toContain('is now linked')
  expect((await guest.say('pk;system')).text).toContain('Lantern Hill')
  const unlinking = await owner.say(`pk;unlink ${guest.account}`)
  expect((await owner.press('Yes', unlinking.answer)).text).toContain('no longer linked')
  expect((await guest.say('pk;system')).text).toContain('has no system')
})

test('a question is not answered for a system that the account has left', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  const guest = chat.newcomer()
  await guest.press('Accept', (await owner.say(`pk;link <@${guest.account}>`)).answer)
  const clearing = await guest.say('pk;system name -clear')
  expect(clearing.text).toContain('Clear the name')
  await owner.say(`pk;unlink ${guest.account} -y`)
  expect((await guest.press('Yes', clearing.answer)).text).toContain('❌ This question has expired')
  expect((await owner.say('pk;system')).text).toContain('Lantern Hill')
})

test('a link request expires after five minutes', async () => {
  const owner = await chat.newSystem()
  const guest = chat.newcomer()
  const asked = await owner.say(`pk;link <@${guest.account}>`)
  chat.wait(6)
  expect((await guest.press('Accept', asked.answer)).text).toContain('has expired')
  expect((await guest.say('pk;system')).text).toContain('has no system')
})

test('a code of another platform links the account in private', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  const guest = chat.newcomer()
  const { direct } = await owner.say('pk;linkcode')
  const [, code = ''] = /``(\w{8})``/.exec(direct) ?? []
  expect((await guest.say('pk;link WRONGCODE', { inDirect: true })).text).toContain(
    '❌ That code is wrong',
  )
  expect((await guest.say(`pk;link ${code}`, { inDirect: true })).text).toContain('now linked')
  expect((await guest.say('pk;system')).text).toContain('Lantern Hill')
})

test('an import without a system creates one, and a broken file leaves none', async () => {
  const broken = chat.newcomer()
  const asked = await broken.say('pk;import', { files: [file('broken.json')] })
  expect((await broken.press('Import', asked.answer)).text).toContain('❌')
  expect((await broken.say('pk;system')).text).toContain('has no system')
  const newcomer = chat.newcomer()
  const question = await newcomer.say('pk;import', { files: [file('system.json')] })
  expect((await newcomer.press('Import', question.answer)).text).toContain('✅ Imported')
  expect((await newcomer.say('pk;list')).text).toContain('MARKER-MEMBER')
})

test('imports and exports have a limit of their own', async () => {
  const owner = await chat.newSystem()
  for (let count = 0; count < 3; count++)
    expect((await owner.say('pk;export')).text).toContain('Check')
  expect((await owner.say('pk;export')).text).toContain('⏳')
})

test('without a public address there is no dashboard link', async () => {
  const local = createChat(testApp)
  const owner = await local.newSystem()
  expect((await owner.say('pk;dash')).text).toContain('❌ This server has no public address')
})

test('a disabled system gets the refusal of the operator', async () => {
  const owner = await chat.newSystem('Lantern Hill')
  await disableSystem(testApp.deps, { ...operator, system: owner.system.id })
  for (const command of ['pk;system', 'pk;member new Finch', 'pk;token refresh', 'pk;switch out']) {
    const { text, direct } = await owner.say(command)
    expect(text).toContain('❌')
    expect(text + direct).not.toContain('Lantern')
    expect(direct).not.toMatch(TOKEN)
  }
})

test('every command answers within the limit, then one notice, then silence', async () => {
  const owner = await chat.newSystem()
  const { context } = chat.createContext(owner.account, {})
  const allowances = Array.from({ length: 8 }, () => context.rateLimit.request('1', 'command'))
  expect(allowances).toEqual(['run', 'run', 'run', 'run', 'run', 'notice', 'silence', 'silence'])
})
