import type { Claim, ClaimDraft } from '../../../src/model/core/discord'
import { discordBot } from '../../../src/model/core/privacy'
import {
  claimEvent,
  describeClaim,
  findDroppedClaim,
  listUnfinishedClaims,
  recordClaimedMessage,
  STALE_CLAIM_MS,
  settleClaim,
  startClaimCleanup,
} from '../../../src/service/discord/claims'
import { insertMember } from '../../../src/service/members/members'
import { linkAccount } from '../../tools/operatorActions'
import { outcomeOf } from '../../tools/outcomeOf'
import { execute, rows } from '../../tools/rawSql'
import { beforeEach, describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { app, deps, makeSystem } = createTestApp()
await app.started
const system = await makeSystem('Lantern Hill')
const [ACCOUNT, GUILD, CHANNEL] = ['100000000000000001', '200000000000000001', '300000000000000001']
await linkAccount(deps, system.id, ACCOUNT)
const wren = await deps.transact({ system: system.id }, (tx) =>
  insertMember(tx, system.id, { name: 'Wren', created: deps.now() }),
)

const HOUR_MS = 60 * 60 * 1000

const draft = (id: string, change: Partial<ClaimDraft> = {}): ClaimDraft => ({
  id,
  kind: 'message',
  node: 'one:1',
  guild: GUILD,
  channel: CHANNEL,
  thread: null,
  sender: ACCOUNT,
  member: wren.uuid,
  digest: 'd'.repeat(64),
  ...change,
})
const claim = (id: string, change?: Partial<ClaimDraft>) =>
  claimEvent(deps, discordBot, draft(id, change))
const record = (original: string, change: { id?: string; member?: string } = {}) =>
  recordClaimedMessage(deps, discordBot, {
    id: `9${original}`,
    original,
    sender: ACCOUNT,
    channel: CHANNEL,
    guild: GUILD,
    member: wren.uuid,
    timestamp: null,
    ...change,
  })
const allClaims = () => rows<Claim>(deps.db, 'select * from discord_claims order by id')
const states = async () =>
  Object.fromEntries((await allClaims()).map(({ id, state }) => [id, state]))
const unfinished = async () => (await listUnfinishedClaims(deps, discordBot)).map(({ id }) => id)
const setAge = (id: string, ms: number) =>
  deps.transact('new', (tx) =>
    execute(tx, 'update discord_claims set at = at - :ms where id = :id', { id, ms }),
  )

beforeEach(() => deps.transact('new', (tx) => execute(tx, 'delete from discord_claims')))

describe('a claim', () => {
  test('is taken once, whichever process asks again', async () => {
    expect(await claim('1')).toBe(true)
    expect(await claim('1', { node: 'one:2' })).toBe(false)
    expect(await claim('1', { node: 'two:1' })).toBe(false)
    expect(await claim('2', { node: 'two:1' })).toBe(true)
  })

  test('is taken by one of many that ask at the same time', async () => {
    const nodes = Array.from({ length: 20 }, (_, at) => `node:${at}`)
    const taken = await Promise.all(nodes.map((node) => claim('1', { node })))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  test('can be repeated by the attempt that took it, whose response may have been lost', async () => {
    expect([await claim('1'), await claim('1')]).toEqual([true, true])
    expect(await allClaims()).toHaveLength(1)
  })

  test('that was dropped is replaced by one edit of its message, and by no repeated event', async () => {
    await claim('1', { node: 'one:1' })
    expect(await findDroppedClaim(deps, discordBot, '1')).toBeNull()
    await settleClaim(deps, discordBot, '1', 'dropped')
    expect(await claim('1', { node: 'one:2' })).toBe(false)
    const dropped = await findDroppedClaim(deps, discordBot, '1')
    const edit = (node: string) =>
      claimEvent(deps, discordBot, draft('1', { node, digest: 'e' }), dropped)
    const taken = await Promise.all(['one:3', 'one:4', 'two:1'].map(edit))
    expect(taken.filter(Boolean)).toHaveLength(1)
    const [replaced] = await allClaims()
    expect(replaced).toMatchObject({ state: 'sending', digest: 'e' })
    expect(await findDroppedClaim(deps, discordBot, '1')).toBeNull()
  })

  test.each(['done', 'recorded', 'sending'])(
    'that is %s is not replaced by an edit',
    async (state) => {
      await claim('1')
      await settleClaim(deps, discordBot, '1', 'dropped')
      const dropped = await findDroppedClaim(deps, discordBot, '1')
      await deps.transact('new', (tx) =>
        execute(tx, 'update discord_claims set state = :state', { state }),
      )
      const edit = draft('1', { node: 'one:2', digest: 'e' })
      expect(await claimEvent(deps, discordBot, edit, dropped)).toBe(false)
    },
  )

  test('stores who handles the event, and no content', async () => {
    const before = Date.now()
    await claim('1', { thread: '7' })
    const [stored] = await allClaims()
    expect(stored).toEqual({
      ...draft('1', { thread: '7' }),
      state: 'sending',
      at: expect.any(Number),
    })
    expect(Math.abs((stored?.at ?? 0) - before)).toBeLessThan(HOUR_MS)
  })

  test('of a command without a member is described before its message is sent', async () => {
    await claim('1', { kind: 'command', guild: null, member: null, digest: null })
    await describeClaim(deps, discordBot, '1', {
      channel: '5',
      thread: '6',
      member: wren.uuid,
      digest: 'e',
    })
    const [described] = await allClaims()
    expect(described).toMatchObject({
      ...{ kind: 'command', guild: null, channel: '5', thread: '6' },
      ...{ member: wren.uuid, digest: 'e' },
    })
  })

  test('is recorded in the transaction of its message, and ends as done', async () => {
    await claim('1')
    expect(await record('1')).toMatchObject({ isNew: true })
    expect(await states()).toEqual({ 1: 'recorded' })
    await settleClaim(deps, discordBot, '1', 'done')
    expect(await states()).toEqual({ 1: 'done' })
  })

  test('stays done when its record is repeated', async () => {
    await claim('2')
    await record('2')
    await settleClaim(deps, discordBot, '2', 'done')
    expect(await record('2')).toMatchObject({ isNew: false })
    expect(await states()).toEqual({ 2: 'done' })
  })

  test('stays sending when its message cannot be recorded', async () => {
    await claim('3')
    expect(await outcomeOf(record('3', { member: 'zzzzzz' }))).toThrow()
    await claim('4')
    await record('4')
    expect(await outcomeOf(record('3', { id: '94' }))).toThrow()
    expect(await states()).toEqual({ 3: 'sending', 4: 'recorded' })
  })

  test('is not needed to record a message', async () => {
    expect(await record('5')).toMatchObject({ isNew: true })
    expect(await allClaims()).toEqual([])
  })
})

describe('recovery', () => {
  test('lists exactly the claims that have been sending for longer than 20 seconds', async () => {
    expect(STALE_CLAIM_MS).toBe(20_000)
    // The time is that of the database, so claims before and after the list tell when it was read.
    await claim('before')
    for (let seconds = 10; seconds <= 30; seconds++) {
      await claim(String(seconds))
      await setAge(String(seconds), seconds * 1000)
    }
    const listed = await unfinished()
    await claim('after')
    const times = new Map((await allClaims()).map(({ id, at }) => [id, at]))
    const [before = 0, after = 0] = [times.get('before'), times.get('after')]
    expect(listed).toContain('30')
    for (const [id, at] of times)
      if (listed.includes(id)) expect(at).toBeLessThan(after - STALE_CLAIM_MS)
      else expect(at).toBeGreaterThanOrEqual(before - STALE_CLAIM_MS)
  })

  test('lists recorded claims and old claims that are still sending, of every process', async () => {
    for (const id of ['1', '2', '3', '4', '5']) await claim(id, { node: `node:${id}` })
    await record('11')
    await claim('11')
    // These stay fresh, however long the test takes.
    for (const id of ['1', '3']) await setAge(id, -HOUR_MS)
    await setAge('2', 21_000)
    await setAge('4', 21_000)
    await settleClaim(deps, discordBot, '4', 'dropped')
    await deps.transact('new', (tx) =>
      execute(tx, "update discord_claims set state = 'recorded' where id = '5'"),
    )
    expect(await unfinished()).toEqual(['2', '5'])
  })

  test('lists claims with everything that finding their message needs, oldest first', async () => {
    for (const id of ['1', '2']) await claim(id)
    await setAge('1', 30_000)
    await setAge('2', 40_000)
    const found = await listUnfinishedClaims(deps, discordBot)
    expect([...found]).toEqual([
      { ...draft('2'), state: 'sending', at: expect.any(Number) },
      { ...draft('1'), state: 'sending', at: expect.any(Number) },
    ])
  })
})

describe('old claims', () => {
  test('are deleted after an hour in every state, and others are kept', async () => {
    const old = ['1', '2', '3', '4']
    for (const id of [...old, '5', '6']) await claim(id)
    for (const id of old) await setAge(id, HOUR_MS + 1_000)
    await setAge('5', HOUR_MS - 60_000)
    await settleClaim(deps, discordBot, '2', 'done')
    await settleClaim(deps, discordBot, '3', 'dropped')
    await deps.transact('new', (tx) =>
      execute(tx, "update discord_claims set state = 'recorded' where id = '4'"),
    )
    await cleanUp()
    expect(Object.keys(await states())).toEqual(['5', '6'])
  })

  test('from before the clock was set back are deleted', async () => {
    await claim('1')
    await setAge('1', -2 * HOUR_MS)
    await cleanUp()
    expect(await allClaims()).toEqual([])
  })

  test('are deleted in batches', async () => {
    await deps.transact('new', async (tx) => {
      for (let id = 0; id < 1_100; id++)
        await execute(
          tx,
          `insert into discord_claims (id, kind, state, node, at, channel, sender)
           values (:id, 'message', 'done', 'n', 0, '1', '2')`,
          { id: String(id) },
        )
    })
    await cleanUp()
    expect(await allClaims()).toEqual([])
  })

  test('are left to the process that may delete them', async () => {
    await claim('1')
    await setAge('1', 2 * HOUR_MS)
    await cleanUp(false)
    expect(Object.keys(await states())).toEqual(['1'])
  })

  async function cleanUp(isLeader = true) {
    const warnings: string[] = []
    const task = startClaimCleanup(deps, {
      isLeader: () => isLeader,
      warn: (message) => warnings.push(message),
    })
    await task.runNow()
    await task.stop()
    expect(warnings).toEqual([])
  }
})
