import { Database } from 'bun:sqlite'
import { DISCORD } from '../../../src/model/core/platform'
import type { ProxyTag } from '../../../src/model/core/validation'
import type { Member } from '../../../src/model/members/member'
import { defaultProxyLimits } from '../../../src/model/proxy/decide'
import { insertMember } from '../../../src/service/members/members'
import { insertAccount } from '../../../src/store/access/accountRows'
import { createBot, decideMessage, patchAutoproxy } from '../../tools/operatorActions'
import { createRecorder } from '../../tools/statementRecorder'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, isSqlite } from '../../tools/testApp'

const SMALL = '100000000000000001'
const LARGE = '100000000000000002'
const NESTED = '100000000000000003'
const MEMBERS = 250
const GUILD = '2'
const LATCHED = '3'

const { app, ask, deps, makeSystem } = createTestApp()
const authorization = `Bot ${await createBot(deps, 'discord')}`
await populate(SMALL, 2, createTags(4))
const largeMembers = await populate(LARGE, MEMBERS, createTags(100))
await populate(NESTED, 100, nestedTags)

const channel = { guild_id: GUILD, channel_id: '4' }

describe(`${MEMBERS} members with 100 tags each`, () => {
  test.each<[content: string, member: number, inner: string]>([
    ['96.249 hello', 249, ' hello'],
    ['0.111 hello', 111, ' hello'],
    ['0.11 hello', 11, ' hello'],
    ['0.1 hello', 1, ' hello'],
    ['hello -97.200', 200, 'hello '],
    ['0.111 hello -97.200', 200, '0.111 hello '],
    ['98.7[hello]98', 7, 'hello'],
    ['95.42{ hello }', 42, 'hello'],
    ['<@123456789012345678> 96.249hello', 249, '<@123456789012345678>  hello'],
    ['all: hello', 0, ' hello'],
  ])(`%j matches member %d of ${MEMBERS}`, async (content, at, inner) => {
    const { json } = await decide({ content })
    expect(json).toMatchObject({
      action: 'proxy',
      member: { id: largeMembers[at]?.hid },
      matched: { by: 'tags' },
      message: { content: inner },
    })
  })

  test('a tag without content matches among many members when there is an attachment', async () => {
    const { json } = await decide({ content: '95.42{}', has_attachments: true })
    expect(json).toMatchObject({ member: { name: 'Number 42' }, message: { content: '' } })
  })

  test.each(['hello', ' 0.111 hello', '98.7[hello]94', 'ALL: hello', '1000.1 hello'])(
    `%j matches none of ${MEMBERS} members`,
    async (content) => {
      expect((await decide({ content })).json).toEqual({ action: 'ignore', reason: 'no_match' })
    },
  )

  test('autoproxy uses the latched member among many', async () => {
    const { json } = await decide({ content: 'hello', guild_id: LATCHED })
    expect(json).toMatchObject({ member: { name: 'Number 177' }, matched: { mode: 'latch' } })
  })
})

