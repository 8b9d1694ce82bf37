import type { Page } from 'playwright-core'
import { fieldsOf } from '../../src/dashboard/lib/time'
import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  visit,
  waitForTrue,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, logIn, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const open = async (view: string) => {
    const visitor = await openNow()
    await visitor.page.goto(`${address}/#/history/${view}`)
    await visitor.page.getByRole('heading', { name: 'History' }).waitFor()
    return visitor
  }
  const names = async () => (await system.history()).map(({ names }) => names)

  test.each(['days', 'list', 'month'])(
    'the history as %s is accessible in light and dark mode',
    async (view) => {
      await system.setSwitches([50, 'Wren'], [30, 'Wren', 'Iris'], [20, 'Juno'], [3], [1, 'Ember'])
      const visitor = await open(view)
      await visitor.page.getByRole('link', { name: 'Month' }).waitFor()
      if (view === 'month') await expectWholeMonth(visitor.page)
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
      if (view !== 'days') return
      await visitor.page.getByRole('button', { name: 'Show as table' }).click()
      await visitor.page.getByRole('cell', { name: 'Wren and Iris' }).first().waitFor()
      await expectAccessible(visitor, { inDark: true })
      await expectNoHorizontalScroll(visitor)
    },
  )

  test('moves a switch past its neighbour, with a preview of the effect', async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'], [1, 'Juno'])
    const visitor = await open('list')
    const { page } = visitor
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .nth(1)
      .click()
    const target = fieldsOf((Date.now() - 6 * 3_600_000) * 1000, zone)
    await page.getByLabel('Time').fill(target.time)
    await page.getByLabel('Date', { exact: true }).fill(target.date)
    await page
      .getByText(/Wren instead of Iris/)
      .first()
      .waitFor()
    await page
      .getByText(/Iris instead of no record/)
      .first()
      .waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await names()).toEqual([['Juno'], ['Wren'], ['Iris']])
    const listed = page.locator('.switches .name')
    expect(await listed.allTextContents()).toEqual(['Juno', 'Wren', 'Iris'])
  })

  test('changes the members of a switch', async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'])
    const { page } = await open('list')
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Add someone' }).click()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page
      .getByText(/Iris and Moss instead of Iris/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect((await names())[0]).toEqual(['Iris', 'Moss'])
  })

  test('deletes the latest switch, which restores the previous front, and undoes it', async () => {
    await system.setSwitches([5, 'Wren'], [3, 'Iris'])
    const before = await system.history()
    const { page } = await open('list')
    await page
      .getByRole('button', { name: /^Edit switch/ })
      .first()
      .click()
    await page.getByText(/If you delete it: Wren instead of Iris/).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Switch deleted.').first().waitFor()
    expect(await names()).toEqual([['Wren']])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.switches').getByText('Iris').waitFor()
    expect(await system.history()).toEqual(before)
  })

  test('adds a past switch, and shows at the field that a time is taken', async () => {
    await system.setSwitches()
    const taken = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 4 * 3_600_000)
    await system.ask('POST /v2/systems/@me/switches', {
      timestamp: taken.toISOString(),
      members: [system.idOf('Wren')],
    })
    const visitor = await open('days')
    const { page } = visitor
    await page.getByRole('button', { name: 'Add a past switch' }).click()
    const wrong = fieldsOf(taken.getTime() * 1000, zone)
    await page.getByLabel('Time').fill(wrong.time)
    await page.getByLabel('Date', { exact: true }).fill(wrong.date)
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .locator('#time-problem')
      .getByText(/switch/i)
      .waitFor()
    await expectAccessible(visitor)
    const right = fieldsOf((taken.getTime() + 3_600_000) * 1000, zone)
    await page.getByLabel('Time').fill(right.time)
    await page.getByLabel('Date', { exact: true }).fill(right.date)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await names()).toEqual([['Iris'], ['Wren']])
  })

  test('Escape closes the switch dialog and returns the focus', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await open('list')
    await page.getByRole('button', { name: /^Edit switch/ }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await waitForTrue(
      page,
      'document.activeElement.getAttribute("aria-label")?.includes("Edit switch")',
    )
  })
})

test('shows a day of 25 hours when the clocks go back in Oslo', async () => {
  const system = await seedSystem(testServer, 'Night watch')
  await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'Europe/Oslo' })
  for (const [timestamp, name] of [
    ['2026-10-24T20:00:00Z', 'Wren'],
    ['2026-10-25T11:00:00Z', 'Iris'],
  ] as const)
    await system.ask('POST /v2/systems/@me/switches', { timestamp, members: [system.idOf(name)] })
  const { page } = await visit(browser, 'desk')
  await page.clock.setFixedTime('2026-10-26T12:00:00Z')
  await logIn(page, testServer, system.token)
  await page.getByRole('heading', { name: 'Here now' }).waitFor()
  await page.goto(`${address}/#/history/days`)
  const row = page.getByRole('img', { name: /Wren 13 h and Iris 12 h/ })
  await row.waitFor()
  expect(await page.getByText('25 h', { exact: true }).count()).toBe(1)
  // Iris began at noon, so her bar starts at the mark for 12.
  const track = await row.boundingBox()
  const bar = await row.locator('.piece').nth(1).boundingBox()
  const mark = await row.locator('.hour').nth(1).boundingBox()
  expect(Math.abs((bar?.x ?? 0) - (mark?.x ?? 1e9))).toBeLessThan(2)
  expect(((bar?.x ?? 0) - (track?.x ?? 0)) / (track?.width ?? 1)).toBeCloseTo(13 / 25, 2)
})

/** Expects a cell for each day, and a name in the days with fronters. */
async function expectWholeMonth(page: Page): Promise<void> {
  await page
    .locator('.cell')
    .getByText(/Wren|Iris|Juno|Ember/)
    .first()
    .waitFor()
  const [year = 0, month = 0] = fieldsOf(Date.now() * 1000, zone)
    .date.split('-')
    .map(Number)
  expect(await page.locator('.cell').count()).toBe(new Date(year, month, 0).getDate())
}
