import { formatInstant, type Instant, MINUTE, SECOND } from '../../../src/model/core/time'
import { insertAccount } from '../../../src/store/access/accountRows'
import { createBot } from '../../tools/operatorActions'
import { at } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

/** Clock of the machine, which a test can set back. */
let clock: Instant = at('2026-05-01T12:00:00Z')
const { ask, deps, makeSystem } = createTestApp({ now: () => clock++ })
const authorization = `Bot ${await createBot(deps, 'clock')}`
let accounts = 0

/** Ways to log a switch without a timestamp. */
const writers: Record<string, (system: Fronting, member: string) => Promise<{ status: number }>> = {
  'version 2': ({ as }, member) =>
    ask('POST /v2/systems/@me/switches', { as, body: { members: [member] } }),
  'version 1': ({ as }, member) => ask('POST /v1/s/switches', { as, body: { members: [member] } }),
  'a proxied message': ({ account }, member) => {
    const id = String(++accounts)
    const body = { id, original: `9${id}`, sender: account, channel: '1', member }
    return ask('POST /bot/messages', { headers: { authorization }, body })
  },
}

describe.each(Object.entries(writers))('time of a switch logged by %s', (_, log) => {
  const ahead: [
    title: string,
    by: Instant,
    expected: (latest: Instant, now: Instant) => Instant,
  ][] = [
    ['a microsecond', 1, (latest) => latest + 1],
    ['5 minutes', 5 * MINUTE, (latest) => latest + 1],
    ['almost 10 minutes', 10 * MINUTE - SECOND, (latest) => latest + 1],
    ['10 minutes', 10 * MINUTE + SECOND, (_, now) => now],
  ]

  test.each(ahead)(
    'chooses the time of a new switch when the latest is %s ahead',
    async (_, by, expected) => {
      const system = await createFronting()
      const latest = clock + by
      await ask('POST /v2/systems/@me/switches', {
        as: system.as,
        body: { members: [system.wren], timestamp: formatInstant(latest) },
      })
      const now = clock
      expect((await log(system, system.finch)).status).toBeLessThan(300)
      const { json } = await ask<{ timestamp: string; members: string[] }[]>(
        'GET /v2/systems/@me/switches',
        { as: system.as },
      )
      const logged = json.find(({ members }) => members[0] === system.finch)
      // Each reading of this clock advances it by a microsecond.
      expect(Math.abs(at(logged?.timestamp ?? '') - expected(latest, now))).toBeLessThan(SECOND / 2)
      expect(json[0]?.members).toEqual([by < 10 * MINUTE ? system.finch : system.wren])
    },
  )
})

test('each new switch becomes the current front after the clock was set back', async () => {
  const system = await createFronting()
  for (const back of [0, 3 * MINUTE, MINUTE]) {
    clock -= back
    for (const member of [system.wren, system.finch]) {
      await ask('POST /v2/systems/@me/switches', { as: system.as, body: { members: [member] } })
      const { json } = await ask<{ members: { id: string }[] }>('GET /v2/systems/@me/fronters', {
        as: system.as,
      })
      expect(json.members.map(({ id }) => id)).toEqual([member])
    }
  }
})

test('a proxied message with a timestamp logs a switch at that time', async () => {
  const system = await createFronting()
  const timestamp = formatInstant(clock - MINUTE)
  await ask('POST /v2/systems/@me/switches', { as: system.as, body: { members: [system.wren] } })
  const body = { id: '77', original: '78', sender: system.account, channel: '1', timestamp }
  await ask('POST /bot/messages', {
    headers: { authorization },
    body: { ...body, member: system.finch },
  })
  const { json } = await ask<object[]>('GET /v2/systems/@me/switches', { as: system.as })
  expect(json[1]).toMatchObject({ timestamp, members: [system.finch] })
})

interface Fronting {
  as: TestSystem
  account: string
  wren: string
  finch: string
}

/** Creates a system with two members whose proxied messages log switches. */
async function createFronting(): Promise<Fronting> {
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
