import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp()
const { ask, makeSystem, app } = testApp

describe('POST /web/import-place', () => {
  test('reserves a place for a system, before and after an import', async () => {
    const me = await makeSystem()
    for (let times = 0; times < 2; times++) {
      expect((await ask('POST /web/import-place', { as: me })).json).toEqual({ ready: true })
      const body = { version: 2, name: 'Hill', members: [], groups: [], switches: [] }
      expect((await ask('POST /v2/systems/@me/import', { as: me, body })).status).toBe(200)
    }
  })

  test('waits while a file of the same system arrives', async () => {
    const me = await makeSystem()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const body = new ReadableStream(
      {
        async pull(controller) {
          open()
          await arrived
          controller.enqueue(new TextEncoder().encode('no export file'))
          controller.close()
        },
      },
      // The stream is pulled when the import reads it, not before.
      { highWaterMark: 0 },
    )
    const headers = { authorization: me.token }
    const upload = new Request('http://localhost/v2/systems/@me/import', {
      method: 'POST',
      headers,
      body,
    })
    const importing = app.handle(upload, () => '127.0.0.1')
    await opened
    let isReserved = false
    const place = ask('POST /web/import-place', { as: me }).finally(() => {
      isReserved = true
    })
    // The place of another system does not wait for it.
    expect((await ask('POST /web/import-place', { as: await makeSystem() })).json.ready).toBe(true)
    expect(isReserved).toBe(false)
    arrive()
    expect((await importing).status).toBe(400)
    expect((await place).json).toEqual({ ready: true })
  })

  test('needs a caller that may import', async () => {
    expect((await ask('POST /web/import-place')).status).toBe(401)
    const me = await makeSystem()
    const { json } = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      as: me,
      body: { name: 'reader', scope: 'read' },
    })
    const headers = { authorization: json.token }
    expect((await ask('POST /web/import-place', { headers })).status).toBe(403)
  })
})
