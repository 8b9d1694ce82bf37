import type { Member } from '../../src/dashboard/api/types'
import { redactForPublic } from '../../src/dashboard/features/privacy/redact'
import { member as table } from '../../src/model/members/member'
import { expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  waitForTitle,
  waitForTrue,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

const written = [
  '<script>alert(1)</script> and <img src=x onerror=alert(1)>',
  '[a trap](javascript:alert(1)) and [a way](https://example.org/way)',
  '> **quoted**',
  '- one',
  'Here is ||the secret||.',
].join('\n')

describeDashboard(browser, testServer, async ({ system, openPath }) => {
  await system.setSwitches([60, 'Wren'], [50, 'Iris'], [30, 'Wren', 'Iris'], [3, 'Juno'])
  const id = system.idOf('Wren')
  const patch = (body: object) => system.ask(`PATCH /v2/members/${id}`, body)
  const open = (path = `members/${id}`) => openPath(path)
  const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Daytime' })
  await system.ask(`POST /v2/groups/${group.id}/members/add`, [id])

  test('the member page is accessible in light and dark mode', async () => {
    await patch({
      description: written,
      birthday: '0004-04-12',
      proxy_tags: [{ prefix: 'w:', suffix: null }],
      privacy: { birthday_privacy: 'private' },
    })
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Wren', level: 1 }).waitFor()
    await waitForTitle(page, 'Wren')
    await page.getByText('1 of 9 details is private').waitFor()
    await page.getByText(/April 12|12 April/).waitFor()
    await page.getByText(/^29 h, twice|2 times/).waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await expectAccessible(visitor, { inDark: true })
    expect(await page.getByText(/April 12|12 April/).count()).toBe(0)
  })

  test('renders a description as text only, and opens a spoiler with the keyboard', async () => {
    await patch({ description: written })
    const visitor = await open()
    const { page } = visitor
    await page.getByText('<script>alert(1)</script>').waitFor()
    expect(await page.locator('.prose script, .prose img').count()).toBe(0)
    const links = page.locator('.prose a')
    expect(await links.count()).toBe(1)
    expect(await links.getAttribute('href')).toBe('https://example.org/way')
    expect(await page.getByText('the secret').count()).toBe(0)
    await page.getByRole('button', { name: 'Spoiler' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('the secret').waitFor()
    expect(await page.locator('.opened:focus').count()).toBe(1)
    await expectAccessible(visitor)
  })

  test('the public view of a member equals the response to an anonymous request', async () => {
    const levels = table.levels
    const cases = [[], levels, ...levels.map((level) => [level])]
    for (const hidden of cases) {
      const privacy = Object.fromEntries(
        levels.map((level) => [level, hidden.includes(level) ? 'private' : 'public']),
      )
      await patch({ display_name: 'Wren of the Hill', pronouns: 'she/her', privacy })
      const own = await system.ask<Member>(`GET /v2/members/${id}`)
      const answer = await fetch(`${testServer.server.address}/v2/members/${id}`)
      expect<unknown>(redactForPublic(table, own)).toEqual(await answer.json())
    }
    await patch({
      privacy: {
        visibility: 'private',
        description_privacy: 'private',
        pronoun_privacy: 'private',
      },
    })
    const { page } = await open()
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByText('Strangers don’t see a description.').waitFor()
    expect(await page.getByText('she/her').count()).toBe(0)
    await page.getByText('Hidden from public lists.').waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('Insights leave them out for strangers.').waitFor()
    await patch({
      display_name: null,
      privacy: Object.fromEntries(levels.map((level) => [level, 'public'])),
    })
    await page.getByText('0 of 9 details are private').waitFor()
    await page.getByText('she/her').waitFor()
  })

  test('switches with one press, and shows that the member fronts', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Switch to Wren' }).click()
    await page.getByText('here now', { exact: true }).first().waitFor()
    // The page shows the switch before it is stored, the notice afterwards.
    await page.getByText('Wren is here now.').first().waitFor()
    expect((await system.history())[0]?.names).toEqual(['Wren'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForTrue(page, 'document.querySelector("#said").textContent === "Undone."')
    await page.getByRole('button', { name: 'Switch to Wren' }).waitFor()
  })

  test('copies the ID, and links to the groups of the member', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Copy the ID' }).click()
    await page.getByText('Copied.').first().waitFor()
    await page.getByRole('link', { name: 'Daytime' }).click()
    await page.getByRole('heading', { name: 'Daytime', level: 1 }).waitFor()
  })

  test('selects tabs with the keyboard, and keeps the tab on reload and Back', async () => {
    const visitor = await open()
    const { page } = visitor
    const isSelected = (name: string) => page.getByRole('tab', { name, selected: true }).waitFor()
    await page.getByRole('tab', { name: 'About' }).focus()
    await page.keyboard.press('End')
    await isSelected('History')
    expect(await page.locator('[role=tab]:focus').textContent()).toBe('History')
    await page.getByRole('heading', { name: 'Last 7 days' }).waitFor()
    await expectAccessible(visitor)
    await page.reload()
    await isSelected('History')
    await page.getByRole('tab', { name: 'History' }).focus()
    await page.keyboard.press('ArrowRight')
    await isSelected('About')
    expect(await page.getByRole('heading', { name: 'Last 7 days' }).count()).toBe(0)
    await page.goBack()
    await isSelected('History')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Home')
    await isSelected('About')
    expect(page.url()).toEndWith(`#/members/${id}`)
  })

  test('History lists the switches of the member, and edits one', async () => {
    const { page } = await open(`members/${id}/history`)
    const edit = page.getByRole('button', { name: /^Edit switch/ })
    await edit.first().waitFor()
    expect(await edit.count()).toBe(2)
    await edit.first().click()
    await page.getByRole('heading', { name: 'Edit switch' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'All of Wren’s history' }).click()
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
  })

  test('shows that a member ID is unknown, with a link to all members', async () => {
    const visitor = await open('members/zzzzzz')
    const { page } = visitor
    await page.getByRole('heading', { name: 'Nobody by that ID.' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('link', { name: 'See all members' }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
  })

  test('shows that the member was deleted by another client', async () => {
    const created = await system.ask<{ id: string }>('POST /v2/members', { name: 'Ash' })
    const { page } = await open(`members/${created.id}`)
    await page.getByRole('heading', { name: 'Ash', level: 1 }).waitFor()
    await system.ask(`DELETE /v2/members/${created.id}`)
    await page.getByRole('heading', { name: 'Nobody by that ID.' }).waitFor()
  })

  test('shows an initial and a wash when pictures do not load', async () => {
    const missing = `${testServer.server.address}/nothing.png`
    await patch({ avatar_url: missing, banner: missing })
    const { page } = await open()
    await page.locator('.avatar-xl .letter').waitFor()
    await page.locator('.wash img').waitFor({ state: 'detached' })
    await patch({ avatar_url: null, banner: null })
  })
})
