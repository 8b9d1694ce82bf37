import { describe, expect, test } from 'bun:test'
import { formatInstant, type Instant, MINUTE, SECOND } from '../../src/model/time'
import { insertAccount } from '../../src/service/accounts'
import { createBot } from '../operatorActions'
import { at } from '../scenarios'
import { createTestApp, type TestSystem } from '../testApp'

/** What a machine says whose clock can be set back; a program that starts anew knows no better. */
let clock: Instant = at('2026-05-01T12:00:00Z')
const { ask, deps, makeSystem } = createTestApp({ now: () => clock++ })
const authorization = `Bot ${await createBot(deps, 'clock')}`
let accounts = 0

/** Ways to log a switch without saying when. */
const ways: Record<string, (who: Fronting, member: string) => Promise<{ status: number }>> = {
  'version 2': ({ as }, member) =>
    ask('POST /v2/systems/@me/switches', { as, body: { members: [member] } }),
  'version 1': ({ as }, member) => ask('POST /v1/s/switches', { as, body: { members: [member] } }),
  'a proxied message': ({ account }, member) => {
    const id = String(++accounts)
    const body = { id, original: `9${id}`, sender: account, channel: '1', member }
    return ask('POST /bot/messages', { headers: { authorization }, body })
  },
}

describe.each(Object.entries(ways))('a switch through %s', (_, log) => {
  const ahead: [says: string, by: Instant, expected: (latest: Instant, now: Instant) => Instant][] =
    [
      ['a moment', 1, (latest) => latest + 1],
      ['5 minutes', 5 * MINUTE, (latest) => latest + 1],
      ['almost 10 minutes', 10 * MINUTE - SECOND, (latest) => latest + 1],
      ['10 minutes', 10 * MINUTE + SECOND, (_, now) => now],
    ]

  test.each(ahead)('while the latest is %s ahead', async (_, by, expected) => {
    const who = await fronting()
    const latest = clock + by
    await ask('POST /v2/systems/@me/switches', {
      as: who.as,
      body: { members: [who.wren], timestamp: formatInstant(latest) },
    })
    const now = clock
    expect((await log(who, who.finch)).status).toBeLessThan(300)
    const { json } = await ask<{ timestamp: string; members: string[] }[]>(
      'GET /v2/systems/@me/switches',
      { as: who.as },
    )
    const made = json.find(({ members }) => members[0] === who.finch)
    // Each look at this clock moves it by a microsecond.
    expect(Math.abs(at(made?.timestamp ?? '') - expected(latest, now))).toBeLessThan(SECOND / 2)
    expect(json[0]?.members).toEqual([by < 10 * MINUTE ? who.finch : who.wren])
  })
})

test('after the clock was set back, each switch is who fronts', async () => {
  const who = await fronting()
  for (const back of [0, 3 * MINUTE, MINUTE]) {
    clock -= back
    for (const member of [who.wren, who.finch]) {
      await ask('POST /v2/systems/@me/switches', { as: who.as, body: { members: [member] } })
      const { json } = await ask<{ members: { id: string }[] }>('GET /v2/systems/@me/fronters', {
        as: who.as,
      })
      expect(json.members.map(({ id }) => id)).toEqual([member])
    }
  }
})

test('a message that says when it was said is followed by a switch at that time', async () => {
  const who = await fronting()
  const timestamp = formatInstant(clock - MINUTE)
  await ask('POST /v2/systems/@me/switches', { as: who.as, body: { members: [who.wren] } })
  const body = { id: '77', original: '78', sender: who.account, channel: '1', timestamp }
  await ask('POST /bot/messages', {
    headers: { authorization },
    body: { ...body, member: who.finch },
  })
  const { json } = await ask<object[]>('GET /v2/systems/@me/switches', { as: who.as })
  expect(json[1]).toMatchObject({ timestamp, members: [who.finch] })
})

interface Fronting {
  as: TestSystem
  account: string
  wren: string
  finch: string
}

/** A system whose proxied messages are switches, with two members. */
async function fronting(): Promise<Fronting> {
  const as = await makeSystem()
  const account = `10000000000000${String(++accounts).padStart(4, '0')}`
  await deps.transact('new', (tx) => insertAccount(deps, tx, as.id, account))
  await ask('PATCH /v2/systems/@me/settings', { as, body: { proxy_switch: 'new' } })
  const [wren, finch] = await Promise.all(
    ['Wren', 'Finch'].map(async (name) => {
      const { json } = await ask<{ id: string }>('POST /v2/members', { as, body: { name } })
      return json.id
    }),
  )
  return { as, account, wren: wren ?? '', finch: finch ?? '' }
}
