import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ProxyTag } from '../../src/model/check'
import type { Member } from '../../src/model/member'
import { matchTags } from '../../src/model/proxyTags'
import { insertAccount } from '../../src/service/accounts'
import { deleteMember, insertMember } from '../../src/service/members'
import { decideMessage } from '../../src/service/proxying'
import { patchSettings } from '../../src/service/settings'
import { home } from '../kit'

const ACCOUNT = '100000000000000001'
const { deps, makeSystem } = home()
const { id } = await makeSystem()
const owner = { system: id, bot: false }
await deps.transact((tx) => insertAccount(deps, tx, id, ACCOUNT))
await patchSettings(deps, owner, '@me', { case_sensitive_proxy_tags: false })

/** Few letters, so that tags are often around a content, and all that fold or spell oddly. */
const letters = ['a', 'A', ' ', '<', '>', '-', 'é', 'İ', 'Σ', 'ς', '🐦', '\ufffd', '%']
const affix = fc.option(fc.constantFrom('', ...letters))
const content = fc.string({ unit: fc.constantFrom(...letters, '\0'), maxLength: 4 })
const tag: fc.Arbitrary<ProxyTag> = fc
  .record({ prefix: affix, suffix: affix })
  .map(({ prefix, suffix }) => ({ prefix: prefix || null, suffix: suffix || null }))
  .filter(({ prefix, suffix }) => prefix !== null || suffix !== null)

describe('whoever is meant by their tags', () => {
  test('is among those that are looked up, whatever the tags and the content', async () => {
    let met = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(tag, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(content, { minLength: 12, maxLength: 12 }),
        async (tagsOfEach, contents) => {
          const members = await deps.transact(async (tx) => {
            const made: Member[] = []
            for (const proxy_tags of tagsOfEach)
              made.push(await insertMember(tx, id, { name: 'Wren', proxy_tags }))
            return made
          })
          for (const content of contents) {
            const match = matchTags(members, content, false)
            const meant = match && match.content.trim() !== '' ? match.member.hid : null
            const { decision } = await decideMessage(deps, { ...heard, content })
            expect(decision.action === 'proxy' ? decision.member.hid : null).toBe(meant)
            if (meant !== null) met++
          }
          for (const { hid } of members) await deleteMember(deps, owner, hid)
        },
      ),
      // SQLite takes a text to end where a zero is.
      { numRuns: 150, examples: [[[[{ prefix: 'a', suffix: '-' }]], ['ab\0c-']]] },
    )
    // Contents that no tag is around would prove nothing.
    expect(met).toBeGreaterThan(100)
  })
})

const heard = {
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
