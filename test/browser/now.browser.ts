import { fieldsOf } from '../../src/dashboard/lib/time'
import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
  visit,
  waitForTrue,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, goByKeys, logIn } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

describeDashboard(browser, testServer, ({ system, openNow: open }) => {
  const names = async () => (await system.history()).map(({ names }) => names)

  test('switches with two taps: a member, then Switch', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.locator('.here-now').getByText('Moss').waitFor()
    await page.getByText('Moss is here now.').first().waitFor()
    expect(await page.locator('#said').textContent()).toContain('Moss')
    expect(await names()).toEqual([['Moss'], ['Wren']])
    expect(await page.getByRole('button', { pressed: true }).count()).toBe(0)
    await expectAccessible(visitor)
  })

  test('fetches switches of other clients only, because the response has its own', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await open()
    const fetched: string[] = []
    page.on('request', (request) => {
      const [, id] = /\/switches\/([\w-]{36})$/.exec(request.url()) ?? []
      if (id) fetched.push(id)
    })
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByText('Moss is here now.').first().waitFor()
    // Its event comes after that of the switch above.
    const { id } = await system.log(0, 'Iris')
    await page.locator('.here-now').getByText('Iris').waitFor()
    expect(fetched).toEqual([id])
  })

  test('logs two members in the order in which they were selected', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await open()
    await page.getByRole('button', { name: 'Juno', exact: true }).click()
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Juno and Iris' }).click()
    await page.getByText('Juno and Iris are here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Juno', 'Iris'])
  })

  test('"Join" adds the member and keeps the current fronters\' start times', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await open()
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    await page.getByRole('button', { name: 'Add alongside Wren' }).click()
    const card = page.locator('.here-now')
    await card.getByText('Iris').waitFor()
    await page.getByText('Wren and Iris are here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Wren', 'Iris'])
    expect(await card.getByRole('listitem').first().textContent()).toContain('5 h')
  })

  test("removes one of two fronters and keeps the other's start time", async () => {
    await system.setSwitches([5, 'Wren'], [2, 'Wren', 'Iris'])
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Iris steps back' }).click()
    await page.getByText('Wren is here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Wren'])
    expect(await page.locator('.here-now').textContent()).toContain('5 h')
    expect(await page.getByRole('button', { name: /steps back/ }).count()).toBe(0)
  })

  test('Undo restores fronters and history exactly', async () => {
    await system.setSwitches([5, 'Wren'], [2, 'Wren', 'Iris'])
    const before = await system.history()
    const { page } = await open()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Iris').waitFor()
    expect(await system.history()).toEqual(before)
  })

  test('logs a switch to nobody', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await open('dark')
    const { page } = visitor
    await page.getByRole('button', { name: 'Nobody / not sure' }).click()
    await page.getByText('No one is logged as here').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect((await names())[0]).toEqual([])
    await expectAccessible(visitor)
  })

  test('logs and shows a switch of an hour ago an hour ago', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await open()
    const { page } = visitor
    const began = Date.now()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await page.getByRole('button', { name: /^1 h/ }).click()
    await page.getByText(/Will be logged at .* \(1 h ago\)\. Here then: Wren\./).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const ended = Date.now()
    const [latest] = await system.history()
    expect(latest?.names).toEqual(['Moss'])
    expect(latest?.at).toBeWithin(began - 3_600_000 - 60_000, ended - 3_600_000 + 1)
    const row = page.getByRole('img', { name: /Moss (1 h|\d+ min)/ })
    expect(await row.count()).toBeGreaterThan(0)
  })

  test('shows at the field that the time of a past switch is taken', async () => {
    const time = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 2 * 3_600_000)
    await system.setSwitches()
    await system.ask('POST /v2/systems/@me/switches', {
      timestamp: time.toISOString(),
      members: [system.idOf('Wren')],
    })
    const visitor = await open()
    const { page } = visitor
    const shown = fieldsOf(time.getTime() * 1000, zone)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await page.getByRole('button', { name: 'Pick a time…' }).click()
    await page.getByLabel('Time').fill(shown.time)
    await page.getByLabel('Date').fill(shown.date)
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page
      .locator('#time-problem')
      .getByText(/switch/i)
      .waitFor()
    expect(await page.getByLabel('Time').inputValue()).toBe(shown.time)
    expect(
      await page.getByRole('button', { name: 'Moss', exact: true }).getAttribute('aria-pressed'),
    ).toBe('true')
    expect(await names()).toEqual([['Wren']])
    await expectAccessible(visitor)
  })

  test('shows a switch from another tab or a bot without a reload', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await open()
    await page.getByText('Live').waitFor({ state: 'attached' })
    const second = await context.newPage()
    await second.goto(testServer.server.address)
    await second.getByRole('button', { name: 'Juno', exact: true }).click()
    await second.getByRole('button', { name: 'Switch to Juno' }).click()
    await page.locator('.here-now').getByText('Juno').waitFor()
    await system.log(0, 'Atlas')
    await page.locator('.here-now').getByText('Atlas').waitFor()
    await second.locator('.here-now').getByText('Atlas').waitFor()
  })

  test('finds members on Now with or without accents', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Everyone (7)' }).click()
    await page.getByLabel('Search').fill('jun')
    await page.getByRole('button', { name: 'Jün', exact: true }).click()
    expect(await page.getByRole('button', { name: 'Moss', exact: true }).count()).toBe(0)
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Switch to Jün' }).click()
    await page.locator('.here-now').getByText('Jün').waitFor()
  })

  test('switches and navigates with the keyboard alone', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await open()
    await page.setViewportSize(sizes.desk)
    await page.keyboard.press('s')
    await page.getByLabel('Search').waitFor()
    await page.keyboard.type('moss')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Switch to Moss' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Moss is here now.').first().waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await goByKeys(page, 'h', 'History')
    await waitForTrue(page, 'document.title.includes("History")')
    await page.locator('h1:focus').waitFor()
  })

  test('Now needs no horizontal scrolling and has large targets', async () => {
    await system.setSwitches([5, 'Wren'], [2, 'Wren', 'Iris'])
    const visitor = await open('dark')
    const { page } = visitor
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await expectLargeTargets(visitor)
  })
})

test('an empty system is asked for its first member', async () => {
  const { token } = await testServer.operate<{ token: string }>('system', 'create', '--name', 'New')
  const visitor = await visit(browser)
  const { page } = visitor
  await logIn(page, testServer, token)
  await page.getByText('No members yet.').waitFor()
  await expectAccessible(visitor)
  await page.getByRole('button', { name: 'Add your first member' }).click()
  await page.getByText('Enter a name.').waitFor()
  await page.getByLabel('Name').fill('Fern')
  await page.getByRole('button', { name: 'Add your first member' }).click()
  await page.getByRole('button', { name: 'Fern', exact: true }).waitFor()
  await expectAccessible(visitor)
})
