import { describe, expect, test } from 'bun:test'
import { fieldsOf } from '../../src/web/app/time'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoSideways,
  type Size,
  startBrowser,
  startTestServer,
  visit,
} from './browser'
import { logIn, openDashboard, seedSystem } from './testSystem'

const browser = await startBrowser()
const testServer = await startTestServer('Somebody else')

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const families = {
  phone: await seedSystem(testServer, 'Lantern Hill'),
  desk: await seedSystem(testServer, 'Lantern Hill'),
}

describe.each<Size>(['phone', 'desk'])('on a %s', (size) => {
  const family = families[size]
  const enter = (scheme: 'light' | 'dark' = 'light') =>
    openDashboard(browser, testServer, family, size, scheme)
  const names = async () => (await family.history()).map(({ names }) => names)

  test('two taps: a face, then Switch', async () => {
    await family.begin([5, 'Wren'])
    const visitor = await enter()
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

  test('two faces come in the order in which they were tapped', async () => {
    await family.begin([5, 'Wren'])
    const { page } = await enter()
    await page.getByRole('button', { name: 'Juno', exact: true }).click()
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Juno and Iris' }).click()
    await page.getByText('Juno and Iris are here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Juno', 'Iris'])
  })

  test('who joins stands beside those whose time goes on', async () => {
    await family.begin([5, 'Wren'])
    const { page } = await enter()
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    await page.getByRole('button', { name: 'Join Wren' }).click()
    const card = page.locator('.here-now')
    await card.getByText('Iris').waitFor()
    await page.getByText('Wren and Iris are here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Wren', 'Iris'])
    expect(await card.getByRole('listitem').first().textContent()).toContain('5 h')
  })

  test('one of two steps back, and the other’s time is unbroken', async () => {
    await family.begin([5, 'Wren'], [2, 'Wren', 'Iris'])
    const visitor = await enter()
    const { page } = visitor
    await page.getByRole('button', { name: 'Iris steps back' }).click()
    await page.getByText('Wren is here now.').first().waitFor()
    expect((await names())[0]).toEqual(['Wren'])
    expect(await page.locator('.here-now').textContent()).toContain('5 h')
    expect(await page.getByRole('button', { name: /steps back/ }).count()).toBe(0)
  })

  test('Undo leaves the front and the history exactly as before', async () => {
    await family.begin([5, 'Wren'], [2, 'Wren', 'Iris'])
    const before = await family.history()
    const { page } = await enter()
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Iris').waitFor()
    expect(await family.history()).toEqual(before)
  })

  test('nobody, or not sure, is a switch too', async () => {
    await family.begin([5, 'Wren'])
    const visitor = await enter('dark')
    const { page } = visitor
    await page.getByRole('button', { name: 'Nobody / not sure' }).click()
    await page.getByText('Nobody is logged as here').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect((await names())[0]).toEqual([])
    await expectAccessible(visitor)
  })

  test('what happened an hour ago is logged and drawn an hour ago', async () => {
    await family.begin([5, 'Wren'])
    const visitor = await enter()
    const { page } = visitor
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await page.getByRole('button', { name: /^1 h/ }).click()
    await page.getByText(/It will stand at .* when Wren was here/).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const [latest] = await family.history()
    expect(latest?.names).toEqual(['Moss'])
    expect(Math.abs(Date.now() - 3_600_000 - (latest?.at ?? 0))).toBeLessThan(60_000)
    const row = page.getByRole('img', { name: /Moss (1 h|\d+ min)/ })
    expect(await row.count()).toBeGreaterThan(0)
  })

  test('at the very time of another, the server’s words stand at the field', async () => {
    const time = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 2 * 3_600_000)
    await family.begin()
    await family.ask('POST /v2/systems/@me/switches', {
      timestamp: time.toISOString(),
      members: [family.idOf('Wren')],
    })
    const visitor = await enter()
    const { page } = visitor
    const shown = fieldsOf(time.getTime() * 1000, zone)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await page.getByRole('button', { name: 'At a time…' }).click()
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

  test('a switch in a second tab, or by a bot, is seen without a reload', async () => {
    await family.begin([5, 'Wren'])
    const { page, context } = await enter()
    await page.getByText('Live').waitFor({ state: 'attached' })
    const second = await context.newPage()
    await second.goto(testServer.server.address)
    await second.getByRole('button', { name: 'Juno', exact: true }).click()
    await second.getByRole('button', { name: 'Switch to Juno' }).click()
    await page.locator('.here-now').getByText('Juno').waitFor()
    await family.log(0, 'Atlas')
    await page.locator('.here-now').getByText('Atlas').waitFor()
    await second.locator('.here-now').getByText('Atlas').waitFor()
  })

  test('everyone can be found, whatever the accents', async () => {
    await family.begin([5, 'Wren'])
    const visitor = await enter()
    const { page } = visitor
    await page.getByRole('button', { name: 'Everyone (7)' }).click()
    await page.getByLabel('Search').fill('jun')
    await page.getByRole('button', { name: 'Jün', exact: true }).click()
    expect(await page.getByRole('button', { name: 'Moss', exact: true }).count()).toBe(0)
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Switch to Jün' }).click()
    await page.locator('.here-now').getByText('Jün').waitFor()
  })

  test('the keyboard alone is enough', async () => {
    await family.begin([5, 'Wren'])
    const { page } = await enter()
    await page.keyboard.press('s')
    await page.getByLabel('Search').waitFor()
    await page.keyboard.type('moss')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Switch to Moss' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Moss is here now.').first().waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.waitForFunction('document.title.includes("History")')
    await page.locator('h1:focus').waitFor()
  })

  test('nothing needs scrolling sideways, and what can be tapped is large', async () => {
    await family.begin([5, 'Wren'], [2, 'Wren', 'Iris'])
    const visitor = await enter('dark')
    const { page } = visitor
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'It happened earlier…' }).click()
    await expectAccessible(visitor)
    await expectNoSideways(visitor)
    await expectLargeTargets(visitor)
  })
})

test('an empty system is led on', async () => {
  const { token } = await testServer.operate<{ token: string }>('system', 'create', '--name', 'New')
  const visitor = await visit(browser)
  const { page } = visitor
  await logIn(page, testServer, token)
  await page.getByText('Nobody lives here yet.').waitFor()
  await expectAccessible(visitor)
  await page.getByRole('button', { name: 'Make the first member' }).click()
  await page.getByText('They need a name.').waitFor()
  await page.getByLabel('Name').fill('Fern')
  await page.getByRole('button', { name: 'Make the first member' }).click()
  await page.getByRole('button', { name: 'Fern', exact: true }).waitFor()
  await expectAccessible(visitor)
})
