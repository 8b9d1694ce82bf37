import { createBot } from '../../tools/operatorActions'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const { ask, deps } = createTestApp({ RATE_LIMIT: 'off' })
const discord = { authorization: `Bot ${await createBot(deps, 'discord')}` }
const matrix = { authorization: `Bot ${await createBot(deps, 'matrix', 'matrix')}` }
const LINE = 'GET /v2/systems/@me/accounts'

const created = await ask<{ system: { id: string }; token: string }>('POST /bot/systems', {
  headers: discord,
  body: { account_id: '100000000000000001', name: 'Lantern Hill' },
})
const { token } = created.json
const asOwner = { authorization: token }

describe('the accounts of a system', () => {
  test('lists accounts for the owner, with their platform unless it is Discord', async () => {
    const { json } = await ask<{ code: string }>('POST /v2/systems/@me/link-code', {
      headers: asOwner,
    })
    await ask('POST /bot/link', {
      headers: matrix,
      body: { account_id: '@wren:example.org', code: json.code },
    })
    const listed = await ask(LINE, { headers: asOwner })
    expect([listed.status, listed.json as unknown]).toEqual([
      200,
      [{ id: '100000000000000001' }, { id: 'matrix:@wren:example.org' }],
    ])
  })

  test('lists accounts only for tokens that may read as the owner', async () => {
    const statusFor = async (scope: string) => {
      const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
        headers: asOwner,
        body: { name: scope, scope },
      })
      return (await ask(LINE, { headers: { authorization: json.token } })).status
    }
    const statuses = ['front', 'read', 'calendar', 'watch'].map(async (scope) => [
      scope,
      await statusFor(scope),
    ])
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual({
      front: 200,
      read: 200,
      calendar: 403,
      watch: 403,
    })
    expect((await ask(LINE)).status).toBe(401)
  })
})
