import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  fullBrowsers,
  restoreNetwork,
  startBrowser,
  visit,
  waitForTitle,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser(fullBrowsers)
const testServer = await shareTestServer()
const { address } = testServer.server

describeDashboard(browser, testServer, ({ size, system, openNow }) => {
  const open = async () => {
    const visitor = await openNow()
    await visitor.page.getByRole('link', { name: 'More' }).click()
    await visitor.page.getByRole('link', { name: 'Friends' }).click()
    await visitor.page.getByRole('heading', { name: 'Active links' }).waitFor()
    return visitor
  }
  const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' })
  /** Creates a link through the form and returns it. */
  const createLink = async (page: Page, name: string): Promise<string> => {
    await nameField(page).fill(name)
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.getByRole('heading', { name: `The link for ${name}` }).waitFor()
    return await page.getByLabel('Link', { exact: true }).inputValue()
  }

  test('the Friends page is accessible in light and dark mode', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Until…' }).click()
    await nameField(page).fill('Someone')
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.getByText('Choose a day.').waitFor()
    await expectAccessible(visitor, { inDark: true })
    await page.getByRole('button', { name: '7 days' }).click()
    await createLink(page, `Someone ${size}`)
    await waitForTitle(page, 'Friends')
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: `Turn off Someone` }).click()
    await page.getByText('This can’t be undone.').waitFor()
    await expectAccessible(visitor, { inDark: true })
  })

  test('a friend link shows the fronters live, and nothing else, until it is revoked', async () => {
    await system.setSwitches([2, 'Wren'])
    const { page, context } = await open()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address })
    const link = await createLink(page, 'Sam')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').first().waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link)

    const friend = await visit(browser, size)
    await friend.page.goto(link)
    await friend.page.getByRole('heading', { name: 'Lantern Hill' }).waitFor()
    await friend.page.locator('.here-now').getByText('Wren').waitFor()
    await friend.page.getByText('Live', { exact: true }).waitFor()
    const requested: string[] = []
    friend.page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      // The font may arrive late.
      if (!pathname.startsWith('/assets/')) requested.push(pathname)
    })
    await system.log(0, 'Iris', 'Moss')
    await friend.page.locator('.here-now').getByText('Moss').waitFor()
    // The stream has shown it, not another request.
    expect(requested).toEqual([])
    expect(await friend.page.locator('.here-now').textContent()).not.toContain('Wren')
    await expectAccessible(friend)
    await expectNoHorizontalScroll(friend)

    // The token opens no other page and reads no other data.
    const token = decodeURIComponent(link.split('/watch/')[1] ?? '')
    expect(token.length).toBeGreaterThan(20)
    await system.ask('PATCH /v2/systems/@me', {
      privacy: { member_list_privacy: 'private', front_history_privacy: 'private' },
    })
    const ask = (path: string, method = 'GET') =>
      fetch(`${address}${path}`, { method, headers: { authorization: token } })
    for (const path of ['members', 'switches', 'export', 'tokens', 'events'])
      expect([path, (await ask(`/v2/systems/@me/${path}`)).status]).toEqual([path, 403])
    expect((await ask('/v2/systems/@me/switches', 'POST')).status).toBe(403)
    const stranger = await visit(browser, size)
    await stranger.page.goto(link)
    await stranger.page.getByRole('heading', { name: 'Lantern Hill' }).waitFor()
    await stranger.page.goto(`${address}/#/members`)
    await stranger.page.getByLabel('Token').waitFor()

    await page.getByRole('button', { name: 'Turn off Sam' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).click()
    await page.getByText('The link for Sam is turned off.').first().waitFor()
    await friend.page.getByText('This link no longer works').waitFor()
    expect(await friend.page.getByText('Moss').count()).toBe(0)
    await expectAccessible(friend)
    await system.ask('PATCH /v2/systems/@me', {
      privacy: { member_list_privacy: 'public', front_history_privacy: 'public' },
    })
  })

  test('a friend link counts private members, or names them if chosen', async () => {
    const id = system.idOf('Ember')
    await system.ask(`PATCH /v2/members/${id}`, { privacy: { visibility: 'private' } })
    await system.setSwitches([2, 'Ember', 'Wren'])
    const { page } = await open()
    const counting = await createLink(page, 'counts')
    await page.getByRole('button', { name: 'Show names' }).click()
    const naming = await createLink(page, 'names')
    const friend = await visit(browser, size)
    await friend.page.goto(counting)
    await friend.page.getByText('And one more.').waitFor()
    expect(await friend.page.getByText('Ember').count()).toBe(0)
    await friend.page.goto('about:blank')
    await friend.page.goto(naming)
    await friend.page.locator('.here-now').getByText('Ember').waitFor()
    await system.ask(`PATCH /v2/members/${id}`, { privacy: { visibility: 'public' } })
  })

  test('shows at the field that a link name is taken, and keeps the input', async () => {
    const { page } = await open()
    await createLink(page, 'Robin')
    await page.getByRole('button', { name: '1 day', exact: true }).click()
    await nameField(page).fill('Robin')
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.locator('#problem-link-name').getByText(/./).waitFor()
    expect(await nameField(page).inputValue()).toBe('Robin')
    await nameField(page).fill('')
    await page.getByRole('button', { name: 'Add link' }).click()
    await page.locator('#problem-link-name').getByText('Must not be empty').waitFor()
  })

  test('shows beside the buttons that links cannot be changed while offline', async () => {
    const { page, context } = await open()
    await createLink(page, `Kit ${size}`)
    await disconnect(page)
    const problems = page.locator('main .problem').getByText('You’re offline.')
    await page.getByRole('button', { name: `Turn off Kit ${size}` }).click({ force: true })
    await problems.waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await nameField(page).fill('Someone')
    await page.getByRole('button', { name: 'Add link' }).click({ force: true })
    await problems.nth(1).waitFor()
    await restoreNetwork(context)
    await problems.first().waitFor({ state: 'detached' })
    expect(await problems.count()).toBe(0)
  })

  test('installs the friend page and the dashboard with their own manifests', async () => {
    const { page } = await open()
    const link = await createLink(page, 'Installed')
    const manifestOf = (target: Page) =>
      target.evaluate('document.querySelector("link[rel=manifest]").getAttribute("href")')
    expect(await manifestOf(page)).toBe('app.webmanifest')
    const friend = await visit(browser, size)
    await friend.page.goto(link)
    await friend.page.locator('.here-now').waitFor()
    expect(await manifestOf(friend.page)).toBe('watch.webmanifest')
    const session = await friend.context.newCDPSession(friend.page)
    const manifest = (await session.send('Page.getAppManifest')) as {
      url: string
      errors: unknown[]
    }
    expect([manifest.url, manifest.errors]).toEqual([`${address}/watch.webmanifest`, []])
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    // All contexts of these tests are incognito.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
    const stored = () => friend.page.evaluate('JSON.stringify({ ...localStorage })')
    expect(await stored()).toBe('{}')
    await friend.page.evaluate('dispatchEvent(new Event("appinstalled"))')
    await friend.page.goto('about:blank')
    await friend.page.goto(`${address}/#/watch`)
    await friend.page.getByRole('heading', { name: 'Lantern Hill' }).waitFor()
    await friend.page.locator('.here-now').waitFor()
  })
})
