import fc from 'fast-check'
import { DISCORD } from '../../src/model/core/platform'
import type { ProxyTag } from '../../src/model/core/validation'
import type { Member } from '../../src/model/members/member'
import { defaultProxyLimits } from '../../src/model/proxy/decide'
import { matchTags } from '../../src/model/proxy/tags'
import { deleteMember, insertMember } from '../../src/service/members/members'
import { patchSettings } from '../../src/service/systems/settings'
import { insertAccount } from '../../src/store/access/accountRows'
import { decideMessage } from '../tools/operatorActions'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const ACCOUNT = '100000000000000001'
const { deps, makeSystem } = createTestApp()
const { id } = await makeSystem()
const owner = { system: id, platform: null }
await deps.transact('new', (tx) => insertAccount(deps, tx, id, ACCOUNT))

/** Few letters, so that tags match often, and all with unusual case folding or encoding. */
const letters = [
  'a',
  'A',
  ' ',
  '\t',
  '<',
  '>',
  '-',
  'é',
  'İ',
  'Σ',
  'ς',
  '🐦',
  '\ufffd',
  '%',
  '\ufe0f',
]
const affix = fc.option(fc.string({ unit: fc.constantFrom(...letters), maxLength: 2 }))
const content = fc.string({ unit: fc.constantFrom(...letters, '\0', '<@1>'), maxLength: 4 })
const tag: fc.Arbitrary<ProxyTag> = fc
  .record({ prefix: affix, suffix: affix })
  .map(({ prefix, suffix }) => ({ prefix: prefix || null, suffix: suffix || null }))
  .filter(({ prefix, suffix }) => prefix !== null || suffix !== null)

/** Tags that each have a rule of their own and must not hide each other. */
const around = (prefix: string | null, suffix: string | null = null) => ({ prefix, suffix })
const examples: [ProxyTag[][], string[]][] = [
  // SQLite ends a text at a NUL character.
  [[[around('a', '-')]], ['ab\0c-']],
  // The longest leaves half an emoji, the next is a bracket of a mention, the third matches.
  [
    [[around('<')], [around('❤')], [around('❤\ufe0f')]],
    ['❤\ufe0f', '<❤\ufe0f', '<@1>'],
  ],
  [
    [[around(' ')], [around('❤ ', ' -')], [around('❤', '-')]],
    ['❤ \ufe0f -', '❤-', '❤ -'],
  ],
  [
    [[around('<', ' @1>')], [around('<', '@1>')], [around('<@', '1>')]],
    ['<@1>', ' <@1>'],
  ],
  [
    [[around('{', ' }')], [around('{ ', ' }')], [around('{', '  }')]],
    ['{}', '{ }', ' {}'],
  ],
  [
    [[around('ab'), around('a', 'b')], [around(null, 'bb')]],
    ['abb', 'abxbb', 'axb', 'axbb'],
  ],
]

describe.each([
  ['case-sensitive', true],
  ['case-insensitive', false],
])('%s candidate search', (sensitivity, case_sensitive_proxy_tags) => {
  test(`finds the same member as a search through all members (${sensitivity})`, async () => {
    await patchSettings(deps, owner, '@me', { case_sensitive_proxy_tags })
    let matches = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(tag, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(content, { minLength: 12, maxLength: 12 }),
        async (tagsOfEach, contents) => {
          const members = await deps.transact('new', async (tx) => {
            const created: Member[] = []
            for (const proxy_tags of tagsOfEach)
              created.push(await insertMember(tx, id, { name: 'Wren', proxy_tags }))
            return created
          })
          for (const content of contents)
            for (const has_attachments of [false, true]) {
              const match = matchTags(members, content, case_sensitive_proxy_tags)
              const isProxied = match && (has_attachments || match.content.trim() !== '')
              const expected = isProxied ? [match.member.hid, match.tag, match.content] : null
              const request = { ...message, content, has_attachments }
              const { decision } = await decideMessage(deps, request)
              const found =
                decision.action === 'proxy'
                  ? [decision.member.hid, decision.matched.tag, decision.message.content]
                  : null
              expect(found, JSON.stringify([tagsOfEach, request])).toEqual(expected)
              if (expected !== null) matches++
            }
          for (const { hid } of members) await deleteMember(deps, owner, hid)
        },
      ),
      { numRuns: examples.length + rounds(12), examples },
    )
    // The examples alone match seven times; without a match the test would prove nothing.
    expect(matches).toBeGreaterThanOrEqual(7)
  })
})

const message = {
  platform: DISCORD,
  limits: defaultProxyLimits,
  account_id: ACCOUNT,
  guild_id: '2',
  channel_id: '4',
  thread_id: null,
  has_attachments: false,
  has_poll: false,
  is_edit: false,
  previous: null,
  at: 0,
  dry_run: true,
}
