import { expect, test } from '../tools/test'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
} from './tools/browser'
import { expectListed, listedNames, type MemberJson } from './tools/memberPages'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

describeDashboard(browser, testServer, async ({ system, openPath }) => {
  await system.setSwitches([30, 'Ember'], [5, 'Wren'], [2, 'Iris'])
  const everyone = () => system.ask<MemberJson[]>('GET /v2/systems/@me/members')
  const createGroup = async (name: string, ...names: string[]) => {
    const created = await system.ask<{ id: string; uuid: string }>('POST /v2/groups', { name })
    const ids = names.map(system.idOf)
    if (ids.length > 0) await system.ask(`POST /v2/groups/${created.id}/members/add`, ids)
    return created
  }
  await createGroup('Littles', 'Juno', 'Jün', 'Atlas')
  const open = () => openPath('members')

  test('the member list is accessible in light and dark mode', async () => {
    const visitor = await open()
    const { page } = visitor
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Select' }).click()
    await page.getByRole('checkbox', { name: /^Wren/ }).check()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    for (const action of ['Privacy…', 'Groups…', 'Delete…']) {
      await page.getByRole('button', { name: action }).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
  })

  test('finds members while typing, with or without accents', async () => {
    const { page } = await open()
    await page.keyboard.press('/')
    await page.keyboard.type('jün')
    await expectListed(page, ['Jün', 'Juno'])
    await page.locator('#said').getByText('2 found').waitFor({ state: 'attached' })
    await page.getByLabel('Search').fill('JUN they')
    await expectListed(page, ['Juno'])
    await page.getByLabel('Search').fill('they/them')
    await expectListed(page, ['Juno'])
  })

  test('combines filter and search, and keeps both on the way back', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Littles' }).click()
    await expectListed(page, ['Atlas', 'Jün', 'Juno'])
    await page.getByLabel('Search').fill('j')
    await expectListed(page, ['Jün', 'Juno'])
    await page.getByRole('link', { name: /^Juno/ }).click()
    await page.getByRole('heading', { name: 'Juno', level: 1 }).waitFor()
    await page.goBack()
    await expectListed(page, ['Jün', 'Juno'])
    expect(await page.getByLabel('Search').inputValue()).toBe('j')
    const chip = page.getByRole('button', { name: 'Littles' })
    expect(await chip.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'Everyone' }).click()
    await page.getByLabel('Search').fill('')
    await page.getByRole('button', { name: 'Here now' }).click()
    await expectListed(page, ['Iris'])
  })

  test('sorts members by name, last front, creation or colour', async () => {
    const { page } = await open()
    const sort = page.getByLabel('Sort')
    await sort.selectOption('Last here')
    expect((await listedNames(page)).slice(0, 3)).toEqual(['Iris', 'Wren', 'Ember'])
    await sort.selectOption('Recently added')
    expect((await listedNames(page))[0]).toBe('Jün')
    await sort.selectOption('Colour')
    expect((await listedNames(page)).at(-1)).toBe('Atlas')
    await sort.selectOption('Name')
    expect((await listedNames(page))[0]).toBe('Atlas')
  })

  test('marks unlisted members with a lock, and lists them under Private', async () => {
    await system.ask(`PATCH /v2/members/${system.idOf('Moss')}`, {
      privacy: { visibility: 'private' },
    })
    const { page } = await open()
    await page.getByRole('link', { name: /^Moss.*Private/ }).waitFor()
    await page.getByRole('button', { name: 'Private' }).click()
    await expectListed(page, ['Moss'])
    await system.ask(`PATCH /v2/members/${system.idOf('Moss')}`, {
      privacy: { visibility: 'public' },
    })
    await page.getByText('No one matches this filter.').waitFor()
  })

  test('creates a member from a name, in order in the list and on Now', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Add' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await expectAccessible(visitor)
    await dialog.getByLabel('Name').fill('x'.repeat(101))
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Too long: at most 100 characters.').waitFor()
    await dialog.getByLabel('Name').fill('Fern')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: /^Fern/ }).waitFor()
    const names = await listedNames(page)
    expect(names.indexOf('Fern')).toBe(names.indexOf('Ember') + 1)
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: /^Everyone/ }).click()
    await page.getByRole('button', { name: 'Fern', exact: true }).waitFor()
    const fern = (await everyone()).find(({ name }) => name === 'Fern')
    await system.ask(`DELETE /v2/members/${fern?.id}`)
  })

  test('offers to create a member when the search finds none', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.getByLabel('Search').fill('Clover')
    await page.getByText('No one found.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Add “Clover”' }).click()
    await expectListed(page, ['Clover'])
    const created = (await everyone()).find(({ name }) => name === 'Clover')
    await system.ask(`DELETE /v2/members/${created?.id}`)
  })

  test('sets several members to Names only in one request, and undo restores each level', async () => {
    await system.ask(`PATCH /v2/members/${system.idOf('Juno')}`, {
      privacy: { pronoun_privacy: 'private' },
    })
    const before = await everyone()
    const { page } = await open()
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') requests.push(new URL(request.url()).pathname)
    })
    await page.getByRole('button', { name: 'Littles' }).click()
    await page.getByRole('button', { name: 'Select' }).click()
    await page.getByRole('button', { name: 'Select all 3' }).click()
    await page.getByRole('button', { name: 'Privacy…' }).click()
    await page.getByRole('button', { name: 'Names only' }).click()
    await page.getByText('This changes 3 members. You can undo it.').waitFor()
    await page.getByRole('button', { name: 'Change 3 members' }).click()
    await page.getByText('3 members changed.').first().waitFor()
    const changed = await everyone()
    for (const one of changed) {
      const isLittle = ['Juno', 'Jün', 'Atlas'].includes(one.name)
      expect(one.privacy.description_privacy).toBe(isLittle ? 'private' : 'public')
      expect(one.privacy.pronoun_privacy).toBe('public')
    }
    expect(requests).toEqual(['/v2/systems/@me/members'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#said').getByText('Undone.').waitFor({ state: 'attached' })
    expect(await everyone()).toEqual(before)
    expect(requests.length).toBe(2)
    await system.ask(`PATCH /v2/members/${system.idOf('Juno')}`, {
      privacy: { pronoun_privacy: 'public' },
    })
  })

  test('adds several members to a group and removes them, each in one request', async () => {
    const group = await createGroup('Night watch')
    const inside = async () =>
      (await system.ask<MemberJson[]>(`GET /v2/groups/${group.id}/members`))
        .map(({ name }) => name)
        .sort()
    const { page } = await open()
    const choose = async () => {
      await page.getByRole('button', { name: 'Select' }).click()
      for (const name of ['Wren', 'Iris'])
        await page.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check()
      await page.getByRole('button', { name: 'Groups…' }).click()
    }
    await choose()
    await page.getByRole('button', { name: 'Add to Night watch' }).click()
    await page.getByText('2 members added to Night watch.').first().waitFor()
    expect(await inside()).toEqual(['Iris', 'Wren'])
    await choose()
    await page.getByRole('button', { name: 'Remove from Night watch' }).click()
    await page.getByText('2 members removed from Night watch.').first().waitFor()
    expect(await inside()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#said').getByText('Undone.').waitFor({ state: 'attached' })
    expect(await inside()).toEqual(['Iris', 'Wren'])
    await system.ask(`DELETE /v2/groups/${group.id}`)
  })

  test('deletes several members after their number was typed', async () => {
    for (const name of ['Ash', 'Birch']) await system.ask('POST /v2/members', { name })
    const { page } = await open()
    await page.getByRole('button', { name: 'Select' }).click()
    for (const name of ['Ash', 'Birch']) await page.getByRole('checkbox', { name }).check()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Delete' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('Type 2 to confirm').fill('2')
    await button.click()
    await page.getByText('2 members deleted.').first().waitFor()
    expect((await everyone()).map(({ name }) => name)).not.toContain('Ash')
    expect(await page.getByText('Birch').count()).toBe(0)
  })

  test('uses another word for members on the member list', async () => {
    await system.ask('PATCH /web/preferences', { word: 'headmates' })
    const { page } = await open()
    await page.getByRole('heading', { name: 'Headmates' }).waitFor()
    await page.getByText('7 headmates').waitFor()
    await page.getByRole('button', { name: 'Select' }).click()
    await page.getByRole('checkbox', { name: /^Wren/ }).check()
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'Privacy…' }).click()
    await page.getByText('This changes 1 headmate.').waitFor()
    expect(await page.getByText(/\bmembers?\b/i).count()).toBe(0)
    await system.ask('PATCH /web/preferences', { word: 'members' })
  })

  test('starts no bulk change while the server is unreachable', async () => {
    const { page, context } = await open()
    await page.getByRole('button', { name: 'Select' }).click()
    await page.getByRole('checkbox', { name: /^Wren/ }).check()
    await disconnect(page)
    const button = page.getByRole('button', { name: 'Delete…' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await restoreNetwork(context)
    await page.getByText('You’re offline.').first().waitFor({ state: 'hidden' })
  })

  test('keeps unusual names within their rows', async () => {
    const hostile = ['🌟'.repeat(50), 'مريم בת', 'W'.repeat(100), '<b>bold</b>']
    for (const name of hostile) await system.ask('POST /v2/members', { name })
    const visitor = await open()
    await expectNoHorizontalScroll(visitor)
    await expectAccessible(visitor)
    expect(await listedNames(visitor.page)).toEqual(expect.arrayContaining(hostile))
    for (const { id, name } of await everyone())
      if (hostile.includes(name)) await system.ask(`DELETE /v2/members/${id}`)
  })
})