describe('statements of a decision', () => {
  const { statements, recordStatements } = createRecorder()
  const watched = { ...deps, db: recordStatements(deps.db) }

  const statementsOf = async (account_id: string, content: string, guild_id: string) => {
    statements.length = 0
    const flags = { has_attachments: false, has_poll: false, is_edit: false, dry_run: false }
    const ids = { account_id, guild_id, channel_id: '4', thread_id: null, previous: null }
    const text = { platform: DISCORD, limits: defaultProxyLimits, content, at: 0 }
    await decideMessage(watched, { ...flags, ...ids, ...text })
    return [...statements]
  }

  /** Enough for a text of nine characters with a prefix of four. */
  const MAX_STATEMENTS = 25

  // PostgreSQL plans at run time, by its statistics.
  test.if(isSqlite).each([
    ['by tags', '0.1 hello', GUILD],
    ['without a match', 'hello', GUILD],
    ['by the latch', 'hello', LATCHED],
    ['by a tag that everyone has', 'all: hello', GUILD],
  ])('a decision %s runs few statements, all by an index', async (_, content, guild) => {
    using reader = new Database(app.storage.location, { readonly: true })
    for (const account of [SMALL, LARGE]) {
      const statements = await statementsOf(account, content, guild)
      expect(statements.length).toBeLessThanOrEqual(MAX_STATEMENTS)
      for (const statement of new Set(statements)) {
        expect(statement).toMatch(/^select /)
        const plan = reader.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all()
        // A scan of a subquery reads the fronters, which an index has found.
        const slow = /^SCAN (?!\(subquery)|TEMP B-TREE FOR ORDER/
        expect(plan.filter(({ detail }) => slow.test(detail))).toEqual([])
      }
    }
  })

  /** The winner, one for each way to trim its spaces, and the member of autoproxy. */
  const MAX_LOADS = 6

  test.each([
    ['that everyone has', 'all: hello', GUILD],
    ['that everyone has, around nothing', 'all:', LATCHED],
    ['that are prefixes of each other', 'a'.repeat(200), GUILD],
    ['that are suffixes of each other', `-${'b'.repeat(200)}`, GUILD],
    ['that match in a hundred ways', `${'a'.repeat(100)}${'b'.repeat(100)}`, LATCHED],
  ])('a decision loads few members for tags %s', async (_, content, guild) => {
    const statements = await statementsOf(NESTED, content, guild)
    const loads = statements.filter((statement) => statement.includes('"member_guilds"'))
    expect(loads.length).toBeGreaterThan(0)
    expect(loads.length).toBeLessThanOrEqual(MAX_LOADS)
    // Every existing prefix combined with every existing suffix.
    expect(statements.length).toBeLessThan(34 * 34 * 2)
  })

  test('a decision runs one statement for an account without a system', async () => {
    expect(await statementsOf('1', 'hello', GUILD)).toHaveLength(1)
  })
})

function decide(message: object) {
  const body = { account_id: LARGE, ...channel, ...message }
  return ask('POST /bot/proxy', { headers: { authorization }, body })
}

/**
 * Returns every kind of tag: a prefix, a suffix, both, and one with spaces. Tags of one member
 * begin with those of another (0.1, 0.11, 0.111), and all members share the last one.
 */
function createTags(count: number): (member: number) => ProxyTag[] {
  return (member) => {
    const tags = Array.from({ length: count - 1 }, (_, at): ProxyTag => {
      const name = `${at}.${member}`
      if (at % 4 === 0) return { prefix: name, suffix: null }
      if (at % 4 === 1) return { prefix: null, suffix: `-${name}` }
      if (at % 4 === 2) return { prefix: `${name}[`, suffix: `]${at}` }
      return { prefix: `${name}{ `, suffix: ' }' }
    })
    return [...tags, { prefix: 'all:', suffix: null }]
  }
}

/** Worst case: each tag also matches where a longer one does, and all members share all tags. */
function nestedTags(): ProxyTag[] {
  const tags = Array.from({ length: 33 }, (_, at): ProxyTag[] => [
    { prefix: 'a'.repeat(at + 1), suffix: null },
    { prefix: null, suffix: 'b'.repeat(at + 1) },
    { prefix: 'a'.repeat(at + 1), suffix: 'b'.repeat(at + 1) },
  ])
  return [...tags.flat(), { prefix: 'all:', suffix: null }]
}

async function populate(
  account: string,
  members: number,
  tagsFor: (member: number) => ProxyTag[],
): Promise<Member[]> {
  const { id } = await makeSystem(null)
  const created = await deps.transact('new', async (tx) => {
    await insertAccount(deps, tx, id, account)
    const all: Member[] = []
    for (let at = 0; at < members; at++) {
      const draft = { name: `Number ${at}`, proxy_tags: tagsFor(at) }
      all.push(await insertMember(tx, id, draft))
    }
    return all
  })
  const latched = created[177]?.hid ?? null
  await patchAutoproxy(deps, id, LATCHED, { autoproxy_mode: 'latch', autoproxy_member: latched })
  return created
}
