import { connectMultitude } from '../../examples/multitude'
import { messages } from '../../src/db/tables'
import { drizzleOn } from '../tools/drizzle'
import { createBot } from '../tools/operatorActions'
import { outcomeOf } from '../tools/outcomeOf'
import { afterAll, describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

const { app, deps } = createTestApp({ PORT: '0' })
const address = app.listen()
const key = await createBot(deps, 'irc', 'irc')

/** Connects through a proxy that loses the responses to the first requests. */
function connectLossy(lost: number) {
  let requests = 0
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const response = await fetch(address + new URL(request.url).pathname, request)
      return ++requests > lost
        ? response
        : new Response('{"code":0,"message":"Gone"}', { status: 502 })
    },
  })
  afterAll(() => proxy.stop(true))
  return { ...connectMultitude(proxy.url.href, key, 'irc', 0), requests: () => requests }
}

describe('record of the example client', () => {
  test('a record is retried until it is answered, and counts once', async () => {
    const client = connectMultitude(address, key, 'irc')
    const { system } = await client.ask<{ system: { id: string } }>('POST /bot/systems', {
      account_id: 'net/robin',
    })
    const wren = await client.ask<{ uuid: string }>('POST /v2/members', { name: 'Wren' }, system.id)
    const lossyClient = connectLossy(2)
    const message = { id: 'net/1', original: 'net/0', sender: 'net/robin', channel: 'net/#a' }
    await lossyClient.record({ ...message, member: wren.uuid })
    expect(lossyClient.requests()).toBe(3)
    expect(await drizzleOn(deps.db).select().from(messages).all()).toHaveLength(1)
    const [counted] = await client.findMembers(system.id, ['wren'])
    expect(counted).toHaveProperty('message_count', 1)
  })

  test('a refused record is not retried', async () => {
    const bot = connectLossy(0)
    expect(await outcomeOf(bot.record({ id: 'net/2' }))).toThrow('original')
    expect(bot.requests()).toBe(1)
  })

  test('a record fails when no server answers', async () => {
    const bot = connectMultitude('http://127.0.0.1:9', key, 'irc', 0)
    expect(await outcomeOf(bot.record({}))).toThrow('No server answers')
  })
})
