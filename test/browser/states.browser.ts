import type { Page } from 'playwright-core'
import { describe, expect, test } from '../tools/test'
import {
  disconnect,
  expectAccessible,
  restoreNetwork,
  startBrowser,
  storySizes,
} from './tools/browser'
import { freePort, startTestServer } from './tools/testServer'
import { openDashboard, type SeededSystem, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
/** The restarted server uses it again. */
const port = freePort()
const testServer = await startTestServer('Somebody else', ['--port', String(port)])
const { address } = testServer.server
const system = await seedSystem(testServer, 'Lantern Hill')

describe.each(storySizes())('on a %s', (size) => {
  test('shows why a switch waits while offline, and logs it once afterwards', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openDashboard(browser, testServer, system, size)
    const { page, context } = visitor
    await disconnect(page)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    const button = page.getByRole('button', { name: 'Switch to Moss' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    await expectAccessible(visitor)
    expect((await system.history()).length).toBe(1)
    await restoreNetwork(context)
    await page.getByText('You’re offline.').first().waitFor({ state: 'hidden' })
    await button.click()
    await page.getByText('Moss is here now.').first().waitFor()
    expect((await system.history()).length).toBe(2)
  })

  test('shows why a switch without a selection was not logged', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openDashboard(browser, testServer, system, size)
    const button = page.getByRole('button', { name: 'Nobody / not sure' })
    const problem = page.locator('main .problem')
    await context.route('**/v2/systems/@me/switches', (route) =>
      route.fulfill({ status: 503, json: { message: 'The database is full.', code: 0 } }),
    )
    await button.click()
    await problem.getByText('The database is full.').waitFor()
    await disconnect(page)
    await button.click({ force: true })
    await problem.getByText('You’re offline.').waitFor()
  })

  test('shows the login page when the session ends, and returns to the page afterwards', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openDashboard(browser, testServer, system, size)
    const { page } = visitor
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    const button = page.getByRole('button', { name: 'Switch to Moss' })
    await button.click({ trial: true })
    await system.ask('DELETE /web/sessions')
    // Unless the stream has already ended the session.
    await button.click({ timeout: 2000 }).catch(() => {})
    await page.getByLabel('Token').waitFor()
    expect(await page.getByText('Wren').count()).toBe(0)
    await expectAccessible(visitor)
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByText('Moss is here now.').first().waitFor()
  })

  test('shows the layout and a notice while the server is slow', async () => {
    const visitor = await openDashboard(browser, testServer, system, size)
    const { page, context } = visitor
    const held = Promise.withResolvers<void>()
    await context.route('**/ext/v1/systems/@me/members', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.clock.install()
    await page.reload()
    await page.getByRole('link', { name: 'History' }).waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(1)
    await page.clock.fastForward(7000)
    await page.getByText('Still loading…').waitFor()
    await expectAccessible(visitor)
    held.resolve()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
  })

  test('waits and retries by itself after a 429', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openDashboard(browser, testServer, system, size)
    const { page, context } = visitor
    let refusals = 0
    await context.route('**/v2/systems/@me/switches', async (route) => {
      if (route.request().method() !== 'POST' || refusals++ > 0) return route.continue()
      await route.fulfill({ status: 429, json: { message: '429', code: 0, retry_after: 25_000 } })
    })
    await page.clock.install()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByText('The server is busy.').waitFor()
    await expectAccessible(visitor)
    await page.clock.fastForward(25_000)
    await page.getByText('Moss is here now.').first().waitFor()
    expect((await system.history()).map(({ names }) => names)).toEqual([['Moss'], ['Wren']])
  })
})

describe('a response that arrives after its session ended and another one began', () => {
  /** Ends the session while a request is sent, and holds the response back until the next login. */
  const endDuring = async (path: string, send: (page: Page) => Promise<unknown>) => {
    const { page, context } = await openDashboard(browser, testServer, system, 'desk')
    const nextLogin = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    await context.route(
      path,
      async (route) => {
        const isChange = route.request().method() === 'POST'
        if (isChange) await system.ask('DELETE /web/sessions')
        const response = await route.fetch()
        if (!isChange) await system.ask('DELETE /web/sessions')
        requested.resolve()
        await nextLogin.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await send(page)
    await requested.promise
    const logInAs = async ({ token, ask }: SeededSystem) => {
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Here now' }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      const late = page.waitForResponse(path)
      nextLogin.resolve()
      await (await late).finished()
      // The page shows this change after it has handled the response.
      const name = `Hill ${Date.now()}`
      await ask('PATCH /v2/systems/@me', { name })
      await page.getByText(name).first().waitFor({ state: 'attached' })
    }
    return { page, logInAs }
  }

  test('does not end the new session', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, logInAs } = await endDuring('**/v2/systems/@me/switches', async (page) => {
      await page.getByRole('button', { name: 'Moss', exact: true }).click()
      await page.getByRole('button', { name: 'Switch to Moss' }).click()
    })
    await logInAs(system)
    expect(await page.getByLabel('Token').count()).toBe(0)
    expect(await page.locator('.here-now .name').allTextContents()).toEqual(['Wren'])
  })

  test('does not show its data in the session of another system', async () => {
    const harbour = await seedSystem(testServer, 'Harbour')
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Of the Hill' })
    const { page, logInAs } = await endDuring('**/ext/v1/systems/@me/members', (page) =>
      page.reload(),
    )
    await logInAs(harbour)
    await page.goto(`${address}/#/members`)
    await page.getByRole('link', { name: 'Wren' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Of the Hill' }).count()).toBe(0)
    await system.ask(`DELETE /v2/members/${id}`)
  })
})

test('reconnects to a killed and restarted server and shows what was missed', async () => {
  await system.setSwitches([5, 'Wren'])
  const visitor = await openDashboard(browser, testServer, system, 'desk')
  const { page } = visitor
  await page.getByText('Live', { exact: true }).waitFor()
  await testServer.stop()
  await page
    .getByText(
      'Can’t reach the server. You can look around; nothing can be saved until it answers again.',
    )
    .first()
    .waitFor()
  expect(await page.getByText('You’re offline.').count()).toBe(0)
  expect(await page.locator('.here-now').textContent()).toContain('Wren')
  await testServer.restart()
  await system.log(0, 'Juno')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.here-now').getByText('Juno').waitFor()
  await page.getByText('Can’t reach the server.').first().waitFor({ state: 'hidden' })
  expect(page.url()).toStartWith(address)
})
