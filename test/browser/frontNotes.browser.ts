import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  visit,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

/** Status texts and comments, on Now, in History and for others. */
const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server
const HOUR = 3_600_000

interface Note {
  kind: string
  text: string | null
  member: string | null
  by: string | null
}

describeDashboard(browser, testServer, ({ size, system, openNow, openPath }) => {
  const card = (page: Page) => page.locator('.here-now')
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const notes = () => system.ask<Note[]>('GET /ext/v1/systems/@me/front/notes')
  const write = (body: object) => system.ask('POST /ext/v1/systems/@me/front/notes', body)
  const setStatus = (name: string, text: string | null) =>
    write({ kind: 'status', member: system.idOf(name), text })
  const uuidOf = async (name: string) =>
    (await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf(name)}`)).uuid
  const setKind = (name: string, kind: string) =>
    system.ask(`PATCH /ext/v1/members/${system.idOf(name)}`, { kind })
  const setLevel = (level: string) =>
    system.ask('PATCH /ext/v1/systems/@me/settings', { front_status_privacy: level })
  const startWith = async (...front: Parameters<typeof system.setSwitches>) => {
    await system.setSwitches(...front)
    for (const { id } of await system.ask<{ id: string }[]>('GET /ext/v1/systems/@me/front/notes'))
      await system.ask(`DELETE /ext/v1/front-notes/${id}`)
  }

  test('sets a status with two taps and typing, and another browser shows it', async () => {
    await startWith([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    const other = await openNow('dark')
    await other.page.getByText('Live').waitFor({ state: 'attached' })
    await button(page, 'Set status').click()
    await page.locator('dialog input:focus').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await expectLargeTargets(visitor)
    await page.keyboard.type('at work')
    await button(page, 'Save').click()
    await page.getByText('Status saved.').first().waitFor()
    await button(page, 'at work, Wren').waitFor()
    await button(other.page, 'at work, Wren').waitFor()
    await expectAccessible(visitor)
    await expectAccessible(other)

    await button(other.page, 'at work').click()
    await other.page.getByLabel('Status', { exact: true }).fill('')
    await button(other.page, 'Save').click()
    await other.page.getByText('Status ended.').first().waitFor()
    await button(page, 'Set status').waitFor()
    expect((await notes()).map(({ text }) => text)).toEqual([null, 'at work'])
  })

  test('a status ends with the stint', async () => {
    await startWith([5, 'Wren', 'Iris'])
    await setStatus('Wren', 'at work')
    const { page } = await openNow()
    await button(page, 'at work, Wren').waitFor()
    await button(page, 'Set status, Iris').waitFor()
    await system.log(0, 'Iris')
    await button(page, 'at work').waitFor({ state: 'detached' })
    await system.log(0, 'Iris', 'Wren')
    await button(page, 'Set status, Wren').waitFor()
  })

  test('asks before it drops a status that was not saved', async () => {
    await startWith([5, 'Wren'])
    const { page } = await openNow()
    await button(page, 'Set status').click()
    await page.getByLabel('Status', { exact: true }).fill('at work')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await button(page, 'Stay').click()
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('at work')
  })

  test.each([
    ['Switch to Moss', ['Moss']],
    ['Add alongside Wren', ['Wren', 'Moss']],
  ])('logs the status with the switch: %s', async (action, fronters) => {
    await startWith([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    const bar = page.getByRole('region', { name: 'Switch', exact: true })
    await button(page, /^Moss$/).click()
    await bar.getByRole('button', { name: 'Set status' }).click()
    await bar.locator('input:focus').waitFor()
    await page.keyboard.type('at the library')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await bar.getByRole('button', { name: action }).click()
    await button(page, 'at the library, Moss').waitFor()
    await bar.waitFor({ state: 'detached' })
    expect((await system.history()).map(({ names }) => names)).toEqual([fronters, ['Wren']])
    const moss = await uuidOf('Moss')
    expect(await notes()).toMatchObject([{ kind: 'status', member: moss, text: 'at the library' }])
    // Undo removes the switch and with it the status.
    await button(page, 'Undo').click()
    await button(page, 'at the library').waitFor({ state: 'detached' })
    expect(await notes()).toEqual([])
  })

  test('offers a status in the bar for one member who is not here yet', async () => {
    await startWith([5, 'Wren'])
    const { page } = await openNow()
    const bar = page.getByRole('region', { name: 'Switch', exact: true })
    await button(page, /^Moss$/).click()
    await bar.getByRole('button', { name: 'Set status' }).waitFor()
    await button(page, /^Iris$/).click()
    await bar.getByRole('button', { name: 'Switch to Moss and Iris' }).waitFor()
    expect(await bar.getByRole('button', { name: 'Set status' }).count()).toBe(0)
  })

  test('writes a comment about now, by the first fronter who is not a custom front', async () => {
    await startWith([2, 'Ember', 'Iris'])
    await setKind('Ember', 'custom_front')
    try {
      const visitor = await openNow()
      const { page } = visitor
      await button(page, 'Add comment').click()
      await button(page, 'Save').click()
      await page.getByText('Write something first.').waitFor()
      await page.getByLabel('Comment', { exact: true }).fill('A quiet evening.')
      await page.getByLabel('About').selectOption('Iris')
      await expectAccessible(visitor)
      await expectNoHorizontalScroll(visitor)
      await button(page, 'Save').click()
      await page.getByText('Comment saved.').first().waitFor()
      const iris = await uuidOf('Iris')
      expect(await notes()).toMatchObject([
        { kind: 'comment', text: 'A quiet evening.', member: iris, by: iris },
      ])
    } finally {
      await setKind('Ember', 'member')
    }
  })

  test('comments on a day in History, edits the comment and deletes it', async () => {
    await startWith([50, 'Wren'])
    const visitor = await openPath('history/day')
    const { page } = visitor
    await page.getByRole('heading', { name: 'Comments' }).waitFor()
    await page.getByText('No comments on this day.').waitFor()
    await button(page, 'Add comment').click()
    await page.getByLabel('Comment', { exact: true }).fill('Rain **all** day.')
    await page.getByLabel('Written by').selectOption('Juno')
    await expectAccessible(visitor)
    await button(page, 'Save').click()
    const row = page.getByRole('listitem').filter({ hasText: 'Rain all day.' })
    await row.getByText('Juno').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await row.getByRole('button', { name: 'Edit comment' }).click()
    await page.getByLabel('Comment', { exact: true }).fill('Sun all day.')
    await button(page, 'Save').click()
    await page.getByRole('listitem').filter({ hasText: 'Sun all day.' }).waitFor()
    await row.waitFor({ state: 'detached' })
    await button(page, 'Edit comment').click()
    await button(page, 'Delete').click()
    await page.getByRole('heading', { name: 'Delete this comment?' }).waitFor()
    await expectAccessible(visitor)
    expect(await notes()).toHaveLength(1)
    await button(page, 'Delete').click()
    await page.getByText('No comments on this day.').waitFor()
    expect(await notes()).toEqual([])
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('shows statuses and comments in the list and in the sheet of their switch', async () => {
    await startWith([50, 'Moss'], [30, 'Wren', 'Iris'], [20, 'Juno'])
    const at = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString()
    await write({ kind: 'status', member: system.idOf('Iris'), at: at(25), text: 'reading' })
    await write({ kind: 'comment', at: at(24), text: 'Letters came.', by: system.idOf('Moss') })
    const visitor = await openPath('history/list')
    const { page } = visitor
    const row = page.getByRole('listitem').filter({ hasText: 'Wren and Iris' })
    await row.getByText('Iris: reading').waitFor()
    await row.getByText('Moss: Letters came.').waitFor()
    await expectAccessible(visitor)
    await row.getByRole('button', { name: 'Edit switch' }).click()
    const sheet = page.getByRole('dialog', { name: 'Edit switch' })
    await sheet.getByRole('heading', { name: 'Statuses and comments' }).waitFor()
    await sheet.getByText('Letters came.').waitFor()
    await expectNoHorizontalScroll(visitor)
    await sheet.getByRole('button', { name: 'Edit status' }).click()
    await page.getByRole('dialog', { name: 'Status of Iris' }).waitFor()
    await expectAccessible(visitor)
    await page.getByLabel('Status', { exact: true }).fill('sleeping')
    await button(page, 'Save').last().click()
    await sheet.getByText('sleeping').waitFor()
    await sheet.getByRole('button', { name: 'Set status' }).click()
    await page.getByLabel('Status', { exact: true }).fill('at work')
    await button(page, 'Save').last().click()
    await sheet.getByText('at work').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await row.getByText('Wren: at work').waitFor()
    await row.getByText('Iris: sleeping').waitFor()
  })

  test('brings back the status of a deleted switch with Undo', async () => {
    await startWith([50, 'Wren'])
    const uuid = crypto.randomUUID()
    await system.ask(`PUT /ext/v1/systems/@me/switches/${uuid}`, {
      members: [{ id: system.idOf('Moss'), status: 'reading' }, system.idOf('Iris')],
      timestamp: new Date(Date.now() - 20 * HOUR).toISOString(),
    })
    const { page } = await openPath('history/list')
    const row = page.getByRole('listitem').filter({ hasText: 'Moss and Iris' })
    await row.getByText('Moss: reading').waitFor()
    await row.getByRole('button', { name: 'Edit switch' }).click()
    await button(page, 'Delete').click()
    await row.waitFor({ state: 'detached' })
    expect(await notes()).toEqual([])
    await button(page, 'Undo').click()
    await row.getByText('Moss: reading').waitFor()
    expect(await notes()).toMatchObject([{ kind: 'status', text: 'reading' }])
  })

  test('loads Now with one request for the front and one for unread posts', async () => {
    await startWith([5, 'Wren'])
    const { page } = await openNow()
    const asked = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/(v2|ext|web)\//.test(pathname)) asked.add(pathname)
    })
    await page.reload()
    await page.getByText('Live').waitFor({ state: 'attached' })
    await card(page).getByText('Wren').waitFor()
    expect([...asked].sort()).toEqual([
      '/ext/v1/systems/@me/front',
      '/ext/v1/systems/@me/groups',
      '/ext/v1/systems/@me/members',
      '/ext/v1/systems/@me/posts/unread',
      '/v2/systems/@me',
      '/v2/systems/@me/events',
      '/v2/systems/@me/settings',
      '/v2/systems/@me/switches',
      '/web/preferences',
    ])
  })

  test('loads the texts of the shown day only', async () => {
    await startWith([24 * 300, 'Wren'], [1, 'Iris'])
    const { page } = await openNow()
    // Everything is loaded again when the page is connected.
    await page.getByText('Live').waitFor({ state: 'attached' })
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/front/notes')) asked.push(searchParams.get('until') ?? 'now')
    })
    await page.goto(`${address}/#/history/days`)
    await page.getByRole('link', { name: 'List' }).waitFor()
    expect(asked).toEqual([])
    const date = new Date(Date.now() - 200 * 24 * HOUR).toISOString().slice(0, 10)
    await page.goto(`${address}/#/history/day?date=${date}`)
    await page.getByText('No comments on this day.').waitFor()
    expect(asked).toHaveLength(1)
    expect(Math.abs(Date.parse(asked[0] ?? '') - Date.parse(date))).toBeLessThan(48 * HOUR)
  })

  test('shows others a status only when statuses are public', async () => {
    await startWith([5, 'Wren'])
    await setStatus('Wren', 'at work')
    await setLevel('private')
    const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      name: 'Sam',
      scope: 'watch',
    })
    const stranger = await visit(browser, size)
    const friend = await visit(browser, size)
    await stranger.page.goto(`${address}/#/systems/${system.hid}`)
    await friend.page.goto(`${address}/#/watch/${encodeURIComponent(token)}`)
    for (const { page } of [stranger, friend]) {
      await card(page).getByText('Wren').waitFor()
      expect(await card(page).getByText('at work').count()).toBe(0)
    }
    const visitor = await openPath('privacy')
    const { page } = visitor
    const preview = page.locator('.glass .here-now')
    await preview.getByText('Wren').waitFor()
    expect(await preview.getByText('at work').count()).toBe(0)
    const level = page.getByRole('switch', { name: 'Status texts' })
    await level.click()
    for (const one of [preview, card(stranger.page), card(friend.page)])
      await one.getByText('at work').waitFor()
    await expectAccessible(visitor)
    await expectAccessible(stranger)
    await expectAccessible(friend)
    await level.click()
    for (const one of [preview, card(stranger.page), card(friend.page)])
      await one.getByText('at work').waitFor({ state: 'detached' })
  })

  test('links to the boards of fronters that have new posts', async () => {
    await startWith([5, 'Wren'])
    const visitor = await openNow()
    const { page } = visitor
    await page.getByText('Live').waitFor({ state: 'attached' })
    const posts = ['Milk, please.', 'And bread.']
    for (const text of posts)
      await system.ask('POST /ext/v1/systems/@me/posts', { for: system.idOf('Wren'), text })
    await system.ask('POST /ext/v1/systems/@me/posts', { for: system.idOf('Moss'), text: 'Hi.' })
    const link = page.getByRole('link', { name: '2 new posts for Wren' })
    await link.waitFor()
    expect(await page.getByRole('link', { name: /new post/ }).count()).toBe(1)
    expect(await link.getAttribute('href')).toBe(`#/chat/board/${await uuidOf('Wren')}`)
    await expectAccessible(visitor)
    await system.log(0, 'Moss')
    await page.getByRole('link', { name: '1 new post for Moss' }).waitFor()
    await system.ask('POST /ext/v1/systems/@me/posts/read', { for: system.idOf('Moss') })
    await page.getByRole('link', { name: /new post/ }).waitFor({ state: 'detached' })
  })
})
