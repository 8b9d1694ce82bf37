import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
  waitForClosedSheet,
} from './tools/browser'
import type { MemberJson } from './tools/memberPages'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

describeDashboard(browser, testServer, async ({ system, openNow, openPath }) => {
  await system.setSwitches([5, 'Wren'])
  const create = (body: object) => system.ask<MemberJson>('POST /v2/members', body)
  const get = (id: string) => system.ask<Record<string, unknown>>(`GET /v2/members/${id}`)
  const open = (id: string) => openPath(`members/${id}/edit`)
  const fern = await create({ name: 'Fern', pronouns: 'she/her', description: 'Green.' })

  test('the member form is accessible in light and dark mode', async () => {
    const visitor = await open(fern.id)
    const { page } = visitor
    for (const fold of ['Pictures', 'Proxying'])
      await page.getByRole('heading', { name: fold }).click()
    await page.getByRole('button', { name: 'Add proxy tag' }).click()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(visitor, { inDark: true })
  })

  test('saves all changed fields of a member with one button', async () => {
    const ash = await create({ name: 'Ash' })
    const visitor = await open(ash.id)
    const { page } = visitor
    await page.getByLabel('Name', { exact: true }).fill('Ashley')
    await page.getByLabel('Display name').fill('Ash of the Hill')
    await page.getByLabel('Pronouns').fill('they/them')
    await page.getByLabel('Colour').fill('#6F9E5E')
    await page.getByLabel('Birthday').fill('1998-04-12')
    await page.getByLabel('Without a year').check()
    await page.getByText(/Shown as (April 12|12 April)\./).waitFor()
    await page.getByLabel('Description').fill('Likes **tea**.')
    await page.locator('.preview strong').getByText('tea').waitFor()
    await page.getByRole('switch', { name: 'Birthday: Public' }).click()
    await page.getByRole('switch', { name: 'Birthday: Private' }).waitFor()
    await page.locator('#said').getByText('Birthday: Private').waitFor({ state: 'attached' })
    await page.getByRole('heading', { name: 'Proxying' }).click()
    await page.getByRole('button', { name: 'Add proxy tag' }).click()
    await page.getByLabel('Prefix').fill('ash:')
    await page.getByLabel('Keep proxy tags in messages').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ash of the Hill', level: 1 }).waitFor()
    await page.getByText('Saved.').first().waitFor()
    expect(await get(ash.id)).toMatchObject({
      name: 'Ashley',
      display_name: 'Ash of the Hill',
      pronouns: 'they/them',
      color: '6f9e5e',
      birthday: '0004-04-12',
      description: 'Likes **tea**.',
      proxy_tags: [{ prefix: 'ash:', suffix: null }],
      keep_proxy: true,
      privacy: { birthday_privacy: 'private', name_privacy: 'public' },
    })
    await system.ask(`DELETE /v2/members/${ash.id}`)
  })

  test('shows a too long name and a bad colour at their fields before sending', async () => {
    const visitor = await open(fern.id)
    const { page } = visitor
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent++
    })
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(101))
    await page.getByLabel('Colour').fill('mauve')
    await page.locator('#problem-name').getByText('Too long: at most 100 characters.').waitFor()
    await page.locator('#problem-color').getByText('Must be six hexadecimal digits').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Please fix the highlighted fields.').waitFor()
    await page.locator('#field-name:focus').waitFor()
    await expectAccessible(visitor)
    expect(sent).toBe(0)
    expect(await page.getByLabel('Colour').inputValue()).toBe('mauve')
  })

  test('shows a server error at its field and keeps the input', async () => {
    const { page, context } = await open(fern.id)
    await context.route(`**/ext/v1/members/${fern.uuid}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      const errors = { 'member.pronouns': [{ message: 'Not today.' }] }
      await route.fulfill({ status: 400, json: { message: 'Error', code: 40001, errors } })
    })
    await page.getByLabel('Pronouns').fill('xe/xem')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#problem-pronouns').getByText('Not today.').waitFor()
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('xe/xem')
  })

  test('asks before leaving with changes: Stay keeps the input, Leave continues', async () => {
    const visitor = await openNow()
    const { page } = visitor
    await page.goto(`${testServer.server.address}/#/members/${fern.id}/edit`)
    await page.getByLabel('Pronouns').fill('fae/faer')
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('fae/faer')
    await waitForClosedSheet(page)
    await page.goBack()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('fae/faer')
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
    expect((await get(fern.id)).pronouns).toBe('she/her')
    await page.goto(`${testServer.server.address}/#/members/${fern.id}/edit`)
    await page.getByLabel('Pronouns').waitFor()
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('she/her')
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
  })

  test('lists fields changed by another client, and both choices work', async () => {
    const oak = await create({ name: 'Oak', pronouns: 'he/him' })
    const visitor = await open(oak.id)
    const { page } = visitor
    await page.getByLabel('Name', { exact: true }).fill('Oakley')
    await system.ask(`PATCH /v2/members/${oak.id}`, { name: 'Acorn', pronouns: 'it/its' })
    await page.getByText('Changed elsewhere: name.').waitFor()
    await page.getByText('Changed elsewhere: pronouns.').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Take theirs: Pronouns' }).click()
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('it/its')
    await page.getByRole('button', { name: 'Keep mine: Name' }).click()
    await page.getByText('Changed elsewhere').first().waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Oakley')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Oakley', level: 1 }).waitFor()
    expect(await get(oak.id)).toMatchObject({ name: 'Oakley', pronouns: 'it/its' })
    await system.ask(`DELETE /v2/members/${oak.id}`)
  })

  test('keeps the input when the session ends, for the next login', async () => {
    const { page, context } = await open(fern.id)
    await page.getByLabel('Pronouns').fill('ze/zir')
    // Ends the session while the form is being sent, because the page also notices it by itself.
    await context.route('**/ext/v1/members/*', async (route) => {
      if (route.request().method() === 'PATCH') await system.ask('DELETE /web/sessions')
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.getByText('Fern').count()).toBe(0)
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByLabel('Pronouns').waitFor()
    expect(await page.getByLabel('Pronouns').inputValue()).toBe('ze/zir')
  })

  test('shows which member typed tags would proxy as, before they are saved', async () => {
    const nim = await create({ name: 'Nim', proxy_tags: [{ prefix: 'n:', suffix: null }] })
    const visitor = await open(fern.id)
    const { page } = visitor
    await page.getByRole('heading', { name: 'Proxying' }).click()
    await page.getByRole('button', { name: 'Add proxy tag' }).click()
    await page.getByLabel('Prefix').fill('f:')
    await page.getByLabel('Try it').fill('f: hello')
    await page.getByText('Fern says: hello').waitFor()
    await page.getByLabel('Keep proxy tags in messages').check()
    await page.getByText('Fern says: f: hello').waitFor()
    await page.getByLabel('Try it').fill('n: hello')
    await page.getByText('Nim says: hello').waitFor()
    await page.getByLabel('Try it').fill('hello')
    await page.getByText('No proxy tags match.').waitFor()
    await expectAccessible(visitor)
    await system.ask(`DELETE /v2/members/${nim.id}`)
  })

  test('deletes a member after the name was typed, and keeps the times of the history', async () => {
    const sage = await create({ name: 'Sage' })
    await system.ask('POST /v2/systems/@me/switches', { members: [sage.id] })
    const before = await system.history()
    const { page } = await open(sage.id)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This can’t be undone.').waitFor()
    const button = dialog.getByRole('button', { name: 'Delete' })
    await button.click({ force: true })
    expect((await get(sage.id)).name).toBe('Sage')
    await dialog.getByRole('textbox').fill('Sage')
    await button.click()
    await page.getByText('Sage was deleted.').first().waitFor()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sage' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByText('No one is logged as here.').waitFor()
    const after = await system.history()
    expect(after.map(({ at }) => at)).toEqual(before.map(({ at }) => at))
    expect(after[0]?.names).toEqual([])
    await system.setSwitches([5, 'Wren'])
  })

  test('edits a member with the keyboard alone', async () => {
    const { page } = await open(fern.id)
    await page.setViewportSize(sizes.desk)
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.press('Shift+Tab')
    expect(await page.locator('button:focus').textContent()).toBe('Name: Public')
    await page.keyboard.press('Space')
    await page.getByRole('switch', { name: 'Name: Private' }).first().waitFor()
    await page.getByLabel('Pronouns').focus()
    await page.keyboard.press('End')
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    // The edit page has the same heading as the member's page.
    await page.waitForURL(({ hash }) => !hash.endsWith('/edit'))
    expect(await get(fern.id)).toMatchObject({
      pronouns: 'she/her!',
      privacy: { name_privacy: 'private' },
    })
    await system.ask(`PATCH /v2/members/${fern.id}`, {
      pronouns: 'she/her',
      privacy: { name_privacy: 'public' },
    })
  })
})
