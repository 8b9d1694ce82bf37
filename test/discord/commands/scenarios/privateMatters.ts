import { expect } from '../../../tools/test'
import type { Conversations, Line } from '../conversations'

export const TOKEN = /[\w+/=-]{40,}/
const TOKEN_ALONE = /^[\w+/=-]{40,}$/
export const DIRECT = 'Check your direct messages'

const inDirect = { inDirect: true }
const isAbsent = (text: string) => expect(text).not.toMatch(TOKEN)

/** A file that an account uploads. */
export function jsonFile(text: string, size?: number) {
  return {
    filename: 'system.json',
    contentType: 'application/json',
    ...(size === undefined ? { text } : { size }),
  }
}

export const importFile = jsonFile(
  JSON.stringify({
    version: 2,
    name: 'Imported',
    members: [{ id: 'aaaaaa', name: 'MARKER-MEMBER', proxy_tags: [] }],
    groups: [],
    switches: [],
  }),
)

/** Uploads a file by text command in the guild. */
function importing(file: ReturnType<typeof jsonFile>, answer: Line['answer']): Line {
  return { say: 'pk;import', options: { files: [file] }, answer, lacks: ['MARKER'] }
}

/** Commands that show private fields of the own system. */
const ownViews = [
  'pk;m Wren',
  'pk;s',
  'pk;g Keepers',
  'pk;m Wren desc',
  'pk;s desc',
  'pk;g Keepers desc',
]

