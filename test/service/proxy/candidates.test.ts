import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Member } from '../../../src/model/member'
import { DISCORD } from '../../../src/model/platform'
import { usualLimits } from '../../../src/model/proxy/decide'
import { matchTags } from '../../../src/model/proxy/tags'
import type { ProxyTag } from '../../../src/model/validation'
import { insertAccount } from '../../../src/service/accounts'
import { deleteMember, insertMember } from '../../../src/service/members'
import { patchSettings } from '../../../src/service/settings'
import { decideMessage } from '../../operatorActions'
import { createTestApp } from '../../testApp'

const ACCOUNT = '100000000000000001'
const { deps, makeSystem } = createTestApp()
const { id } = await makeSystem()
const owner = { system: id, platform: null }
await deps.transact('new', (tx) => insertAccount(deps, tx, id, ACCOUNT))

/** Few letters, so that tags are often around a content, and all that fold or spell oddly. */
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

/** One tag of everything that has its own rule: they must not hide each other. */
const around = (prefix: string | null, suffix: string | null = null) => ({ prefix, suffix })
const examples: [ProxyTag[][], string[]][] = [
  // SQLite takes a text to end where a zero is.
  [[[around('a', '-')]], ['ab\0c-']],
  // The longest leaves half an emoji, the next is somebody's bracket, the third counts.
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
  ['as they are written', true],
  ['in any case', false],
])('whoever is meant by their tags, %s', (_, case_sensitive_proxy_tags) => {
  test('is found as if all members had been looked at, whatever the tags and the content', async () => {
    await patchSettings(deps, owner, '@me', { case_sensitive_proxy_tags })
    let met = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(tag, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(content, { minLength: 12, maxLength: 12 }),
        async (tagsOfEach, contents) => {
          const members = await deps.transact('new', async (tx) => {
            const made: Member[] = []
            for (const proxy_tags of tagsOfEach)
              made.push(await insertMember(tx, id, { name: 'Wren', proxy_tags }))
            return made
          })
          for (const content of contents)
            for (const has_attachments of [false, true]) {
              const match = matchTags(members, content, case_sensitive_proxy_tags)
              const isMeant = match && (has_attachments || match.content.trim() !== '')
              const meant = isMeant ? [match.member.hid, match.tag, match.content] : null
              const asked = { ...heard, content, has_attachments }
              const { decision } = await decideMessage(deps, asked)
              const found =
                decision.action === 'proxy'
                  ? [decision.member.hid, decision.matched.tag, decision.message.content]
                  : null
              expect(found, JSON.stringify([tagsOfEach, asked])).toEqual(meant)
              if (meant !== null) met++
            }
          for (const { hid } of members) await deleteMember(deps, owner, hid)
        },
      ),
      { numRuns: 150, examples },
    )
    // Contents that no tag is around would prove nothing.
    expect(met).toBeGreaterThan(100)
  }, 60_000)
})

const heard = {
  platform: DISCORD,
  limits: usualLimits,
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
