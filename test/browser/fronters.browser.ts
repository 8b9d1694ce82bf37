import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** One of several fronters, and who is suggested. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describeDashboard(browser, testServer, ({ system, openNow }) => {
  test('replaces one of several fronters in one switch', async () => {
    await system.setSwitches([5, 'Wren'], [2, 'Wren', 'Iris', 'Juno'])
    const visitor = await openNow()
    const { page } = visitor
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Moss instead of Iris' }).click()
    await page.getByText('Wren, Moss and Juno are here now.').first().waitFor()
    const names = (await system.history()).map((one) => one.names)
    expect(names).toEqual([['Wren', 'Moss', 'Juno'], ['Wren', 'Iris', 'Juno'], ['Wren']])
    expect(await page.locator('.here-now').textContent()).toContain('5 h')
  })

  test('the bar with the choices does not cover the selected member', async () => {
    await system.setSwitches([5, 'Wren'], [2, 'Wren', 'Iris'])
    const { page } = await openNow()
    const tile = page.getByRole('button', { name: 'Moss', exact: true })
    await tile.click()
    const bar = page.getByRole('region', { name: 'Switch', exact: true })
    const bottomOfTile = async () => {
      const box = await tile.boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0)
    }
    const topOfBar = async () => (await bar.boundingBox())?.y ?? 0
    await until(async () => (await bottomOfTile()) <= (await topOfBar()))
    expect(await bottomOfTile()).toBeLessThanOrEqual(await topOfBar())
  })

  test('the switch sheet suggests likely members first', async () => {
    await system.setSwitches([9, 'Wren'], [4, 'Moss'], [1, 'Ember'])
    const { page } = await openNow()
    await page.goto(`${address}/#/history/list`)
    await page.getByRole('button', { name: 'Add a past switch' }).click()
    const suggested = page.getByRole('dialog').locator('.tile .name')
    await suggested.first().waitFor()
    expect((await suggested.allTextContents()).slice(0, 3)).toEqual(['Wren', 'Moss', 'Ember'])
  })

  test('a pinned member is suggested first', async () => {
    await system.setSwitches([5, 'Wren'], [4, 'Moss'], [1, 'Ember'])
    const visitor = await openNow()
    const { page } = visitor
    const suggested = page.getByRole('list', { name: 'Suggested' }).locator('.name')
    expect((await suggested.allTextContents())[0]).toBe('Moss')
    await page.goto(`${address}/#/members/${system.idOf('Jün')}`)
    const pin = page.getByRole('button', { name: 'Pin to Now' })
    await pin.click()
    await page.getByText('Jün is pinned').first().waitFor()
    expect(await pin.getAttribute('aria-pressed')).toBe('true')
    await expectAccessible(visitor)
    await page.goto(`${address}/#/now`)
    await suggested.first().waitFor()
    expect((await suggested.allTextContents())[0]).toBe('Jün')
    await page.goto(`${address}/#/members/${system.idOf('Jün')}`)
    await pin.click()
    await page.getByText('Jün is no longer pinned').first().waitFor()
  })
})
