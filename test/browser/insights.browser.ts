import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  sizes,
  startBrowser,
  waitForTitle,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, goByKeys } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface Totals {
  switches: number
  members: Record<string, string | number>[]
}

const charts = ['Time here', 'Time of day', 'Often together', 'Weeks']

describeDashboard(browser, testServer, ({ system, openNow }) => {
  const open = async () => {
    const visitor = await openNow()
    await goByKeys(visitor.page, 'i', 'Insights')
    await settled(visitor.page)
    return visitor
  }
  const settled = (page: Page) =>
    page.locator('.insights[aria-busy=false]').waitFor({ state: 'attached' })
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await settled(page)
  }
  const announced = (page: Page, text: string) =>
    page.locator('#said').filter({ hasText: text }).waitFor({ state: 'attached' })
  /** Reads a table: the header of each row and the exact figure of each cell. */
  const read = (page: Page, chart: string) =>
    page
      .locator('.chart', { has: page.getByRole('heading', { name: chart }) })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => {
          const cells = row as { cells: ArrayLike<{ textContent: string }> } & {
            querySelectorAll(selector: string): Iterable<{ value: string }>
          }
          return [
            cells.cells[0]?.textContent ?? '',
            ...[...cells.querySelectorAll('data')].map(({ value }) => value),
          ]
        }),
      )
  const seedHistory = () =>
    system.setSwitches(
      [400, 'Juno'],
      [200, 'Wren'],
      [150, 'Wren', 'Iris'],
      [100, 'Iris', 'Moss'],
      [60],
      [50, 'Ember'],
      [20, 'Wren', 'Moss'],
      [3, 'Wren'],
    )

  test('the Insights page is accessible in light and dark mode', async () => {
    await seedHistory()
    const visitor = await open()
    await visitor.page.getByText('longest time here').waitFor()
    await waitForTitle(visitor.page, 'Insights')
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    for (const chart of charts) await press(visitor.page, `${chart}: show as table`)
    await press(visitor.page, 'Custom')
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
  })

  test('tables have the figures of the API, sort by their headings, and announce the order', async () => {
    await seedHistory()
    const { page } = await open()
    // The weeks of the API begin on Monday.
    await page.evaluate(`localStorage.setItem('multitude-appearance', '{"week":"1"}')`)
    await page.reload()
    await settled(page)
    await press(page, 'Custom')
    const day = (hoursAgo: number) =>
      new Date(Date.now() - hoursAgo * 3_600_000).toISOString().slice(0, 10)
    const [from, to] = [day(240), day(48)]
    await page.getByLabel('From', { exact: true }).fill(from)
    await page.getByLabel('To', { exact: true }).fill(to)
    await settled(page)
    await page.getByText(/^\S+day.* to \S+day/).waitFor()
    for (const chart of charts) await press(page, `${chart}: show as table`)
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const midnight = (date: string, more = 0) =>
      new Date(Date.parse(`${date}T00:00:00`) + more).toISOString()
    const query = new URLSearchParams({
      since: midnight(from),
      until: midnight(to, 24 * 3_600_000),
      zone,
    })
    const load = <T>(path: string) => system.ask<T>(`GET /v2/systems/@me/fronting/${path}${query}`)
    const totals = await load<Totals>('totals?')
    const keys = ['time', 'share', 'stints', 'longest', 'shortest', 'average', 'median']
    const exact = totals.members.map((one) => [nameOf(one.member), ...keys.map((k) => `${one[k]}`)])
    expect(exact.length).toBeGreaterThan(2)
    expect((await read(page, 'Time here')).map((row) => row.slice(0, 8))).toEqual(exact)
    const hours = await load<{ members: Record<string, number[]> }>('hours?')
    expect((await read(page, 'Time of day')).toSorted()).toEqual(
      Object.entries(hours.members)
        .map(([id, sums]) => [nameOf(id), ...sums.map(String)])
        .toSorted(),
    )
    const pairs = await load<{ members: string[]; time: number; times: number }[]>('pairs?')
    expect(await read(page, 'Often together')).toEqual(
      pairs.map(({ members, time, times }) => [
        members.map(nameOf).join(' and '),
        String(time),
        String(times),
      ]),
    )
    const weeks = await load<{ switches: number; nobody: number }[]>('days?by=week&')
    expect((await read(page, 'Weeks')).map((row) => row.slice(1, 3))).toEqual(
      weeks.map(({ switches, nobody }) => [String(switches), String(nobody)]),
    )

    const table = page.getByRole('region', { name: 'Time here: show as table' })
    const stays = table.getByRole('columnheader', { name: 'Times here' })
    expect(await stays.getAttribute('aria-sort')).toBeNull()
    await stays.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await announced(page, 'Sorted by Times here, most first')
    expect(await stays.getAttribute('aria-sort')).toBe('descending')
    const column = async (at: number) => (await read(page, 'Time here')).map((row) => row[at])
    const most = (await column(3)).map(Number)
    expect(most).toEqual(most.toSorted((a, b) => b - a))
    await page.keyboard.press('Enter')
    await announced(page, 'Sorted by Times here, least first')
    expect((await column(3)).map(Number)).toEqual(most.toReversed())
    await table.getByRole('button', { name: 'Who' }).click()
    await announced(page, 'Sorted by Who, from A to Z')
    expect(await column(0)).toEqual((await column(0)).toSorted())

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Time here: CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('time-here.csv')
    const [, ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(lines.map((line) => line.split(',').slice(1, 9))).toEqual(exact)
  })

  test('Insights of a day of 25 hours in Oslo sum to 25 hours, also with two fronters', async () => {
    await system.setSwitches()
    await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'Europe/Oslo' })
    try {
      for (const [timestamp, ...names] of [
        ['2025-10-24T10:00:00Z', 'Wren'],
        ['2025-10-26T00:30:00Z', 'Wren', 'Iris'],
        ['2025-10-26T01:30:00Z', 'Wren'],
        ['2025-10-28T10:00:00Z', 'Juno'],
      ])
        await system.ask('POST /v2/systems/@me/switches', {
          timestamp,
          members: names.map(system.idOf),
        })
      const { page } = await open()
      await press(page, 'Custom')
      await page.getByLabel('From', { exact: true }).fill('2025-10-26')
      await page.getByLabel('To', { exact: true }).fill('2025-10-26')
      await page.getByText('Wren was here longest: 25 h, 100% of the time.').waitFor()
      await press(page, 'Time of day: show as table')
      const [wren, iris] = await read(page, 'Time of day')
      // The hour from two to three occurs twice, and Iris fronts for half of each.
      expect(wren).toEqual(['Wren', ...hours({ 2: 7200 }, 3600)])
      expect(iris).toEqual(['Iris', ...hours({ 2: 3600 }, 0)])
      await page.goto(`${address}/#/history`)
      await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
      await page.goBack()
      await settled(page)
      expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2025-10-26')
    } finally {
      await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'UTC' })
    }
  })

  test('offers the shortest span with switches when the selected one has none', async () => {
    await system.setSwitches([24 * 20, 'Wren'], [24 * 19])
    const visitor = await open()
    const { page } = visitor
    await page.getByText('No switches in the last 14 days.').waitFor()
    await press(page, '7 days')
    await page.getByText('No switches in the last 7 days.').waitFor()
    await expectAccessible(visitor)
    await press(page, 'Show last 30 days')
    await page.getByText('Wren was here longest:').waitFor()
    await announced(page, '30 days: 2 switches')
    await press(page, 'All')
    await page.getByText(/Wren was here longest: 24 h, \d+%/).waitFor()
  })

  test('rejects invalid days and keeps the figures shown', async () => {
    await seedHistory()
    const visitor = await open()
    const { page } = visitor
    await press(page, 'Custom')
    await page.getByLabel('To', { exact: true }).fill('2001-01-01')
    await page.getByText('“From” can’t be after “To”.').waitFor()
    await page.getByRole('heading', { name: 'Weeks' }).waitFor()
    await expectAccessible(visitor)
    await page.getByLabel('From', { exact: true }).fill('2000-12-31')
    await page.getByText('No switches in this period.').waitFor()
  })

  test('updates Insights after a switch logged elsewhere, and excludes custom fronts on request', async () => {
    await system.setSwitches([24 * 9, 'Ember'], [24 * 2, 'Wren'])
    const setKind = (kind: string) =>
      system.ask(`PATCH /ext/v1/members/${system.idOf('Ember')}`, { kind })
    await setKind('custom_front')
    try {
      const visitor = await open()
      const { page } = visitor
      const bars = page.locator('.bars')
      await bars.getByText('Ember').waitFor()
      await page.getByText('Ember was here longest:').waitFor()
      await page.getByLabel('Hide custom fronts').check()
      await page.getByText('Wren was here longest:').waitFor()
      expect(await bars.getByText('Ember').count()).toBe(0)
      await settled(page)
      await expectAccessible(visitor)
      await system.log(1, 'Moss')
      await bars.getByText('Moss').waitFor()
      await announced(page, '14 days: 3 switches')
    } finally {
      await setKind('member')
    }
  })

  test('leads to Now when no switch was ever logged', async () => {
    await system.setSwitches()
    const visitor = await openNow()
    await visitor.page.goto(`${address}/#/insights`)
    await visitor.page.getByText('Nothing is logged yet.').waitFor()
    await expectAccessible(visitor)
    await visitor.page.getByRole('link', { name: 'Log the first switch' }).click()
    await visitor.page.getByRole('heading', { name: 'Who’s switching in?' }).waitFor()
  })

  test('keeps the loaded figures and shows an error while the server is unreachable', async () => {
    await seedHistory()
    const visitor = await open()
    const { page, context } = visitor
    await disconnect(page)
    await page.getByRole('button', { name: '1 year' }).click()
    await page.getByText('Can’t reach the server.').waitFor()
    await page.getByRole('heading', { name: 'Time here' }).waitFor()
    await restoreNetwork(context)
    await press(page, '30 days')
    await announced(page, '30 days: 8 switches')
    await page.getByText('Can’t reach the server.').waitFor({ state: 'detached' })
  })

  test('reaches everything on Insights with the keyboard, with a visible focus', async () => {
    await seedHistory()
    const { page } = await open()
    await page.setViewportSize(sizes.desk)
    const reached = new Set<string>()
    for (let tabs = 0; tabs < 60 && !reached.has('CSV Weeks'); tabs++) {
      await page.keyboard.press('Tab')
      const [name, outline] = await page.evaluate<[string, string]>(`(() => {
        const one = document.activeElement
        return [(one.getAttribute('aria-label') ?? one.textContent).trim(), getComputedStyle(one).outlineWidth]
      })()`)
      expect([name, outline]).toEqual([name, '3px'])
      reached.add(name)
    }
    const tables = charts.flatMap((chart) => [`${chart}: show as table`, `${chart}: CSV`])
    for (const name of ['7 days', '14 days', '30 days', '1 year', 'All', 'Custom', ...tables])
      expect([...reached]).toContain(name)
  })

  function nameOf(id: unknown): string {
    const names = ['Wren', 'Iris', 'Moss', 'Juno', 'Atlas', 'Ember', 'Jün']
    return names.find((name) => system.idOf(name) === id) ?? ''
  }

  function hours(given: Record<number, number>, others: number): string[] {
    return Array.from({ length: 24 }, (_, hour) => String(given[hour] ?? others))
  }
})
