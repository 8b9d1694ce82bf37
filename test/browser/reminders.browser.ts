import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, logIn } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

interface Reminder {
  id: string
  name: string
  text: string | null
  kind: string
  enabled: boolean
  due: string | null
}

const repeat = { kind: 'repeat', every_days: 1, at: '09:00', from: '2026-01-01' }

describeDashboard(browser, testServer, async ({ size, system, openPath: open }) => {
  await system.setSwitches([5, 'Wren'])
  const all = () => system.ask<Reminder[]>('GET /ext/v1/systems/@me/reminders')
  const create = (body: object) => system.ask<Reminder>('POST /ext/v1/systems/@me/reminders', body)
  const clear = async () => {
    for (const { id } of await all()) await system.ask(`DELETE /ext/v1/reminders/${id}`)
  }
  const setZone = (timezone: string) => system.ask('PATCH /v2/systems/@me/settings', { timezone })
  await setZone('Europe/Oslo')
  const onSwitch = (page: Page, name: string) => page.getByRole('switch', { name })

  test('adds a repeating reminder, edits it, deletes it and takes that back', async () => {
    await clear()
    const visitor = await open('more')
    const { page } = visitor
    await page.getByRole('link', { name: /^Reminders/ }).click()
    await page.getByText('No reminders yet.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Add reminder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Log your front')
    await dialog.getByLabel('Text', { exact: true }).fill('Who is here?')
    await dialog.getByLabel('Repeat every … days').fill('0')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a number of days from 1 to 365.').waitFor()
    await dialog.getByLabel('Repeat every … days').fill('3')
    await dialog.getByLabel('Time', { exact: true }).fill('20:05')
    await dialog.getByLabel('From', { exact: true }).fill('2099-03-22')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Log your front was added.').first().waitFor()
    await page.getByText(/^Every 3 days at 8:05.PM$/).waitFor()
    await page.getByText(/^Next: March 22, 2099, 8:05.PM$/).waitFor()
    expect(await all()).toMatchObject([
      { name: 'Log your front', text: 'Who is here?', due: '2099-03-22T19:05:00Z' },
    ])
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)

    await page.getByRole('button', { name: 'Edit Log your front' }).click()
    await dialog.getByLabel('Repeat every … days').fill('1')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Every day at 8:05.PM$/).waitFor()

    await page.getByRole('button', { name: 'Edit Log your front' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No reminders yet.').waitFor()
    expect(await all()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Every day at 8:05.PM$/).waitFor()
    expect(await all()).toMatchObject([
      { name: 'Log your front', text: 'Who is here?', enabled: true },
    ])
  })

  test('adds a reminder after a switch, which shows its time once there is one', async () => {
    await clear()
    await system.setSwitches([5, 'Wren'])
    const { page } = await open('reminders')
    await page.getByRole('button', { name: 'Add reminder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Front check')
    await dialog.getByRole('button', { name: 'After a switch' }).click()
    await dialog.getByLabel('How long after').fill('0')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a time from 1 minute to 30 days.').waitFor()
    await dialog.getByLabel('How long after').fill('2')
    await dialog.getByLabel('Unit').selectOption({ label: 'days' })
    await dialog
      .getByLabel('After who comes to the front')
      .selectOption({ label: 'a member or a custom front' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Waits for the next switch').waitFor()
    expect(await all()).toMatchObject([{ kind: 'after_switch', after: 172_800, on: 'any' }])
    await system.ask('POST /v2/systems/@me/switches', { members: [system.idOf('Iris')] })
    await page.getByText(/^Next: /).waitFor()
    await page.getByRole('button', { name: 'Edit Front check' }).click()
    expect(await dialog.getByLabel('How long after').inputValue()).toBe('2')
    expect(await dialog.getByLabel('Unit').inputValue()).toBe('days')
  })

  test('turns a reminder off and on', async () => {
    await clear()
    await create({ name: 'Log your front', ...repeat })
    const { page } = await open('reminders')
    await page.getByText(/^Next: (today|tomorrow), 9:00.AM$/).waitFor()
    await onSwitch(page, 'Log your front').click()
    await page.getByText('Off', { exact: true }).waitFor()
    expect(await onSwitch(page, 'Log your front').isChecked()).toBe(false)
    expect(await all()).toMatchObject([{ enabled: false, due: null }])
    await onSwitch(page, 'Log your front').focus()
    await page.keyboard.press('Space')
    await page.getByText(/^Next: /).waitFor()
    expect(await all()).toMatchObject([{ enabled: true }])
  })

  test('shows a reminder that cannot be turned on as off', async () => {
    await clear()
    await create({ name: 'Log your front', ...repeat, enabled: false })
    const { page } = await open('reminders')
    await onSwitch(page, 'Log your front').waitFor()
    await page.route('**/ext/v1/reminders/*', (route) => route.abort())
    await onSwitch(page, 'Log your front').click()
    await page.locator('.things [role=alert]:not(:empty)').first().waitFor()
    expect(await onSwitch(page, 'Log your front').isChecked()).toBe(false)
  })

  test('offers to turn on reminders that were imported', async () => {
    await clear()
    await create({ name: 'Log your front', ...repeat, enabled: false })
    await create({ name: 'Water', ...repeat, enabled: false })
    const visitor = await open('reminders')
    const { page } = visitor
    const offer = page.getByRole('region', { name: 'Reminders that are off' })
    await offer.getByText('2 reminders are off.').waitFor()
    await expectAccessible(visitor)
    await offer.getByRole('button', { name: 'Turn on all' }).click()
    await page.getByText('2 reminders are on.').first().waitFor()
    await until(async () => (await all()).every(({ enabled }) => enabled))
    expect(await offer.count()).toBe(0)
    // The page loads the reminders again after the events.
    await page.getByRole('switch', { name: 'Water', checked: true }).waitFor()
    await onSwitch(page, 'Water').click()
    await page.getByText('Off', { exact: true }).waitFor()
    expect(await offer.count()).toBe(0)
  })

  test('hides the offer after "Not now"', async () => {
    await clear()
    await create({ name: 'Log your front', ...repeat, enabled: false })
    const { page } = await open('reminders')
    await page.getByRole('button', { name: 'Not now' }).click()
    await page
      .getByRole('region', { name: 'Reminders that are off' })
      .waitFor({ state: 'detached' })
    expect(await all()).toMatchObject([{ enabled: false }])
  })

  test('offers the time zone of the device while the system has none', async () => {
    await clear()
    await setZone('UTC')
    await create({ name: 'Log your front', ...repeat })
    const context = await browser.newContext({
      viewport: sizes[size],
      timezoneId: 'America/Costa_Rica',
    })
    context.setDefaultTimeout(100_000)
    const page = await context.newPage()
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.goto(`${testServer.server.address}/#/reminders`)
    await page.getByText('Your system has no time zone').waitFor()
    await page.getByRole('button', { name: 'Use America/Costa_Rica' }).click()
    await page.getByText('Your system has no time zone').waitFor({ state: 'detached' })
    const settings = await system.ask<{ timezone: string }>('GET /v2/systems/@me/settings')
    expect(settings.timezone).toBe('America/Costa_Rica')
    await page.getByText(/^Every day at 9:00.AM$/).waitFor()
    await page.getByText(/^Next: (today|tomorrow), 9:00.AM$/).waitFor()
    await context.close()
    await setZone('Europe/Oslo')
  })

  test('shows changes of other devices, and writes nothing while offline', async () => {
    await clear()
    await create({ name: 'Log your front', ...repeat })
    const { page } = await open('reminders')
    await onSwitch(page, 'Log your front').waitFor()
    await create({ name: 'Water', ...repeat })
    await onSwitch(page, 'Water').waitFor()
    await disconnect(page)
    const add = page.getByRole('button', { name: 'Add reminder' })
    await page.locator('button.main[aria-disabled=true]').first().waitFor()
    await add.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
