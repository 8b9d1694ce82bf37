import { expect, test } from '../tools/test'
import { expectAccessible, expectNoHorizontalScroll, startBrowser, visit } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { logIn, openDashboard, seedSystem } from './tools/testSystem'

/** Pages about other people, with many members, unusual names, or no members at all. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server
const system = await seedSystem(testServer, 'Lantern Hill')
await system.setSwitches([3, 'Wren', 'Iris'])
const pages = {
  friends: ['#/friends', 'Friends'],
  privacy: ['#/privacy', 'Privacy'],
  system: ['#/system', 'System'],
} as const

test('a thousand members and unusual names break no page', async () => {
  const { token, id } = await testServer.operate<{ token: string; id: string }>(
    ...['system', 'create', '--name', '🏮'.repeat(50)],
  )
  const ask = <T>(line: string, body?: unknown) => testServer.ask<T>(line, body, token)
  const odd = ['👩‍👩‍👧‍👦'.repeat(9), 'نور القمر', 'W'.repeat(100), '<b>bold</b>', 'ẞ̈̈̈̈̈̈']
  const created: { id: string }[] = []
  for (const name of odd)
    created.push(
      await ask<{ id: string }>('POST /v2/members', {
        name,
        avatar_url: 'https://localhost:1/none.png',
      }),
    )
  for (let at = 0; at < 995; at += 199)
    await Promise.all(
      Array.from({ length: 199 }, (_, more) =>
        ask('POST /v2/members', { name: `Somebody ${at + more}` }),
      ),
    )
  await ask('POST /v2/systems/@me/switches', { members: created.map((one) => one.id) })
  const visitor = await visit(browser, 'phone')
  const { page } = visitor
  await page.goto(`${address}/#/systems/${id}`)
  await page.getByRole('heading', { name: '1,000 members' }).waitFor()
  expect(await page.locator('.tile').count()).toBeLessThan(200)
  await page.locator('.here-now').getByText('<b>bold</b>').waitFor()
  await expectNoHorizontalScroll(visitor)
  await expectAccessible(visitor)

  await logIn(page, testServer, token)
  await page.goto(`${address}/#/privacy`)
  await page.getByRole('button', { name: 'Change 1,000 members' }).waitFor()
  await expectNoHorizontalScroll(visitor)
  await page.getByRole('button', { name: 'Change 1,000 members' }).click()
  await page.getByText('1,000 members changed.').first().waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Change 1,000 members' }).waitFor()
  await page.goto(`${address}/#/system`)
  await page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
  await expectNoHorizontalScroll(visitor)
  const watching = await ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    name: 'Sam',
    scope: 'watch',
  })
  await page.goto(`${address}/#/watch/${encodeURIComponent(watching.token)}`)
  await page.locator('.here-now').getByText('نور القمر').waitFor()
  await expectNoHorizontalScroll(visitor)
})

test('an empty system without a name has working pages', async () => {
  const { token, id } = await testServer.operate<{ token: string; id: string }>('system', 'create')
  const visitor = await visit(browser, 'phone')
  const { page } = visitor
  await page.goto(`${address}/#/systems/${id}`)
  await page.getByRole('heading', { name: `System ${id}` }).waitFor()
  await page.getByText('No public members.').waitFor()
  await expectAccessible(visitor)
  await logIn(page, testServer, token)
  await page.getByText('No members yet.').waitFor()
  for (const [hash, heading] of Object.values(pages)) {
    await page.goto(`${address}/${hash}`)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await expectAccessible(visitor)
  }
})

test('keeps the input for a friend link when the session ends', async () => {
  const { page, context } = await openDashboard(browser, testServer, system, 'phone')
  await page.goto(`${address}/#/friends`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Robin')
  await page.getByRole('button', { name: '7 days' }).click()
  // Ends the session while the form is being sent, because the page also notices it by itself.
  await context.route('**/v2/systems/@me/tokens', async (route) => {
    if (route.request().method() === 'POST') await system.ask('DELETE /web/sessions')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Add link' }).click()
  await page.getByLabel('Token').fill(system.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Robin')
  expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe(
    'true',
  )
})

test('uses another word for members on Friends', async () => {
  await system.ask('PATCH /web/preferences', { word: 'headmates' })
  const { page } = await openDashboard(browser, testServer, system, 'phone')
  await page.goto(`${address}/#/friends`)
  await page.getByRole('group', { name: 'Private headmates' }).waitFor()
  expect(await page.locator('main').textContent()).not.toContain('members')
  await system.ask('PATCH /web/preferences', { word: 'members' })
})
