import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, openPage, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

interface Field {
  id: string
  name: string
  type: string
  privacy: string
  options: { id: string; name: string; color: string | null }[] | null
}

describeDashboard(browser, testServer, async ({ system, openPath: open }) => {
  await system.setSwitches([5, 'Wren'])
  const wren = system.idOf('Wren')
  const all = () => system.ask<Field[]>('GET /ext/v1/systems/@me/fields')
  const names = async () => (await all()).map(({ name }) => name)
  const create = (body: object) => system.ask<Field>('POST /ext/v1/systems/@me/fields', body)
  const setValues = (id: string, fields: object) =>
    system.ask(`PATCH /ext/v1/members/${id}`, { fields })
  const valuesOf = async (id: string) =>
    (await system.ask<{ fields: Record<string, unknown> }>(`GET /ext/v1/members/${id}`)).fields
  const clear = async () => {
    for (const { id } of await all()) await system.ask(`DELETE /ext/v1/fields/${id}`)
  }
  const openForm = async (page: Page, id: string) => {
    await page.goto(`${testServer.server.address}/#/members/${id}/edit`)
    await page.getByRole('heading', { name: 'Fields', exact: true }).click()
  }

  test('adds a field with options, edits and deletes it', async () => {
    await clear()
    const visitor = await open('more')
    const { page } = visitor
    await page.getByRole('link', { name: /^Fields/ }).click()
    await page.getByText('No fields yet.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Add field' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Role')
    await dialog.getByLabel('Type').selectOption({ label: 'One of several options' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    await dialog.getByLabel('Option 1', { exact: true }).getByRole('textbox').first().fill('Keeper')
    await dialog.getByRole('textbox', { name: 'Colour' }).first().fill('#88C0A8')
    await dialog.getByRole('button', { name: 'Add option' }).click()
    await dialog.getByLabel('Option 2', { exact: true }).getByRole('textbox').first().fill('Host')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Role was added.').first().waitFor()
    await page.getByText('One of several options · no values yet').waitFor()
    const [role] = await all()
    expect(role).toMatchObject({
      name: 'Role',
      type: 'choice',
      privacy: 'private',
      options: [
        { name: 'Keeper', color: '88c0a8' },
        { name: 'Host', color: null },
      ],
    })
    await setValues(wren, { [role?.id ?? '']: role?.options?.[0]?.id })
    await page.getByText('One of several options · 1 member').waitFor()
    await page.getByText('Keeper', { exact: true }).waitFor()
    await page.getByRole('switch', { name: 'Role: Private' }).click()
    await page.getByRole('switch', { name: 'Role: Public' }).waitFor()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)

    await page.getByRole('button', { name: 'Edit Role' }).click()
    await dialog.getByText('1 member has a value, so only a change to text is possible.').waitFor()
    await dialog.getByRole('button', { name: 'Remove option 1' }).click()
    await dialog.getByText('A removed option disappears from 1 member.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'Edit Role' }).click()
    await dialog.getByLabel('Type').selectOption({ label: 'Text' })
    await dialog
      .getByText('The value of 1 member becomes text. It can’t be changed back.')
      .waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Text · 1 member').waitFor()
    expect(await valuesOf(wren)).toEqual({ [role?.id ?? '']: 'Keeper' })

    await page.getByRole('button', { name: 'Edit Role' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText('1 member has a value. The field and this value will be deleted.')
      .waitFor()
    await expectAccessible(visitor)
    await page
      .getByRole('dialog', { name: 'Delete Role?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByText('Role was deleted.').first().waitFor()
    await page.getByText('No fields yet.').waitFor()
    expect(await names()).toEqual([])
  })

  test('orders fields with the keyboard and keeps the focus on the moved one', async () => {
    await clear()
    for (const name of ['One', 'Two', 'Three']) await create({ name, type: 'text' })
    const { page } = await open('fields')
    await page.setViewportSize(sizes.desk)
    await page.getByRole('button', { name: 'Move Three up' }).focus()
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    for (const position of [2, 1]) {
      await page.keyboard.press('Enter')
      await page
        .locator('#said')
        .getByText(`Three is now ${position} of 3.`)
        .waitFor({ state: 'attached' })
      expect(await focused()).toBe('Move Three up')
    }
    // The first one cannot be moved up, but keeps the focus.
    await page.keyboard.press('Enter')
    await until(async () => (await names()).join() === 'Three,One,Two')
    expect(await names()).toEqual(['Three', 'One', 'Two'])
    expect(await page.locator('.things .name').allTextContents()).toEqual(['Three', 'One', 'Two'])
    expect(await focused()).toBe('Move Three up')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Move Three down')
    await page.keyboard.press('Space')
    await until(async () => (await names()).join() === 'One,Three,Two')
    expect(await names()).toEqual(['One', 'Three', 'Two'])
    // Another client's order is shown.
    const ids = (await all()).map(({ id }) => id)
    await system.ask('PUT /ext/v1/systems/@me/fields/order', ids.toReversed())
    await until(
      async () =>
        (await page.locator('.things .name').allTextContents()).join() === 'Two,Three,One',
    )
    expect(await page.locator('.things .name').allTextContents()).toEqual(['Two', 'Three', 'One'])
  })

  test('saves a value of each type with the member, and shows it on its page', async () => {
    await clear()
    const options = [{ name: 'Keeper', color: '88c0a8' }, { name: 'Host' }, { name: 'Gardener' }]
    const types = [
      ['Nickname', 'text'],
      ['Story', 'markdown'],
      ['Shade', 'color'],
      ['First day', 'date'],
      ['Best month', 'month'],
      ['Arrival year', 'year'],
      ['Since', 'month_year'],
      ['Anniversary', 'month_day'],
      ['First words', 'moment'],
      ['Height', 'number'],
      ['Night owl', 'flag'],
      ['Playlist', 'url'],
      ['Role', 'choice', options],
      ['Tasks', 'choices', options],
    ] as const
    const fields = new Map<string, Field>()
    for (const [name, type, given] of types) {
      const privacy = type === 'url' ? 'public' : 'private'
      const field = await create({ name, type, privacy, ...(given && { options: given }) })
      fields.set(name, field)
    }
    const { id: fern } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Fern' })
    const visitor = await open(`members/${fern}`)
    const { page } = visitor
    await openForm(page, fern)
    const label = (name: string) => page.getByLabel(name, { exact: true })
    await label('Pronouns').fill('she/her')
    await label('Nickname').fill('Fernie')
    await label('Story').fill('Green and **tall**.')
    await label('Shade').fill('6f9e5e')
    await label('First day').fill('2020-03-14')
    await label('Best month').selectOption({ label: 'November' })
    await label('Arrival year').fill('1998')
    await label('Since: Month').selectOption({ label: 'May' })
    await label('Since: Year').fill('2019')
    await label('Anniversary: Month').selectOption({ label: 'February' })
    await label('Anniversary: Day').fill('29')
    await label('First words').fill('2021-07-01T18:30')
    await label('Height').fill('171.5')
    await label('Night owl').selectOption({ label: 'No' })
    await label('Playlist').fill('https://music.example.org/fern')
    await label('Role').selectOption({ label: 'Keeper' })
    for (const name of ['Gardener', 'Keeper'])
      await page.getByRole('group', { name: 'Tasks' }).getByRole('button', { name }).click()
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(`${request.method()} ${request.url()}`)
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Fern', level: 1, exact: true }).waitFor()
    expect(writes.map((line) => line.replace(/ .*\/ext/, ' /ext').replace(/[^/]+$/, ''))).toEqual([
      'PATCH /ext/v1/members/',
    ])
    const [keeper, , gardener] = fields.get('Tasks')?.options ?? []
    const stored = await valuesOf(fern)
    expect(types.map(([name]) => stored[fields.get(name)?.id ?? ''])).toEqual([
      'Fernie',
      'Green and **tall**.',
      '6f9e5e',
      '2020-03-14',
      '11',
      '1998',
      '2019-05',
      '02-29',
      '2021-07-01T18:30',
      171.5,
      false,
      'https://music.example.org/fern',
      fields.get('Role')?.options?.[0]?.id,
      [keeper?.id, gardener?.id],
    ])
    const facts = page.locator('dl').filter({ hasText: 'Nickname' })
    await facts.waitFor()
    expect(await facts.locator('dt').allTextContents()).toEqual(types.map(([name]) => name))
    const shown = await facts.locator('dd').allTextContents()
    expect(shown.map((text) => text.replace(/\s/g, ' '))).toEqual([
      'Fernie',
      'Green and tall.',
      '#6f9e5e',
      expect.stringMatching(/March 14, 2020|14 March 2020/),
      'November',
      '1998',
      'May 2019',
      expect.stringMatching(/February 29|29 February/),
      expect.stringMatching(/July 1, 2021 at 6:30 PM|1 July 2021 at 18:30/),
      '171.5',
      'No',
      'https://music.example.org/fern',
      'Keeper',
      'KeeperGardener',
    ])
    expect(await facts.locator('strong').textContent()).toBe('tall')
    const link = page.getByRole('link', { name: 'https://music.example.org/fern' })
    expect(await link.getAttribute('rel')).toContain('noopener')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)

    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByText('Nickname').waitFor({ state: 'detached' })
    await link.waitFor()
    await system.ask(`PATCH /v2/members/${fern}`, { privacy: { visibility: 'private' } })
    await link.waitFor({ state: 'detached' })

    await openForm(page, fern)
    await label('Nickname').fill('')
    await label('Anniversary: Month').selectOption({ label: 'Month' })
    await label('Anniversary: Day').fill('')
    await label('Night owl').selectOption({ label: 'No value' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    const left = Object.keys(await valuesOf(fern)).length
    expect(left).toBe(types.length - 3)
    await system.ask(`DELETE /v2/members/${fern}`)
  })

  test('shows public values on the public page and in its preview, and no private ones', async () => {
    await clear()
    const song = await create({ name: 'Song', type: 'text', privacy: 'public' })
    const fear = await create({ name: 'Fear', type: 'text', privacy: 'private' })
    await setValues(wren, { [song.id]: 'Lanterns', [fear.id]: 'Storms' })
    for (const path of [`systems/${system.hid}`, 'privacy']) {
      const visitor = await open(path)
      const { page } = visitor
      await page.locator('.outside .tile').filter({ hasText: 'Wren' }).click()
      await page.getByRole('dialog').getByText('Lanterns').waitFor()
      expect(await page.getByRole('dialog').textContent()).not.toMatch(/Fear|Storms/)
      await expectAccessible(visitor)
    }
  })

  test('shows public values in a member that was opened before the fields were loaded', async () => {
    await clear()
    const song = await create({ name: 'Song', type: 'text', privacy: 'public' })
    await setValues(wren, { [song.id]: 'Lanterns' })
    const { page, context } = await open('more')
    const held = Promise.withResolvers<void>()
    await context.route('**/ext/v1/systems/@me/fields', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${testServer.server.address}/#/privacy`)
    await page.locator('.outside .tile').filter({ hasText: 'Wren' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Wren' }).waitFor()
    expect(await dialog.getByText('Lanterns').count()).toBe(0)
    held.resolve()
    await dialog.getByText('Lanterns').waitFor()
  })

  test('shows problems at their inputs, asks before leaving, and keeps the input', async () => {
    await clear()
    const since = await create({ name: 'Since', type: 'month_year' })
    const height = await create({ name: 'Height', type: 'number' })
    await create({ name: 'Home page', type: 'url' })
    const visitor = await open(`members/${wren}`)
    const { page } = visitor
    await openForm(page, wren)
    await page.getByLabel('Since: Year').fill('2019')
    await page.getByLabel('Height').fill('tall')
    await page.getByLabel('Home page').fill('nowhere')
    await page.getByText('Enter month and year.').waitFor()
    await page.getByText('Enter a number.').waitFor()
    await page.getByText('Must be an absolute http or https address.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Please fix the highlighted fields.').waitFor()
    await page.locator('[aria-label="Since: Month"]:focus').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Height').inputValue()).toBe('tall')
    await page.getByLabel('Since: Year').fill('')
    await page.getByLabel('Home page').fill('')
    await page.getByLabel('Height').fill('172')
    await page.route('**/ext/v1/members/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      const errors = { [`fields.${height.id}`]: [{ message: 'Not today.' }] }
      await route.fulfill({ status: 400, json: { message: 'Error', code: 40001, errors } })
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator(`[id="problem-fields.${height.id}"]`).getByText('Not today.').waitFor()
    expect(await page.getByLabel('Height').inputValue()).toBe('172')
    await page.unroute('**/ext/v1/members/*')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Wren', level: 1, exact: true }).waitFor()
    expect(await valuesOf(wren)).toEqual({ [height.id]: 172 })

    // A field that is changed or deleted elsewhere while the form is open.
    await openForm(page, wren)
    await page.getByLabel('Height').fill('173')
    await setValues(wren, { [height.id]: 180, [since.id]: '2019-05' })
    await page.getByText('Changed elsewhere: Height. Theirs: 180').waitFor()
    await page.getByRole('button', { name: 'Take theirs: Since' }).click()
    await system.ask(`DELETE /ext/v1/fields/${height.id}`)
    await page.getByLabel('Height', { exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('Pronouns').fill('ze/zir')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Wren', level: 1, exact: true }).waitFor()
    expect(await valuesOf(wren)).toEqual({ [since.id]: '2019-05' })
  })
})

test('shows that fields could not be loaded, and loads them on request', async () => {
  const system = await seedSystem(testServer, 'New Hill')
  await system.setSwitches([1, 'Wren'])
  await system.ask('POST /ext/v1/systems/@me/fields', { name: 'Role', type: 'text' })
  const visitor = await openPage(browser, testServer, system, 'more')
  const { page } = visitor
  await page.route('**/ext/v1/systems/@me/fields', (route) => route.abort())
  await page.getByRole('link', { name: /^Fields/ }).click()
  await page.getByText('Can’t reach the server.').waitFor()
  await expectAccessible(visitor)
  await page.unroute('**/ext/v1/systems/@me/fields')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Role', { exact: true }).waitFor()
  visitor.consoleMessages.length = 0
})