/** One conversation for each kind of private matter: in a guild, in a direct message, and by slash. */
export const privateConversations: Conversations = {
  'token: by direct message, or ephemerally': [
    {
      say: 'pk;token',
      answer: DIRECT,
      direct: 'called *Discord*.',
      after: ({ text, direct }) => {
        isAbsent(text)
        expect(direct.split('\n').filter((line) => TOKEN_ALONE.test(line))).toHaveLength(1)
      },
    },
    { say: 'pk;token', answer: DIRECT, direct: 'called *Discord 2*.' },
    { say: 'pk;token refresh', answer: DIRECT, direct: 'called *Discord*.' },
    { say: 'pk;token', options: inDirect, answer: 'called *Discord 3*.' },
    { use: 'token', answer: ['called *Discord 4*.', '`/token refresh:True` replaces'] },
    { use: 'token', with: { refresh: true }, answer: 'called *Discord*.' },
  ],
  'dashboard link: by direct message, or ephemerally': [
    { say: 'pk;dashboard', answer: DIRECT, direct: '#/login/', lacks: [] },
    { say: 'pk;dash', options: inDirect, answer: 'https://multitude.example/#/login/' },
    { use: 'dashboard', answer: 'https://multitude.example/#/login/' },
  ],
  'link code: by direct message; one in a guild is refused and deleted': [
    { say: 'pk;linkcode', answer: DIRECT, direct: 'Send this code' },
    { say: 'pk;linkcode', options: inDirect, answer: 'Send this code' },
    {
      say: 'pk;link ABCD-EFGH',
      by: 'guest',
      answer: '❌ Never show a code in a channel',
      deletesCommand: true,
    },
    { say: 'pk;link ABCDEFGH', by: 'guest', options: inDirect, answer: '❌ That code is wrong' },
    { use: 'link', with: { code: 'ABCDEFGH' }, by: 'guest', answer: '❌ That code is wrong' },
    { use: 'link', by: 'guest', answer: '❌ This links your account' },
    { use: 'link', with: { code: 'ABCDEFGH' }, answer: '❌ Your account already has a system' },
  ],
  'webhook for events: by direct message; an address in a guild is refused and deleted': [
    { say: 'pk;system webhook', answer: DIRECT, direct: 'No webhook is set' },
    {
      say: 'pk;system webhook https://example.com/secret',
      answer: '❌ Please send this to me in a direct message',
      deletesCommand: true,
    },
    {
      say: 'pk;s hook https://example.com/hook',
      options: inDirect,
      answer: 'signing token',
    },
    { say: 'pk;system webhook', options: inDirect, answer: 'https://example.com/hook' },
    {
      say: 'pk;system webhook',
      answer: DIRECT,
      direct: 'https://example.com/hook',
      after: ({ text }) => expect(text).not.toContain('example'),
    },
    { say: 'pk;system webhook -z', options: inDirect, answer: '❌ I do not know the flag `-z`' },
    { say: 'pk;system webhook -clear', options: inDirect, answer: 'was removed' },
    { say: 'pk;system webhook -c', options: inDirect, answer: '❌ No webhook is set' },
  ],
  'export: a file by direct message': [
    {
      say: 'pk;export',
      answer: DIRECT,
      after: ({ directFiles, message }) => {
        expect(directFiles.join()).toContain('"Wren"')
        expect(message?.attachments).toEqual([])
      },
    },
    {
      say: 'pk;export',
      options: inDirect,
      answer: 'Keep the file private',
      after: ({ message }) => expect(message?.attachments[0]?.text).toContain('"Wren"'),
    },
    {
      use: 'export',
      answer: DIRECT,
      after: ({ directFiles }) => expect(directFiles.join()).toContain('"Wren"'),
    },
    { say: 'pk;export', by: 'guest', answer: '❌ Your account has no system' },
  ],
  'import: counts without names in the channel': [
    ['pk;import', '❌ Attach the export file'],
    [
      'pk;import https://example.com/system.json',
      '❌ Attach the file to the command; I open no links',
    ],
    importing(jsonFile('', 2_000_000), '❌ The file is too large'),
    importing(jsonFile('{ nonsense'), '❌'),
    importing(importFile, ['Import this file?', '1 new member']),
    { press: 'Import', by: 'other', answer: 'Only the account that was asked' },
  ],
  'import: is done when it is confirmed': [
    importing(importFile, 'Import this file?'),
    { press: 'Import', answer: ['✅ Imported', '1 new member'], lacks: ['MARKER'] },
    ['pk;m MARKER-MEMBER', 'MARKER-MEMBER'],
    {
      say: 'pk;import',
      options: { inDirect: true, files: [importFile] },
      answer: ['Import this file?', 'Nothing in it is new'],
    },
    { press: 'Cancel', answer: 'Nothing was changed' },
    { use: 'import', with: { file: importFile }, answer: 'Import this file?' },
    { press: 'Import', answer: '✅ Imported' },
  ],
  'import: an account without a system sees the counts before a system is created': [
    {
      say: 'pk;import',
      by: 'guest',
      options: { files: [importFile] },
      answer: ['Create a system from this file?', '1 new member'],
    },
    { press: 'Import', by: 'guest', answer: ['✅ Imported', '1 new member'] },
    { say: 'pk;m MARKER-MEMBER', by: 'guest', answer: 'MARKER-MEMBER' },
  ],
  'own private fields: as the settings and flags say in a guild, always in private, never in public':
    [
      ['pk;m Wren desc MARKER', '✅'],
      ['pk;m Wren privacy description private', '✅'],
      ['pk;s desc MARKER', '✅'],
      ['pk;s privacy description private', '✅'],
      ['pk;g new Keepers', '✅'],
      ['pk;g Keepers desc MARKER', '✅'],
      ['pk;g Keepers privacy description private', '✅'],
      ...ownViews.flatMap((say): Line[] => [
        { say, answer: 'MARKER' },
        { say: `${say} -public`, lacks: ['MARKER'] },
        { say, options: inDirect, answer: 'MARKER' },
      ]),
      ['pk;cfg show private off', '✅'],
      ...ownViews.flatMap((say): Line[] => [
        { say, lacks: ['MARKER'] },
        { say: `${say} -private`, answer: 'MARKER' },
        { say, options: inDirect, answer: 'MARKER' },
      ]),
      ...(
        [
          ['member info', { member: 'Wren' }],
          ['system info', {}],
          ['group info', { group: 'Keepers' }],
        ] as const
      ).flatMap(([use, values]): Line[] => [
        { use, with: values, answer: 'MARKER' },
        { use, with: { ...values, public: true }, lacks: ['MARKER'], isPublic: true },
      ]),
    ],
  'other systems: what a stranger sees, everywhere': [
    ['pk;m Wren desc MARKER', '✅'],
    ['pk;m Wren privacy description private', '✅'],
    ['pk;m new Hidden', '✅'],
    ['pk;m Hidden dn MARKER', '✅'],
    ['pk;m Hidden private', '✅'],
    ['pk;s desc MARKER', '✅'],
    ['pk;s privacy description private', '✅'],
    ...[
      'pk;s <system>',
      'pk;s <system> desc',
      'pk;s <system> list -all',
      'pk;s <@<owner>> list',
    ].flatMap((say): Line[] => [
      { say, by: 'other', lacks: ['MARKER'] },
      { say: `${say} -private`, by: 'other', lacks: ['MARKER'] },
      { say, by: 'guest', options: inDirect, lacks: ['MARKER'] },
    ]),
    { use: 'system info', with: { id: '<system>' }, by: 'other', lacks: ['MARKER'] },
    { use: 'system info', with: { account: '<owner>' }, by: 'other', lacks: ['MARKER'] },
    { use: 'member list', with: { account: '<owner>' }, by: 'other', lacks: ['MARKER'] },
    { use: 'front now', with: { account: '<owner>' }, by: 'other', answer: 'no switches' },
  ],
  'links another account only if it accepts': [
    ['pk;link <owner>', '❌ That account is already linked'],
    ['pk;link <@<other>>', '❌ That account is linked to another system'],
    ['pk;link 123456789012345678', '❌ There is no such account'],
    ['pk;unlink', '❌ This is the last account'],
    ['pk;unlink <guest>', '❌ That account is not linked'],
    ['pk;link <@<guest>>', 'wants to link your account'],
    { press: 'Decline', by: 'guest', answer: 'Cancelled' },
    ['pk;link <guest>', 'wants to link your account'],
    { press: 'Accept', answer: 'Only the account that was asked' },
  ],
  'an account that accepts is linked and can be unlinked': [
    ['pk;link <@<guest>>', 'wants to link your account'],
    { press: 'Accept', by: 'guest', answer: 'is now linked' },
    { say: 'pk;system', by: 'guest', answer: 'Lantern Hill' },
    ['pk;unlink <guest>', 'Unlink'],
    { press: 'Yes', answer: 'no longer linked' },
    { say: 'pk;system', by: 'guest', answer: 'has no system' },
    { use: 'system link', with: { account: '<guest>' }, answer: 'wants to link', isPublic: true },
    { press: 'Accept', by: 'guest', answer: 'is now linked' },
    { use: 'system unlink', with: { account: '<guest>' }, answer: 'Unlink' },
    { press: 'Yes', answer: 'no longer linked' },
  ],
}
