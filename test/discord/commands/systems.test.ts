import { expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { createChat } from './chat'
import { runConversations } from './conversations'

const chat = createChat(createTestApp())

runConversations(chat, {
  'shows the own system, by ID, by account and by mention': [
    ['pk;system', ['Lantern Hill', 'System ID: <system>', 'Members: 1']],
    ['pk;s <harbour>', 'Harbour'],
    ['pk;s <other>', 'Harbour'],
    ['pk;s <@<other>>', 'Harbour'],
    ['pk;system id', '<system>'],
    ['pk;system <harbour> id', '<harbour>'],
    ['pk;system nonsense', '❌ There is no such system'],
    ['pk;system 999999999999999999', 'has no system'],
  ],
  'sets, shows and clears each field': [
    ['pk;system name Hill of Lanterns', ['✅', 'Hill of Lanterns']],
    ['pk;system rn', 'Hill of Lanterns'],
    ['pk;system tag | LH', '✅'],
    ['pk;system t -raw', '```\n| LH\n```'],
    ['pk;system desc first *line*\nsecond [link](https://example.com)', '✅'],
    ['pk;system description', ['first *line*\nsecond', 'link\\](https']],
    ['pk;system bio -plaintext', 'first \\*line\\*'],
    ['pk;system pronouns they/them', 'they/them'],
    ['pk;system colour #FF8800', '#ff8800'],
    ['pk;system color blue', '❌ colour: Must be six'],
    ['pk;system avatar https://example.com/a.png', 'https://example.com/a.png'],
    ['pk;system icon', 'https://example.com/a.png'],
    ['pk;system banner not an address', '❌'],
    ['pk;system desc -clear', 'Clear the description'],
    { press: 'Yes', answer: 'description cleared' },
    ['pk;system desc', 'has no description'],
    ['pk;system tag -clear -y', 'tag cleared'],
    ['pk;system pronouns clear', 'Clear the pronouns'],
    ['no', 'Cancelled'],
    ['pk;system pronouns', 'they/them'],
    ['pk;system pronouns clear', 'Clear the pronouns'],
    ['YES', 'pronouns cleared'],
    ['yes', null],
    [`pk;system name ${'x'.repeat(101)}`, ['❌ name: Too long', '101']],
  ],
  'takes a picture from an upload or a mention': [
    {
      say: 'pk;system avatar',
      options: {
        files: [
          {
            url: 'https://cdn.discordapp.com/attachments/1/2/a.png?ex=1&hm=2',
            filename: 'a.png',
            size: 10,
            contentType: 'image/png',
          },
        ],
      },
      answer: 'https://cdn.discordapp.com/attachments/1/2/a.png',
      lacks: ['hm=2'],
    },
    {
      say: 'pk;system avatar',
      options: {
        files: [{ url: 'https://x/a.txt', filename: 'a.txt', size: 1, contentType: 'text/plain' }],
      },
      answer: '❌ The attached file is not a picture',
    },
    ['pk;system avatar <@<other>>', 'avatars/1/a.png'],
  ],
  'keeps settings of this server apart': [
    ['pk;system servername Hill', '✅'],
    ['pk;system sn', 'Hill'],
    ['pk;system servertag |LH|', '✅'],
    ['pk;system st', 'LH'],
    ['pk;system servertag -disable', 'hidden'],
    ['pk;system servertag -enable', 'shown'],
    ['pk;system serveravatar https://example.com/s.png', '✅'],
    {
      say: 'pk;system servername',
      options: { inDirect: true },
      answer: '❌ This works in servers only',
    },
    ['pk;system proxy', 'is on'],
    ['pk;system proxy off', 'now off'],
    ['pk;proxy', 'is off'],
    ['pk;proxy on', 'now on'],
    { say: 'pk;proxy 500000000000000001 off', options: { inDirect: true }, answer: 'now off' },
    ['pk;proxy maybe', '❌ Say `on` or `off`'],
  ],
  'changes privacy': [
    ['pk;system privacy', ['Description: Public', 'Front history: Public']],
    ['pk;system privacy fronthistory private', 'fronthistory is now private'],
    ['pk;system privacy all private', 'everything is now private'],
    ['pk;system privacy', 'Description: Private'],
    ['pk;system privacy nonsense public', '❌ Choose one of: name'],
    ['pk;system privacy desc', '❌ Say `public` or `private`'],
    ['pk;system <harbour> privacy all public', '❌ That does not belong'],
  ],
  'lists and finds members': [
    ['pk;member new Finch', '✅'],
    ['pk;list', ['Members of Lantern Hill', 'Finch', 'Wren', '2 results']],
    ['pk;system list -reverse', /Wren[\s\S]*Finch/],
    ['pk;system list full', ['Finch', 'Wren']],
    ['pk;find fin', ['Finch', '1 result']],
    { say: 'pk;find fin', lacks: ['Wren'] },
    ['pk;system <harbour> list', ['Members of Harbour', 'Nothing was found']],
    ['pk;member Wren private', 'everything is now private'],
    { say: 'pk;list', answer: '1 not shown', lacks: ['Wren'] },
    ['pk;list -all', 'Wren'],
    { say: 'pk;list -private-only', answer: 'Wren', lacks: ['Finch'] },
    { say: 'pk;s <system> list', by: 'other', answer: 'Finch', lacks: ['Wren'] },
    { say: 'pk;s <system> list -all -private', by: 'other', answer: 'Finch', lacks: ['Wren'] },
  ],
  'lists groups': [
    ['pk;group new Keepers', '✅'],
    ['pk;system groups', 'Keepers'],
    ['pk;group list', 'Keepers'],
  ],
  'shows a random member or group': [
    ['pk;random', 'Wren'],
    ['pk;r -group', '❌ Nothing was found'],
    ['pk;group new Keepers', '✅'],
    ['pk;random -group', 'Keepers'],
  ],
  'shows front, history and shares': [
    ['pk;system fronter', 'There are no switches'],
    ['pk;switch Wren', 'Now fronting: Wren'],
    ['pk;system f', ['Current fronter', 'Wren']],
    ['pk;s fh', 'Wren'],
    ['pk;switch move 2h -y', '✅'],
    ['pk;s fp', ['Share of front time', 'Wren: 0.3%']],
    ['pk;s fp 2w', 'Wren'],
    ['pk;s fp nonsense', '❌ That is not a period'],
    ['pk;system privacy front private', '✅'],
    ['pk;system privacy fronthistory private', '✅'],
    { say: 'pk;s <system> fronter', by: 'other', answer: '❌ That is private', lacks: ['Wren'] },
    { say: 'pk;s <system> fh', by: 'other', answer: '❌ That is private', lacks: ['Wren'] },
    { say: 'pk;s <system> fp', by: 'other', answer: '❌ That is private', lacks: ['Wren'] },
  ],
  'deletes a system only when its ID is typed': [
    ['pk;system delete', ['export', '<system>']],
    ['wrong', '❌ That does not match'],
    ['pk;system', 'Lantern Hill'],
    ['pk;system yeet', '<system>'],
    { say: '<system>', by: 'other', answer: null },
    ['<system>', 'was deleted'],
    ['pk;system', '❌ Your account has no system'],
    ['pk;system new Again', '✅ Your system was created'],
  ],
  'refuses to change another system': [
    ['pk;system <harbour> name Mine', '❌ That does not belong to your system'],
    ['pk;system <harbour> desc -clear -y', '❌ That does not belong'],
    ['pk;system <harbour> servername Mine', '❌ That does not belong'],
    ['pk;system new', '❌ Your account already has a system'],
  ],
})

test('accounts without a system can create one', async () => {
  const newcomer = chat.newcomer()
  expect((await newcomer.say('pk;system')).text).toContain('has no system yet')
  const created = await newcomer.say('pk;system new Lantern "Hill"')
  expect(created.text).toContain('✅ Your system was created')
  expect(created.direct).toBe('')
  expect((await newcomer.say('pk;system')).text).toContain('Lantern "Hill"')
})

test('an invite code is accepted in private only', async () => {
  const invited = createChat(createTestApp({ REGISTRATION: 'invite' }))
  const newcomer = invited.newcomer()
  const inGuild = await newcomer.say('pk;system new CODE')
  expect(inGuild).toMatchObject({ deletesCommand: true })
  expect(inGuild.text).toContain('❌ You need an invite code')
  expect((await newcomer.say('pk;system new', { inDirect: true })).text).toContain('invite code')
})
