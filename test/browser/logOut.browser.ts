import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import { expectAccessible, startBrowser, visit } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describeDashboard(browser, testServer, ({ size, system, openNow, openPath }) => {
  const newLink = async () => {
    const { url } = await testServer.operate<{ url: string }>('login', system.hid)
    return `${address}/${url.slice(url.indexOf('#'))}`
  }
  const openByLink = async () => {
    const visitor = await visit(browser, size)
    await visitor.page.goto(await newLink())
    await visitor.page.getByRole('button', { name: 'Log in' }).click()
    await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
    return visitor
  }
  /** Other pages have buttons named "Log out …" too, so this waits for the heading. */
  const openMore = async (page: Page) => {
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
  }
  const dialog = (page: Page) => page.getByRole('dialog')

  const countSessions = async () => (await system.ask<unknown[]>('GET /web/sessions')).length
  const leftHere = (page: Page) => page.getByText('You’re logged out on this device.')

  test('logs out here at once when the server does not answer, and there when it does', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openPath('more')
    const { page, context } = visitor
    const before = await countSessions()
    await context.route('**/web/session**', (route) => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    await leftHere(page).waitFor()
    await expectAccessible(visitor)
    await page.reload()
    await page.getByLabel('Token').waitFor()
    await leftHere(page).waitFor()
    expect(await countSessions()).toBe(before)
    await context.unroute('**/web/session**')
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await leftHere(page).waitFor({ state: 'detached' })
    expect(await countSessions()).toBe(before - 1)
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  test('ends the session that it left before a new login, and not the new one', async () => {
    const { page, context } = await openPath('more')
    const before = await countSessions()
    await context.route('**/web/session**', (route) => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await leftHere(page).waitFor()
    await context.unroute('**/web/session**')
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
    expect(await countSessions()).toBe(before)
    await page.reload()
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
  })

  test('stays logged in when logging out everywhere fails', async () => {
    const { page, context } = await openPath('devices')
    await context.route('**/web/sessions', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await page.getByText('This browser may still be logged in. Can’t reach the server.').waitFor()
    expect(await page.getByLabel('Token').count()).toBe(0)
  })

  test('shows Now in place of the login form while logged in', async () => {
    const { page } = await openNow()
    await page.goto(`${address}/#/login`)
    await page.reload()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    expect(await page.getByLabel('Token').count()).toBe(0)
  })

  test('asks before it logs out a browser that came by a link and is the only one', async () => {
    await system.ask('DELETE /web/sessions')
    const visitor = await openByLink()
    const { page } = visitor
    await openMore(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await dialog(page).getByText('you need a new link or a token').waitFor()
    await expectAccessible(visitor)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await system.ask<unknown[]>('GET /web/sessions')).toHaveLength(1)
    await page.getByRole('button', { name: 'Log out' }).click()
    await dialog(page).getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    // The session ends later if the server is slow.
    await until(async () => (await countSessions()) === 0)
  })

  test('asks before it logs out everywhere, but not while another browser is logged in', async () => {
    await openNow()
    const { page } = await openByLink()
    await page.goto(`${address}/#/devices`)
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await dialog(page).getByText('you need a new link or a token').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await openMore(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
  })

  test('says that the session was ended elsewhere, and nothing after a logout', async () => {
    const visitor = await openPath('more')
    const { page } = visitor
    await system.ask('DELETE /web/sessions')
    await page.getByText('This browser was logged out from another device').waitFor()
    await expectAccessible(visitor)
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.getByText('from another device').count()).toBe(0)
  })

  test('tries a login link again that was opened while the server was away', async () => {
    const visitor = await visit(browser, size)
    const { page, context } = visitor
    await context.route('**/web/login', (route) => route.abort())
    await page.goto(await newLink())
    await page.getByText('Can’t reach the server.').waitFor()
    await expectAccessible(visitor)
    await context.unroute('**/web/login')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Log in as Lantern Hill?' }).waitFor()
  })
})
