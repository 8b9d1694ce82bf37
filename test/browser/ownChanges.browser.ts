import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { startBrowser } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** Requests that follow a change, and answers that get lost. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

/** Records the requests for single switches, members and groups, with the status of the answer. */
function recordFetches(page: Page): string[] {
  const fetches: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    const isSingle = /^\/v2\/(members|groups|systems\/@me\/switches)\/[\w-]+$/.test(pathname)
    if (isSingle && response.request().method() === 'GET')
      fetches.push(`${pathname} ${response.status()}`)
  })
  return fetches
}

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const open = async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'])
    const visitor = await openNow()
    await visitor.page.getByText('Live').waitFor({ state: 'attached' })
    return visitor
  }
  /** Waits for the event of a later change; those before it have then been handled. */
  const settle = async (page: Page) => {
    await system.ask('PATCH /v2/systems/@me', { name: `Hill ${Date.now()}` })
    const { name } = await system.ask<{ name: string }>('GET /v2/systems/@me')
    await page.getByText(name).first().waitFor({ state: 'attached' })
  }

  test('drops what was deleted elsewhere without asking for it', async () => {
    const { page } = await open()
    const fern = await system.ask<{ uuid: string }>('POST /v2/members', { name: 'Fern' })
    const group = await system.ask<{ uuid: string }>('POST /v2/groups', { name: 'Ferns' })
    await page.getByRole('button', { name: 'Everyone (8)' }).waitFor()
    await settle(page)
    const fetches = recordFetches(page)
    const [latest] = await system.ask<{ id: string }[]>('GET /v2/systems/@me/switches?limit=1')
    await system.ask(`DELETE /v2/systems/@me/switches/${latest?.id}`)
    await system.ask(`DELETE /v2/members/${fern.uuid}`)
    await system.ask(`DELETE /v2/groups/${group.uuid}`)
    await page.locator('.here-now').getByText('Wren').waitFor()
    await page.getByRole('button', { name: 'Everyone (7)' }).waitFor()
    await settle(page)
    expect(fetches).toEqual([])
  })

  test('keeps switches that were logged and deleted while an older list was on its way', async () => {
    const { page, context } = await open()
    await page.goto('about:blank')
    const isRequested = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    let lists = 0
    await context.route('**/v2/systems/@me/switches?*', async (route) => {
      lists += 1
      // The first one is loaded with the page, the second when the stream is connected.
      const isSecond = lists === 2
      const response = await route.fetch()
      if (isSecond) {
        isRequested.resolve()
        await held.promise
      }
      await route.fulfill({ response })
    })
    await page.goto(`${address}/#/now`)
    await page.locator('.here-now').getByText('Iris').waitFor()
    await isRequested.promise
    const switchTo = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('button', { name: `Switch to ${name}` }).click()
      await page.getByText(`${name} is here now.`).first().waitFor()
    }
    await switchTo('Moss')
    await switchTo('Wren')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Moss').waitFor()
    const isHandled = page.waitForResponse(/switches\?/)
    held.resolve()
    await isHandled
    await settle(page)
    expect(await page.locator('.here-now .name').allTextContents()).toEqual(['Moss'])
  })

  test('does not fetch its own switches, changes and deletions again', async () => {
    const { page, context } = await open()
    const fetches = recordFetches(page)
    // The event arrives before the response.
    const debug = await context.newCDPSession(page)
    await debug.send('Network.enable')
    const laterRequests = new Set<string>()
    debug.on('Network.requestWillBeSent', ({ requestId }) => laterRequests.add(requestId))
    let event = Promise.withResolvers<void>()
    debug.on('Network.dataReceived', ({ requestId }) => {
      // Only the stream was opened before.
      if (!laterRequests.has(requestId)) event.resolve()
    })
    await context.route(/\/v2\/systems\/@me\/switches(\/.*)?$/, async (route) => {
      event = Promise.withResolvers()
      const response = await route.fetch()
      await event.promise
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByText('Moss is here now.').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Iris').waitFor()
    await page.goto(`${address}/#/history/list`)
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Add someone' }).click()
    await page.getByRole('button', { name: 'Juno', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').first().waitFor()
    await settle(page)
    expect(fetches).toEqual([])
  })

  test('shows a switch whose answer was lost as logged, without an error', async () => {
    const { page, context } = await open()
    await context.route('**/v2/systems/@me/switches*', async (route) => {
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.locator('.here-now').getByText('Moss').waitFor()
    await settle(page)
    await page.locator('.action-bar').waitFor({ state: 'detached' })
    expect(await page.locator('main .problem').getByText('Can’t reach').count()).toBe(0)
    expect((await system.history()).map(({ names }) => names)).toEqual([
      ['Moss'],
      ['Iris'],
      ['Wren'],
    ])
    expect(await page.locator('.here-now').textContent()).toContain('Moss')
  })
})
