import { expect, test } from '../tools/test'
import { cutNetwork, expectAccessible, restoreNetwork, startBrowser } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** Pages and figures that could not be loaded, or were loaded before the page was connected. */
const browser = await startBrowser()
const testServer = await shareTestServer()

describeDashboard(browser, testServer, ({ system, openNow, openPath }) => {
  test('a page whose script is refused can be tried again', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    const { page, context } = visitor
    let isAway = true
    await context.route('**/*', (route) =>
      isAway && !route.request().url().includes('/v2/') ? route.abort() : route.continue(),
    )
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByText('Can’t reach the server.').waitFor()
    visitor.consoleMessages.length = 0
    await expectAccessible(visitor)
    isAway = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Month' }).waitFor()
  })

  test('data that could not be loaded after the login can be tried again', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    const { page, context } = visitor
    await context.route('**/systems/@me/groups*', (route) =>
      route.fulfill({ status: 503, json: { message: '503: Service Unavailable', code: 0 } }),
    )
    await page.reload()
    // The page tries again by itself when it is connected.
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    await page.getByText('The server is busy. Try again in a moment.').waitFor()
    await expectAccessible(visitor)
    await context.unroute('**/systems/@me/groups*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
  })

  test('follows other devices although what handles their events cannot be loaded', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openNow()
    let refused = 0
    await context.route('**/assets/refetch-*', (route) => {
      refused++
      return route.abort()
    })
    await page.reload()
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    await system.log(0, 'Iris')
    await page.locator('.here-now').getByText('Iris').waitFor()
    expect(refused).toBeGreaterThan(0)
  })

  test('loads a page by itself when the connection is back', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openNow()
    // Keeps the page from the cache, which may have its script from an earlier test.
    await context.route('**/assets/**', (route) => route.continue())
    await cutNetwork(page)
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByText('Can’t reach the server.').waitFor()
    await restoreNetwork(context)
    await page.getByRole('link', { name: 'Devices' }).waitFor()
  })

  test('reloads itself when an upgrade has removed the script of a page', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openNow()
    let isUpgraded = false
    await context.route('**/*', (route) => {
      const request = route.request()
      if (request.isNavigationRequest()) isUpgraded = true
      return isUpgraded || !request.url().includes('/assets/')
        ? route.continue()
        : route.fulfill({ status: 404, json: { code: 0 } })
    })
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Devices' }).waitFor()
    expect(isUpgraded).toBe(true)
  })

  test('shows what another device changed before the event stream was connected', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openPath('fields')
    const held = Promise.withResolvers<void>()
    await context.route('**/systems/@me/events', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.reload()
    await page.getByText('No fields yet.').waitFor()
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Fern' })
    await system.ask('POST /ext/v1/systems/@me/fields', { name: 'Role', type: 'text' })
    held.resolve()
    await page.getByText('Role', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('link', { name: /^Fern/ }).waitFor()
    await system.ask(`DELETE /v2/members/${id}`)
  })

  test('figures that could not be loaded can be tried again', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openNow()
    await context.route('**/fronting/**', (route) => route.abort())
    await page.getByRole('link', { name: 'Insights' }).click()
    await page.getByText('Can’t reach the server.').waitFor()
    await context.unroute('**/fronting/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.bars').getByText('Wren').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })
})
