import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  waitForTrue,
} from './tools/browser'
import { startPictureServer } from './tools/pictureServer'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describeDashboard(browser, testServer, ({ system, openNow, openPath }) => {
  const open = async (path: string) => {
    const visitor = await openPath(path)
    const title = path[0]?.toUpperCase() + path.slice(1)
    await visitor.page.getByRole('heading', { name: title, level: 1 }).waitFor()
    return visitor
  }

  test.each(['more', 'devices', 'appearance'])(
    'the page "%s" is accessible in light and dark mode',
    async (path) => {
      const visitor = await open(path)
      await visitor.page.locator('main [aria-busy]').first().waitFor({ state: 'detached' })
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
    },
  )

  test('logs out another browser, which then shows the login page', async () => {
    await system.ask('DELETE /web/sessions')
    const other = await openNow()
    const { page } = await open('devices')
    await page.getByText('this browser').waitFor()
    const others = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: /^Log out / }) })
      .filter({ hasNotText: 'this browser' })
    await others.getByRole('button', { name: /^Log out / }).click()
    await page
      .getByText(/is logged out/)
      .first()
      .waitFor()
    await other.page.getByLabel('Token').waitFor()
    expect(await other.page.getByText('Here now').count()).toBe(0)
  })

  test('shows the effect of revoking a token, then revokes it', async () => {
    await system.ask('POST /v2/systems/@me/tokens', { name: 'my bot', scope: 'read' })
    const visitor = await open('devices')
    const { page } = visitor
    await page.getByRole('button', { name: 'Revoke my bot' }).click()
    await page.getByText('This can’t be undone.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('my bot is revoked.').first().waitFor()
    const tokens = await system.ask<{ name: string }[]>('GET /v2/systems/@me/tokens')
    expect(tokens.map(({ name }) => name)).not.toContain('my bot')
  })

  test('shows nothing on the way back after logging out everywhere', async () => {
    await system.setSwitches([5, 'Wren'])
    const other = await openNow()
    const { page } = await openNow()
    await page.goto(`${address}/#/devices`)
    await page.getByRole('button', { name: 'Log out everywhere' }).click()
    await page.getByLabel('Token').waitFor()
    await other.page.getByLabel('Token').waitFor()
    await page.goBack()
    await page.getByLabel('Token').waitFor()
    expect(await page.getByText('Wren').count()).toBe(0)
  })

  test('keeps theme, text size and clock in this browser', async () => {
    const visitor = await open('appearance')
    const { page } = visitor
    for (const name of ['Night', '130%', '24 h', 'More', 'None'])
      await page.getByRole('button', { name, exact: true }).first().click()
    await expectAccessible(visitor)
    await page.reload()
    await page.getByRole('heading', { name: 'Appearance', level: 1 }).waitFor()
    const applied = await page.evaluate(
      '[getComputedStyle(document.body.parentElement).backgroundColor, document.documentElement.dataset.clock, parseFloat(getComputedStyle(document.documentElement).fontSize)]',
    )
    expect(applied).toEqual(['rgb(0, 0, 0)', '24', 22.1])
  })

  test('sends no request to another server when pictures are switched off', async () => {
    using pictures = startPictureServer()
    const { requests } = pictures
    try {
      const id = system.idOf('Wren')
      const avatar_url = `${pictures.address}/wren.png`
      await system.ask(`PATCH /v2/members/${id}`, { avatar_url })
      await system.setSwitches([5, 'Wren'])
      const { page } = await open('appearance')
      await page.goto(`${address}/#/now`)
      await page.locator('.here-now').getByText('Wren').waitFor()
      await until(() => requests.includes('/wren.png'))
      await page.goto(`${address}/#/appearance`)
      const choice = page.getByRole('group', { name: 'Pictures' })
      await choice.getByRole('button', { name: 'None' }).click()
      await pictures.settle(page)
      requests.length = 0
      await page.goto(`${address}/#/now`)
      await page.reload()
      await page.locator('.here-now').getByText('Wren').waitFor()
      await pictures.settle(page)
      expect(requests).toEqual([])
    } finally {
      await system.ask(`PATCH /v2/members/${system.idOf('Wren')}`, { avatar_url: null })
    }
  })

  test('uses another word for members everywhere, also on another device', async () => {
    const { page } = await open('appearance')
    await page.getByRole('button', { name: 'headmates' }).click()
    await page.getByRole('link', { name: 'Headmates' }).click()
    await page.getByRole('heading', { name: 'Headmates' }).waitFor()
    await page.getByText('7 headmates').waitFor()
    await waitForTrue(page, 'document.title.includes("Headmates")')
    const other = await openNow()
    await other.page.getByRole('link', { name: 'Headmates' }).waitFor()
    await system.ask('PATCH /web/preferences', { word: 'members' })
  })

  test('distinguishes selected members with less motion, more contrast or forced colours', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active', contrast: 'more' })
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    const styles = await page.evaluate(`(() => {
      const edge = (selector) => getComputedStyle(document.querySelector(selector)).borderTopWidth
      return {
        motion: getComputedStyle(document.querySelector('.action-bar')).animationName,
        chosen: edge('.tile[aria-pressed=true]'),
        other: edge('.tile[aria-pressed=false]'),
        main: edge('.action-bar .main'),
      }
    })()`)
    expect(styles).toEqual({ motion: 'none', chosen: '4px', other: '2px', main: '2px' })
    await expectAccessible(visitor)
  })
})
