import { describe, expect, test } from '../tools/test'
import {
  expectAccessible,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
  storySizes,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { logIn, seedSystem } from './tools/testSystem'

/** Time zone, clock and week: the setting, else the locale of the browser. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describe.each(storySizes())('on a %s', async (size) => {
  const system = await seedSystem(testServer, 'Lantern Hill')
  await system.setSwitches([30, 'Wren'], [2, 'Iris'])

  const open = async (locale: string, timezoneId: string) => {
    const context = await browser.newContext({ viewport: sizes[size], locale, timezoneId })
    const page = await context.newPage()
    page.setDefaultTimeout(100_000)
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    return { page, context, consoleMessages: [] }
  }

  test('says which time zone times are in, where it is not that of the device', async () => {
    await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'Pacific/Auckland' })
    const visitor = await open('en-GB', 'Europe/Oslo')
    const { page, context } = visitor
    const note = page.getByText(/^Times are in Pacific\/Auckland, where it’s now \d\d:\d\d\.$/)
    await note.first().waitFor()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await page.getByRole('button', { name: 'Pick a time…' }).click()
    await page.locator('.time-fields').getByText('Pacific/Auckland').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    for (const path of ['history/days', 'history/day', 'insights']) {
      await page.goto(`${address}/#/${path}`)
      await note.first().waitFor()
    }
    await context.close()
    // Another name, but the same time.
    await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'Europe/Berlin' })
    const near = await open('en-GB', 'Europe/Oslo')
    expect(await near.page.getByText('Times are in').count()).toBe(0)
    await near.context.close()
    await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'UTC' })
  })

  test.each([
    ['en-GB', 'Mon', /^since .*\b\d\d:\d\d · /, '18'],
    ['en-US', 'Sun', /^since (.*, )?[1-9]\d?:\d\d\s[AP]M · /, '6\u202fPM'],
  ])('%s decides on the clock, the axis and the week', async (locale, firstDay, since, axis) => {
    const { page, context } = await open(locale, 'Europe/Oslo')
    await page.locator('.here-now').getByText(since).waitFor()
    const hours = (await page.locator('.hours span').allTextContents()).map((one) =>
      one.replace(' ', '\u202f'),
    )
    expect(hours).toContain(axis)
    await page.goto(`${address}/#/history/month`)
    await page.locator('.weekday').first().waitFor()
    expect(await page.locator('.weekday').first().textContent()).toBe(firstDay)
    // The setting comes before the locale.
    await page.goto(`${address}/#/appearance`)
    const choose = (group: RegExp, name: RegExp) =>
      page.getByRole('group', { name: group }).getByRole('button', { name }).click()
    await choose(/clock/i, /24/)
    await choose(/week/i, /Saturday/)
    await page.goto(`${address}/#/now`)
    await page
      .locator('.here-now')
      .getByText(/\b\d\d:\d\d · /)
      .waitFor()
    expect(await page.locator('.hours span').allTextContents()).toContain('18')
    await page.goto(`${address}/#/history/month`)
    await page.locator('.weekday').first().waitFor()
    expect(await page.locator('.weekday').first().textContent()).toBe('Sat')
    await context.close()
  })
})
