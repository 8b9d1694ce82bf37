import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectNoHorizontalScroll,
  startBrowser,
  waitForTrue,
} from './tools/browser'
import { startPictureServer } from './tools/pictureServer'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, openDashboard, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

const KB = 1024

/** Records the bytes of each response, including headers, by path. */
async function recordSizes(page: Page): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  const paths = new Map<string, string>()
  const debug = await page.context().newCDPSession(page)
  await debug.send('Network.enable')
  debug.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname)
  })
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? ''
    sizes.set(path, (sizes.get(path) ?? 0) + encodedDataLength)
  })
  return sizes
}

/** Sums the files of the page, without data. */
function weigh(sizes: ReadonlyMap<string, number>): number {
  return [...sizes]
    .filter(([path]) => path === '/' || path.startsWith('/assets/'))
    .reduce((sum, [, size]) => sum + size, 0)
}

describeDashboard(browser, testServer, ({ system, openNow }) => {
  test('loads at most 85 KB on the first visit and 1 KB, besides data, on the second', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openNow()
    await waitForTrue(page, 'document.fonts.size > 0')
    const again = await page.context().newPage()
    const second = await recordSizes(again)
    await again.goto(address)
    await again.getByRole('heading', { name: 'Here now' }).waitFor()
    expect(second.size).toBeGreaterThan(4)
    expect(weigh(second)).toBeLessThanOrEqual(KB)

    const debug = await again.context().newCDPSession(again)
    await debug.send('Network.clearBrowserCache')
    second.clear()
    await again.reload()
    await again.getByRole('heading', { name: 'Here now' }).waitFor()
    await waitForTrue(again, 'document.fonts.size > 0')
    const fonts = () => [...second.keys()].filter((path) => path.endsWith('.woff2'))
    // The debugger may report the end of a response after the page has used it.
    await until(() => fonts().length > 0)
    expect(fonts()).toHaveLength(1)
    expect(weigh(second)).toBeGreaterThan(30 * KB)
    expect(weigh(second)).toBeLessThanOrEqual(85 * KB)
  })

  test('loads OpenDyslexic only when it is chosen', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    const sizes = await recordSizes(page)
    const fonts = () => [...sizes.keys()].filter((path) => path.includes('opendyslexic-latin'))
    await page.goto(`${address}/#/appearance`)
    const choice = page.getByRole('group', { name: 'Font' })
    await choice.getByRole('button', { name: 'Atkinson' }).waitFor()
    expect(fonts()).toEqual([])
    await choice.getByRole('button', { name: 'OpenDyslexic' }).click()
    await waitForTrue(
      page,
      `[...document.fonts].filter(({ family }) => family === 'OpenDyslexic').length === 2`,
    )
    await until(() => fonts().length > 1)
    expect(fonts()).toHaveLength(2)
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    for (const hash of ['now', 'insights', 'import']) {
      await page.goto(`${address}/#/${hash}`)
      await page.locator('main .card').first().waitFor()
      await expectNoHorizontalScroll(visitor)
    }
    sizes.clear()
    await page.reload()
    await page.getByRole('heading', { name: 'Import and export' }).waitFor()
    const fontFamily = await page.evaluate('getComputedStyle(document.body).fontFamily')
    expect(fontFamily).toStartWith('OpenDyslexic')
    expect([...sizes.keys()].filter((path) => path.includes('atkinson'))).toEqual([])
  })

  test('requests no picture on Insights and Import when pictures are switched off', async () => {
    using pictures = startPictureServer()
    const { requests } = pictures
    const id = system.idOf('Wren')
    try {
      const avatar_url = `${pictures.address}/wren.png`
      await system.ask(`PATCH /v2/members/${id}`, { avatar_url })
      await system.setSwitches([5, 'Wren', 'Iris'])
      const { page } = await openNow()
      await page.goto(`${address}/#/appearance`)
      const choice = page.getByRole('group', { name: 'Pictures' })
      await choice.getByRole('button', { name: 'None' }).click()
      await page.reload()
      await choice.getByRole('button', { name: 'None' }).waitFor()
      requests.length = 0
      await page.goto(`${address}/#/insights`)
      await page.locator('.bars').getByText('Wren').waitFor()
      await pictures.settle(page)
      expect(requests).toEqual([])
      await page.goto(`${address}/#/appearance`)
      await choice.getByRole('button', { name: 'Faces only' }).click()
      await page.goto(`${address}/#/insights`)
      await page.locator('.bars').getByText('Wren').waitFor()
      await until(() => requests.includes('/wren.png'))
    } finally {
      await system.ask(`PATCH /v2/members/${id}`, { avatar_url: null })
    }
  })
})

test('renders Insights of a thousand members with unusual names in parts', async () => {
  const system = await seedSystem(testServer, 'Thousand')
  const names = ['שלום עולם', '🦊'.repeat(100), 'W'.repeat(100), '<b>bold</b>']
  const members = Array.from({ length: 990 }, (_, at) => ({
    id: `m${at}`,
    name: names[at] ?? `Member ${at}`,
  }))
  const hour = (at: number) => new Date(Date.now() - (at + 1) * 3_600_000 * 0.3).toISOString()
  const switches = members.map(({ id }, at) => ({
    timestamp: hour(at),
    members: [id, `m${(at * 7) % 990}`],
  }))
  await system.ask('POST /v2/systems/@me/import', { version: 2, members, switches })
  const visitor = await openDashboard(browser, testServer, system, 'phone')
  const { page } = visitor
  await page.goto(`${address}/#/insights`)
  await page.locator('.bars li').first().waitFor()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.locator('.insights[aria-busy=false]').waitFor({ state: 'attached' })
  expect(await page.locator('.bars li').count()).toBe(8)
  await page.getByRole('button', { name: 'Time here: show as table' }).click()
  await page.getByRole('button', { name: 'Who' }).click()
  await page.getByRole('rowheader', { name: '<b>bold</b>' }).waitFor()
  expect(await page.locator('tbody tr').count()).toBeLessThanOrEqual(180)
  await expectNoHorizontalScroll(visitor)
  await expectAccessible(visitor)
})
