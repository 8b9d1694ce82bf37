import { eq } from 'drizzle-orm'
import { events, webhooks } from '../../src/db/tables'
import { drizzleOn } from '../tools/drizzle'
import { describe, expect, test } from '../tools/test'
import { createTestApp, type TestSystem } from '../tools/testApp'
import { until } from '../tools/until'
import { receivers, TOKEN } from './receiver'

const at = createTestApp({ DISPATCH_ALLOW: '127.0.0.1' })
const { ask, deps } = at
const receive = receivers()

const WEBHOOK = '/v2/systems/@me/webhook'

describe('webhooks and events of the extension API', () => {
  test('a webhook for all events receives them, without texts', async () => {
    const { as, receiver } = await hooked('all')
    await comment(as)
    await until(() => receiver.events.length === 1)
    const [{ body, text } = fail()] = receiver.events
    expect(body).toMatchObject({
      type: 'CREATE_FRONT_NOTE',
      data: { member: null, kind: 'comment' },
    })
    expect(text).not.toContain('Secret')
    expect((await ask(`GET ${WEBHOOK}`, { as })).json).toMatchObject({ events: 'all' })
  })

  test('a webhook passes over them by default, and receives the others in order', async () => {
    const { as, receiver } = await hooked()
    await rename(as, 'One')
    await comment(as)
    await comment(as)
    await rename(as, 'Two')
    await until(() => receiver.events.length === 2)
    expect(receiver.events.map(({ body }) => body.data)).toEqual([{ name: 'One' }, { name: 'Two' }])
    const { json } = await ask(`GET ${WEBHOOK}`, { as })
    expect(json).not.toHaveProperty('events')
    expect(json).toMatchObject({ state: 'active', dropped: 0 })
  })

  test('the cursor of a webhook advances past events that it does not receive', async () => {
    const { as, receiver } = await hooked()
    await comment(as)
    await comment(as)
    const newest = (await outboxOf(as)).at(-1)?.id
    const find = drizzleOn(deps.db).select().from(webhooks).where(eq(webhooks.system_id, as.id))
    await until(async () => (await find.all())[0]?.cursor === newest)
    expect(receiver.events).toEqual([])
    const { json } = await ask(`GET ${WEBHOOK}`, { as })
    expect(json).toMatchObject({ dropped: 0, failing_since: null, deliveries: [] })
  })

  test('an unknown choice of events is refused', async () => {
    const as = await at.makeSystem()
    const body = { url: 'https://hooks.example.org/', events: 'some' }
    const { json } = await ask(`PUT ${WEBHOOK}`, { as, body })
    expect(Object.keys(json.errors as object)).toEqual(['events'])
  })
})

async function hooked(kind?: 'all') {
  const as = await at.makeSystem('Lantern Hill')
  const receiver = receive()
  const body = { url: receiver.url, token: TOKEN, ...(kind && { events: kind }) }
  expect((await ask(`PUT ${WEBHOOK}`, { as, body })).status).toBe(200)
  expect((await ask(`POST ${WEBHOOK}/verify`, { as })).status).toBe(200)
  return { as, receiver }
}

async function comment(as: TestSystem): Promise<void> {
  const body = { kind: 'comment', text: 'Secret' }
  expect((await ask('POST /ext/v1/systems/@me/front/notes', { as, body })).status).toBe(201)
}

async function rename(as: TestSystem, name: string): Promise<void> {
  expect((await ask('PATCH /v2/systems/@me', { as, body: { name } })).status).toBe(200)
}

function outboxOf({ id }: TestSystem) {
  return drizzleOn(deps.db)
    .select()
    .from(events)
    .where(eq(events.system_id, id))
    .orderBy(events.id)
    .all()
}

function fail(): never {
  throw new Error('nothing was received')
}
