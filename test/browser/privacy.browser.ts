import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
  visit,
  waitForChange,
  waitForTitle,
  waitForTrue,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface EntityJson {
  id: string
  name: string
  privacy: Record<string, string>
}

describeDashboard(browser, testServer, async ({ size, system, openNow }) => {
  const littles = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
  const ids = ['Juno', 'Ember', 'Jün'].map(system.idOf)
  await system.ask(`POST /v2/groups/${littles.id}/members/add`, ids)
  const open = async () => {
    const visitor = await openNow()
    await visitor.page.getByRole('link', { name: 'More' }).click()
    await visitor.page.getByRole('link', { name: 'Privacy' }).click()
    await visitor.page.getByRole('heading', { name: 'Privacy', level: 1 }).waitFor()
    return visitor
  }
  const levels = async () => {
    const all = await system.ask<EntityJson[]>('GET /v2/systems/@me/members')
    return Object.fromEntries(all.map(({ name, privacy }) => [name, privacy]))
  }
  const makeAllPublic = () =>
    system.ask('PATCH /v2/systems/@me', {
      privacy: {
        front_privacy: 'public',
        front_history_privacy: 'public',
        member_list_privacy: 'public',
        group_list_privacy: 'public',
      },
    })

  test('the Privacy page is accessible in light and dark mode', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await open()
    await waitForTitle(visitor.page, 'Privacy')
    await expectAccessible(visitor, { inDark: true })
    await visitor.page.getByRole('button', { name: 'Custom…' }).click()
    await visitor.page.getByRole('button', { name: 'Select…' }).click()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
  })

  test('changes a level with the keyboard, announces it, and updates the public preview', async () => {
    await makeAllPublic()
    await system.setSwitches([5, 'Wren'])
    const visitor = await open()
    const { page } = visitor
    const preview = page.getByRole('region', { name: 'Through a stranger’s eyes' })
    await preview.getByRole('heading', { name: 'Here now' }).waitFor()
    const level = page.getByRole('switch', { name: /^Who is here now/ })
    await level.focus()
    expect(await level.getAttribute('aria-checked')).toBe('true')
    const hidden = waitForChange(page)
    await page.keyboard.press('Space')
    await page.locator('#said').getByText('Who is here now: Private').waitFor({ state: 'attached' })
    expect(await level.textContent()).toContain('Private')
    expect(await level.getAttribute('aria-checked')).toBe('false')
    await preview.getByText('Who is here is hidden.').waitFor()
    expect(await preview.getByRole('heading', { name: 'Here now' }).count()).toBe(0)
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('switch')
    await expectAccessible(visitor)
    await hidden
    const { privacy } = await system.ask<EntityJson>('GET /v2/systems/@me')
    expect(privacy.front_privacy).toBe('private')
    const shown = waitForChange(page)
    await page.keyboard.press('Enter')
    await preview.getByRole('heading', { name: 'Here now' }).waitFor()
    await shown

    for (const [name, message] of [
      ['The list of members', 'The list of members is hidden.'],
      ['The list of groups', 'The list of groups is hidden.'],
      ['History', 'The history is hidden.'],
    ] as const) {
      const stored = waitForChange(page)
      await page.getByRole('switch', { name: new RegExp(`^${name}`) }).press('Enter')
      await preview.getByText(message).waitFor()
      await stored
    }
    // A change by another client updates both sides.
    await makeAllPublic()
    await preview.getByText('The list of members is hidden.').waitFor({ state: 'detached' })
  })

  test('reverts a level and shows the error when the server refuses the change', async () => {
    await makeAllPublic()
    const { page, context } = await open()
    await context.route('**/v2/systems/@me', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 500, json: { message: 'Something went wrong', code: 0 } })
        : route.continue(),
    )
    const level = page.getByRole('switch', { name: /^History/ })
    await level.click()
    await page.getByText('Something went wrong').waitFor()
    expect(await level.textContent()).toContain('Public')
  })

  test('sets a group to Names only in one request, changes no other member, and undoes it', async () => {
    const ember = system.idOf('Ember')
    await system.ask(`PATCH /v2/members/${ember}`, {
      privacy: { name_privacy: 'private', birthday_privacy: 'private' },
    })
    const before = await levels()
    const visitor = await open()
    const { page } = visitor
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET')
        writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await page.getByRole('button', { name: 'Littles' }).click()
    await page.getByRole('button', { name: 'Names only' }).click()
    await page.getByText('This changes 3 members. You can undo it.').waitFor()
    await page.getByRole('button', { name: 'Change 3 members' }).click()
    await page.getByText('3 members changed.').first().waitFor()
    expect(writes).toEqual(['PATCH /v2/systems/@me/members'])
    await page.getByText('Nothing to change.').waitFor()
    // The notice stays while Undo has the focus.
    await page.getByRole('button', { name: 'Undo' }).focus()
    await expectAccessible(visitor)
    const after = await levels()
    for (const name of ['Juno', 'Ember', 'Jün'])
      expect(after[name]).toMatchObject({
        visibility: 'public',
        name_privacy: 'public',
        pronoun_privacy: 'public',
        avatar_privacy: 'public',
        description_privacy: 'private',
        birthday_privacy: 'private',
        banner_privacy: 'private',
        metadata_privacy: 'private',
        proxy_privacy: 'private',
      })
    for (const name of ['Wren', 'Iris', 'Moss', 'Atlas']) expect(after[name]).toEqual(before[name])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('This changes 3 members. You can undo it.').waitFor()
    expect(await levels()).toEqual(before)
    expect(writes.length).toBe(2)
  })

  test('sets the chosen level of the selected members only', async () => {
    const before = await levels()
    const { page } = await open()
    await page.getByRole('button', { name: 'Select…' }).click()
    await page.getByText('Select someone first.').waitFor()
    await page.getByRole('textbox', { name: 'Search' }).or(page.getByLabel('Search')).fill('wre')
    await page.getByRole('checkbox', { name: 'Wren' }).check()
    await page.getByRole('button', { name: 'Custom…', exact: true }).click()
    const birthday = page.getByRole('group', { name: 'Birthday' })
    await birthday.getByRole('button', { name: 'Private' }).click()
    await page.getByRole('button', { name: 'Change 1 member' }).click()
    await page.getByText('1 member changed.').first().waitFor()
    const after = await levels()
    expect(after).toEqual({ ...before, Wren: { ...before.Wren, birthday_privacy: 'private' } })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('This changes 1 member. You can undo it.').waitFor()
    expect(await levels()).toEqual(before)
  })

  test('uses another word for members on the Privacy page', async () => {
    await system.ask('PATCH /web/preferences', { word: 'headmates' })
    const { page } = await open()
    await page.getByRole('switch', { name: /^The list of headmates/ }).waitFor()
    await page.getByText('7 headmates', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hidden' }).click()
    await page.getByRole('button', { name: 'Change 7 headmates' }).waitFor()
    await system.ask('PATCH /web/preferences', { word: 'members' })
  })

  test('changes no level while the server is unreachable', async () => {
    const { page, context } = await open()
    const level = page.getByRole('switch', { name: /^Who is here now/ })
    await level.waitFor()
    await disconnect(page)
    await level.and(page.locator('[aria-disabled="true"]')).waitFor()
    await level.click({ force: true })
    expect(await level.textContent()).toContain('Public')
    await restoreNetwork(context)
  })

  const openPublicPage = async () => {
    const visitor = await visit(browser, size)
    await visitor.page.goto(`${address}/#/systems/${system.hid}`)
    await visitor.page.getByRole('heading', { name: 'Lantern Hill' }).waitFor()
    return visitor
  }

  test('the public page is accessible in light and dark mode', async () => {
    await makeAllPublic()
    await system.setSwitches([5, 'Wren', 'Iris'])
    const visitor = await openPublicPage()
    const { page } = visitor
    await waitForTitle(page, 'Lantern Hill')
    await page.locator('h1:focus').waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('dialog').getByText('he/they').waitFor()
    await expectAccessible(visitor, { inDark: true })
    await page.keyboard.press('Escape')
    await waitForFocus(page, 'Moss')
  })

  test('the public page shows public data live, and marks hidden lists', async () => {
    await makeAllPublic()
    await system.setSwitches([5, 'Wren'])
    await system.ask(`PATCH /v2/members/${system.idOf('Moss')}`, {
      description: 'Keeps the garden.',
      privacy: { visibility: 'private' },
    })
    await system.ask(`PATCH /v2/members/${system.idOf('Iris')}`, {
      privacy: { pronoun_privacy: 'private' },
    })
    const { page, consoleMessages } = await openPublicPage()
    await page.getByRole('heading', { name: '6 members' }).waitFor()
    expect(await page.getByRole('button', { name: 'Moss' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Iris', exact: true }).click()
    expect(await page.getByRole('dialog').textContent()).not.toContain('she/her')
    await page.keyboard.press('Escape')
    await system.log(0, 'Juno')
    await page.locator('.here-now').getByText('Juno').waitFor()

    await system.ask('PATCH /v2/systems/@me', {
      description: 'A secret',
      privacy: {
        description_privacy: 'private',
        front_privacy: 'private',
        front_history_privacy: 'private',
        member_list_privacy: 'private',
        group_list_privacy: 'private',
      },
    })
    // The stream ends, and the page hides the fronters without a reload.
    await page.getByText('Who is here is hidden.').waitFor()
    await page.reload()
    for (const message of [
      'Who is here is hidden.',
      'The list of members is hidden.',
      'The list of groups is hidden.',
      'The history is hidden.',
    ])
      await page.getByText(message).waitFor()
    expect(await page.locator('body').textContent()).not.toMatch(/Juno|Littles|A secret/)
    expect(consoleMessages).toEqual([])

    // The same when logged in: the page shows what others see.
    const own = await openNow()
    await own.page.goto(`${address}/#/systems/${system.hid}`)
    await own.page.getByText('The list of members is hidden.').waitFor()
    expect(await own.page.getByText('Juno').count()).toBe(0)
    await system.ask(`PATCH /v2/members/${system.idOf('Moss')}`, {
      privacy: { visibility: 'public' },
    })
    await makeAllPublic()
  })

  test('shows that a system ID is unknown, with a link to the dashboard', async () => {
    const visitor = await visit(browser, size)
    await visitor.page.goto(`${address}/#/systems/zzzzzz`)
    await visitor.page.getByRole('heading', { name: 'Nobody by that ID' }).waitFor()
    await expectAccessible(visitor)
    await visitor.page.getByRole('link', { name: 'Go to the start page' }).click()
    await visitor.page.getByLabel('Token').waitFor()
  })
})

async function waitForFocus(page: Page, text: string): Promise<void> {
  await waitForTrue(page, `document.activeElement.textContent.includes(${JSON.stringify(text)})`)
}
