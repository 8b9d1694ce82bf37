import type { Page } from 'playwright-core'
import { fieldsOf } from '../../src/dashboard/lib/time'
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

/** Finding a day, a time or one member in the history. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const HOUR = 3_600_000
const fieldsAgo = (hours: number) => fieldsOf((Date.now() - hours * HOUR) * 1000, zone)

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const open = async (path: string) => {
    const visitor = await openNow()
    await visitor.page.goto(`${address}/#/history/${path}`)
    await visitor.page.getByRole('link', { name: 'Month' }).waitFor()
    return visitor
  }
  const answer = (page: Page) => page.locator('main fieldset [role=status]')

  test('says who was here at a time, three taps from Now', async () => {
    await system.setSwitches([50, 'Wren'], [30, 'Wren', 'Iris'], [3, 'Juno'])
    const visitor = await openNow()
    const { page } = visitor
    await page.getByRole('link', { name: 'Who was here at…' }).click()
    await answer(page).getByText('Juno, since').waitFor()
    const asked = fieldsAgo(26)
    await page.getByLabel('Date').last().fill(asked.date)
    await page.getByLabel('Time').fill(asked.time)
    await answer(page)
      .getByText(/^Wren and Iris, from .* to /)
      .waitFor()
    expect(page.url()).toEndWith(`#/history/day?date=${asked.date}&time=${asked.time}`)
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.reload()
    await answer(page).getByText('Wren and Iris').waitFor()
  })

  test.each(['day', 'month'])('the heading of a %s stays between its buttons', async (view) => {
    await system.setSwitches([3, 'Juno'])
    const { page } = await open(`${view}?date=2026-09-30`)
    await page.setViewportSize({ width: 320, height: 844 })
    const heading = page.locator('main h2').first()
    const boxes = [
      page.getByRole('button', { name: `Previous ${view}` }),
      heading,
      page.getByRole('button', { name: `Next ${view}` }),
    ].map((one) => one.boundingBox())
    const [back, title, forth] = await Promise.all(boxes)
    if (!back || !title || !forth) throw new Error('not shown')
    expect(back.x + back.width).toBeLessThanOrEqual(title.x)
    expect(title.x + title.width).toBeLessThanOrEqual(forth.x)
    expect(back.y).toBe(forth.y)
  })

  test.each([
    ['a bar', 'days', '.day:nth-of-type(3) .hit'],
    ['a day', 'days', '.day:nth-of-type(3) .day-name a'],
    ['a day of a month', 'month', '.cell:has(bdi) a'],
  ] as const)('tapping %s opens it, and Back returns', async (_, view, target) => {
    await system.setSwitches([80, 'Wren'], [78, 'Iris'], [1, 'Juno'])
    const visitor = await open(view)
    const { page } = visitor
    await page.locator(target).first().click()
    await page.waitForURL(/#\/history\/day\?date=\d{4}-\d\d-\d\d/)
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .waitFor()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await page.goBack()
    await page.waitForURL(new RegExp(`#/history/${view}`))
  })

  test('tapping a day right after scrolling opens it', async () => {
    await system.setSwitches([80, 'Wren'], [1, 'Juno'])
    const { page } = await open('month')
    await page.setViewportSize({ width: 390, height: 300 })
    await page.locator('.cell bdi').first().waitFor()
    // The pause after which the page notes where it was scrolled to ends right after the click.
    await page.evaluate(`{
      const start = globalThis.setTimeout
      const pauses = []
      globalThis.setTimeout = (run) => pauses.push(run)
      addEventListener('scroll', () => {
        globalThis.setTimeout = start
        document.querySelector('.cell:has(bdi) a').click()
        for (const run of pauses) run()
      }, { once: true })
      scrollTo(0, 100)
    }`)
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .waitFor()
    expect(page.url()).toMatch(/#\/history\/day\?date=\d{4}-\d\d-\d\d$/)
  })

  test('jumps to a date, and shows one member only, also after a reload', async () => {
    await system.setSwitches(
      [24 * 100, 'Wren'],
      [24 * 99, 'Moss', 'Iris'],
      [24 * 98, 'Moss'],
      [1, 'Juno'],
    )
    const visitor = await open('list')
    const { page } = visitor
    const { date } = fieldsAgo(24 * 98)
    await page.getByLabel('Go to date').fill(date)
    const names = page.locator('.switches .name')
    await page.waitForURL(`${address}/#/history/list?date=${date}`)
    await names.getByText('Juno').waitFor({ state: 'detached' })
    expect(await names.allTextContents()).toEqual(['Moss', 'Moss and Iris', 'Wren'])
    await page.getByLabel('Who').selectOption('Iris')
    await names.getByText('Wren').waitFor({ state: 'detached' })
    expect(await names.allTextContents()).toEqual(['Moss and Iris'])
    await page.reload()
    await names.getByText('Moss and Iris').waitFor()
    expect(await names.count()).toBe(1)
    await page.getByRole('link', { name: 'Days' }).click()
    await page
      .getByRole('img', { name: /Iris \d+/ })
      .first()
      .waitFor()
    await expectAccessible(visitor)
    await page.goto(`${address}/#/members/${system.idOf('Iris')}/history`)
    await page.getByRole('link', { name: 'All of Iris’s history' }).click()
    expect(await page.getByRole('combobox', { name: 'Who', exact: true }).inputValue()).toBe(
      system.idOf('Iris'),
    )
  })

  test('keeps the position when a page was opened and left', async () => {
    const days = Array.from({ length: 40 }, (_, at) => at + 1).reverse()
    await system.setSwitches(
      ...days.map((day): [number, string] => [24 * day, day % 2 === 0 ? 'Wren' : 'Iris']),
    )
    const { page } = await open('list')
    const { date } = fieldsAgo(24 * 20)
    const section = page.locator(`[data-date="${date}"]`)
    await section.waitFor()
    // Scrolled once: the place after a second step may not be kept yet when the page is left.
    await page.evaluate(`document.querySelector('[data-date="${date}"]').scrollIntoView()`)
    await page.waitForURL(/at=\d{4}/)
    const top = await page.evaluate('scrollY')
    expect(Number(top)).toBeGreaterThan(500)
    await page.goto(`${address}/#/now`)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.goBack()
    await section.waitFor()
    await until(async () => Math.abs((await section.boundingBox())?.y ?? 1e9) < 400)
    expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(500)
  })

  test('logs a stint from a time to a time in one entry, and undoes it', async () => {
    await system.setSwitches([10, 'Wren'])
    const before = await system.history()
    const visitor = await open('list')
    const { page } = visitor
    await page.getByRole('button', { name: 'Add a past switch' }).click()
    const [from, to] = [fieldsAgo(5), fieldsAgo(3)]
    await page.getByLabel('Time', { exact: true }).fill(from.time)
    await page.getByLabel('Date', { exact: true }).fill(from.date)
    await page.getByLabel('They left again at…').check()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The end has to be after the beginning.').waitFor()
    await page.getByLabel('Until, time').fill(to.time)
    await page.getByLabel('Until, date').fill(to.date)
    await page.getByText(/Moss instead of Wren from .* to /).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const names = (await system.history()).map((one) => one.names)
    expect(names).toEqual([['Wren'], ['Moss'], ['Wren']])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.switches').getByText('Moss').waitFor({ state: 'detached' })
    await page.waitForFunction(() => {
      const window = globalThis as unknown as {
        document: { getElementById(id: string): { textContent: string } }
      }
      return window.document.getElementById('said').textContent === 'Undone.'
    })
    expect(await system.history()).toEqual(before)
  })
})
