import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  waitForTitle,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, openPage, seedSystem, startSession } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface Note {
  id: string
  title: string | null
  text: string | null
  member: string | null
  color: string | null
  date: string
  pinned: boolean
}

const LIST = '/ext/v1/systems/@me/notes'

describeDashboard(browser, testServer, async ({ system, openPath: open }) => {
  await system.setSwitches([5, 'Wren'])
  const uuidOf = async (name: string) =>
    (await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf(name)}`)).uuid
  const wren = await uuidOf('Wren')
  const create = (note: object) => system.ask<Note>(`POST ${LIST}`, note)
  const remove = async () => {
    for (const { id } of await system.ask<Note[]>(`GET ${LIST}`))
      await system.ask(`DELETE /ext/v1/notes/${id}`)
  }
  const titles = (page: Page) => page.locator('main .things b').allTextContents()

  test('note pages are accessible in light and dark mode', async () => {
    await remove()
    const note = await create({
      member: wren,
      title: 'Tuesday',
      text: '**Quiet** morning.',
      color: '88c0a8',
      pinned: true,
    })
    await create({ text: `${'long'.repeat(70)} word` })
    const visitor = await open('notes')
    const { page } = visitor
    for (const path of ['notes', `notes/${note.id}`, `notes/${note.id}/edit`, 'notes/new']) {
      await page.goto(`${address}/#/${path}`)
      await page.locator('main [aria-busy]').first().waitFor({ state: 'detached' })
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
    }
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#problem-text').getByText('Write a title or a text.').waitFor()
    await expectAccessible(visitor, { inDark: true })
  })

  test('writes a note, shows it, changes it and deletes it', async () => {
    await remove()
    const visitor = await open('more')
    const { page } = visitor
    await page.getByRole('link', { name: /^Notes/ }).click()
    await page.getByText('No notes yet.').waitFor()
    await waitForTitle(page, 'Notes')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('heading', { name: 'New note' }).waitFor()
    await page.getByLabel('Title').fill('Tuesday')
    await page.getByLabel('Text').fill('**Quiet** morning.')
    await page.locator('.preview strong').getByText('Quiet').waitFor()
    await page.getByLabel('Whose note').selectOption('Wren')
    await page.getByLabel('Colour').fill('#88C0A8')
    await page.getByLabel('Date').fill('2026-01-01')
    await page.getByLabel('Pinned').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Tuesday', level: 1 }).waitFor()
    const [stored] = await system.ask<Note[]>(`GET ${LIST}`)
    expect(stored).toMatchObject({ title: 'Tuesday', member: wren, color: '88c0a8', pinned: true })
    expect(stored?.date.slice(0, 4)).toMatch(/2025|2026/)
    await page.locator('main strong').getByText('Quiet').waitFor()
    await page.getByText('Pinned').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Edit note' }).waitFor()
    await page.getByLabel('Title').fill('Wednesday')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Wednesday', level: 1 }).waitFor()
    const { date } = await system.ask<Note>(`GET /ext/v1/notes/${stored?.id}`)
    expect(date).toBe(String(stored?.date))

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('This can’t be undone.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Note deleted.').first().waitFor()
    await page.getByText('No notes yet.').waitFor()
    expect(await system.ask<Note[]>(`GET ${LIST}`)).toEqual([])
  })

  test('keeps what was typed when the page is left or loaded again, until it is saved', async () => {
    await remove()
    const visitor = await open('notes/new')
    const { page } = visitor
    await page.getByLabel('Title').fill('Half')
    await page.getByLabel('Text').fill('of a thought')
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Text').inputValue()).toBe('of a thought')
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()

    await page.goto(`${address}/#/notes/new`)
    await page.getByText('These changes are not saved yet.').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Half')
    await page.reload()
    await page.getByText('These changes are not saved yet.').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('of a thought')
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Half', level: 1 }).waitFor()
    expect(await system.ask<Note[]>(`GET ${LIST}`)).toMatchObject([{ title: 'Half' }])
    await page.goto(`${address}/#/notes/new`)
    await page.getByRole('heading', { name: 'New note' }).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('')
  })

  test('drops what was typed on Discard and when logging out', async () => {
    await remove()
    const { page } = await open('notes/new')
    const leave = (button: string) => async () => {
      await page.getByRole('link', { name: 'Now', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: button }).click()
      await page.getByRole('heading', { name: 'Here now' }).waitFor()
    }
    await page.getByLabel('Title').fill('Secret')
    await leave('Discard')()
    await page.goto(`${address}/#/notes/new`)
    await page.getByRole('heading', { name: 'New note' }).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('')
    await page.getByLabel('Title').fill('Secret')
    await leave('Leave')()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toContain('Secret')
    await page.reload()
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('heading', { name: 'More' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('Secret')
  })

  const leaveUnsaved = async (page: Page) => {
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
  }
  const inTab = (page: Page) => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')

  test('takes what was typed out of the tab when the session ends elsewhere', async () => {
    await remove()
    const { page } = await open('notes/new')
    await page.getByLabel('Title').fill('Secret')
    await until(async () => (await inTab(page)).includes('Secret'))
    await system.ask('DELETE /web/sessions')
    await page.getByText('This browser was logged out from another device').waitFor()
    expect(await inTab(page)).not.toContain('Secret')
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('These changes are not saved yet.').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Secret')
    await until(async () => (await inTab(page)).includes('Secret'))

    await leaveUnsaved(page)
    // From here on, no page is loaded that has drafts.
    await page.reload()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    expect(await inTab(page)).toContain('Secret')
    await system.ask('DELETE /web/sessions')
    await page.getByText('This browser was logged out from another device').waitFor()
    expect(await inTab(page)).not.toContain('Secret')
  })

  test('takes what was typed out of the tab when another system logs in', async () => {
    await remove()
    const other = await seedSystem(testServer, 'Harbour')
    const { page, context } = await open('notes/new')
    await page.getByLabel('Title').fill('Secret')
    await until(async () => (await inTab(page)).includes('Secret'))
    await leaveUnsaved(page)
    await startSession(context, testServer, other.token)
    await page.reload()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await until(async () => !(await inTab(page)).includes('Secret'))
  })

  test('finds notes by a part of their text, and shows those of one member', async () => {
    await remove()
    await create({ title: 'Tuesday', text: 'Milk and BREAD', member: wren })
    await create({ title: 'Wednesday', text: '100% sure', member: await uuidOf('Iris') })
    const { page } = await open('notes')
    await page.getByRole('link', { name: /^Tuesday/ }).waitFor()
    expect((await titles(page)).toSorted()).toEqual(['Tuesday', 'Wednesday'])
    await page.getByLabel('Search').fill('bread')
    await page.locator('#said').getByText('1 note found').waitFor({ state: 'attached' })
    expect(await titles(page)).toEqual(['Tuesday'])
    await page.getByLabel('Search').fill('0%')
    await page.getByRole('link', { name: /^Wednesday/ }).waitFor()
    expect(await titles(page)).toEqual(['Wednesday'])
    await page.getByRole('link', { name: /^Wednesday/ }).click()
    await page.getByRole('heading', { name: 'Wednesday', level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^Wednesday/ }).waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('0%')
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByText('No notes found.').waitFor()
    await page.getByLabel('Search').fill('')
    await page.getByLabel('Whose').selectOption('Wren')
    await page.getByRole('link', { name: /^Tuesday/ }).waitFor()
    await until(async () => (await titles(page)).join() === 'Tuesday')
    expect(await titles(page)).toEqual(['Tuesday'])
    await page.getByLabel('Whose').selectOption('Moss')
    await page.getByText('No notes of Moss yet.').waitFor()
  })

  test('loads older notes on request, and new ones of others by itself', async () => {
    await remove()
    for (let at = 0; at < 60; at++)
      await create({ title: `Day ${at}`, date: new Date(Date.now() - at * 60_000).toISOString() })
    const { page } = await open('notes')
    await page.getByRole('link', { name: /^Day 49\b/ }).waitFor()
    expect(await page.getByRole('link', { name: /^Day 50\b/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('link', { name: /^Day 59\b/ }).waitFor()
    await create({ title: 'From another device' })
    await page.getByRole('link', { name: /^From another device/ }).waitFor()
    expect((await titles(page)).length).toBe(61)
    await remove()
  })

  test('says which field of a note was changed elsewhere, and both choices work', async () => {
    await remove()
    const note = await create({ title: 'Ours', text: 'Text' })
    const { page } = await open(`notes/${note.id}/edit`)
    await page.getByLabel('Title').fill('Mine')
    await system.ask(`PATCH /ext/v1/notes/${note.id}`, { title: 'Theirs' })
    await page.getByText('Changed elsewhere: Title. Theirs: “Theirs”').waitFor()
    await page.getByRole('button', { name: 'Keep mine: Title' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
    expect(await system.ask<Note>(`GET /ext/v1/notes/${note.id}`)).toMatchObject({ title: 'Mine' })
  })

  test('shows and adds the notes of a member on its page', async () => {
    await remove()
    await create({ title: 'Of Iris', member: await uuidOf('Iris') })
    await create({ title: 'Of Wren', member: wren })
    const visitor = await open(`members/${system.idOf('Wren')}/notes`)
    const { page } = visitor
    await page.getByRole('link', { name: /^Of Wren/ }).waitFor()
    expect(await titles(page)).toEqual(['Of Wren'])
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByLabel('Text').fill('Another one')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Another one', level: 1 }).waitFor()
    expect(await system.ask<Note[]>(`GET ${LIST}?member=${wren}`)).toHaveLength(2)
  })

  test('says that a note no longer exists, with a link to all notes', async () => {
    const { page } = await open('notes/00000000-0000-4000-8000-000000000000')
    await page.getByText('Note not found.').waitFor()
    await page.getByRole('link', { name: 'Back to Notes' }).click()
    await page.getByRole('button', { name: 'Add note' }).waitFor()
  })
})

test('does not show the draft of one system to another in the same browser', async () => {
  const [one, other] = [
    await seedSystem(testServer, 'One Hill'),
    await seedSystem(testServer, 'Other Hill'),
  ]
  const { page } = await openPage(browser, testServer, one, 'notes/new')
  await page.getByLabel('Title').fill('Secret')
  // The session ends without a logout in this browser, which keeps drafts.
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Token').fill(other.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'New note' }).waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('')
})
