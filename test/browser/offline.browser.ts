import { describe, expect, test } from '../test'
import {
  expectAccessible,
  expectNoHorizontalScroll,
  type Size,
  startBrowser,
  startTestServer,
} from './browser'
import { startCutProxy } from './cutProxy'
import {
  goOffline,
  goOnline,
  openRemembered,
  readQueue,
  readStorage,
  switchTo,
  waitUntilSent,
} from './offlineTools'
import { seedSystem } from './testSystem'

const browser = await startBrowser()
const testServer = await startTestServer('Somebody else')
const proxy = await startCutProxy()
proxy.forwardTo(testServer.server.address)
const system = await seedSystem(testServer, 'Lantern Hill')

const names = async () => (await system.history()).map((one) => one.names.join())

describe.each<Size>(['phone', 'desk'])('on a %s', (size) => {
  test('keeps switches without network, also over a reload, and sends each once', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system, size)
    const { page, context } = visitor
    await goOffline(page)
    await switchTo(page, 'Moss')
    await page.locator('.here-now').getByText('Moss').waitFor()
    await page.getByText('Moss is here now.').first().waitFor()
    await switchTo(page, 'Juno')
    await page.locator('.here-now').getByText('Juno').waitFor()
    const device = size === 'phone' ? 'phone' : 'device'
    await page
      .getByText(`No network. 2 switches are waiting on this ${device}.`, { exact: true })
      .waitFor()
    await expectAccessible(visitor)
    await page.reload()
    await page.locator('.here-now').getByText('Juno').waitFor()
    await page.getByText('No network. 2 switches').waitFor()
    expect(await names()).toEqual(['Wren'])
    await goOnline(context)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Juno', 'Moss', 'Wren'])
    await page.getByText('No network.').waitFor({ state: 'hidden' })
    await page.getByText('Live').waitFor({ state: 'attached' })
    expect(await readQueue(page)).toEqual([])
    expect(await readStorage(page)).toContain('Juno')
    await expectNoHorizontalScroll(visitor)
  })
})
