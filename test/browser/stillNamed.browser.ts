import { expect, test } from '../tools/test'
import { expectAccessible, startBrowser, visit } from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface EntityJson {
  privacy: Record<string, string>
}

/** Places that still name a private member. */
describeDashboard(browser, testServer, ({ size, system, openPath }) => {
  const setLists = (level: 'public' | 'private') =>
    system.ask('PATCH /v2/systems/@me', {
      privacy: { front_privacy: level, front_history_privacy: level },
    })
  const systemLevels = async () => (await system.ask<EntityJson>('GET /v2/systems/@me')).privacy
  const setLevels = (name: string, privacy: Record<string, string>) =>
    system.ask(`PATCH /v2/members/${system.idOf(name)}`, { privacy })

  test('Hidden says which public lists still name members, makes them private, and undoes it', async () => {
    await setLists('public')
    await system.setSwitches([5, 'Wren'])
    const visitor = await openPath('privacy')
    const { page } = visitor
    await page.getByRole('button', { name: 'Hidden' }).click()
    await page.getByText('“Who is here now” and the history are public').waitFor()
    await page.getByRole('button', { name: 'Change 7 members' }).click()
    await page.getByText('7 members changed.').first().waitFor()
    const front = await fetch(`${address}/v2/systems/${system.hid}/fronters`)
    expect(await front.text()).toContain('Wren')

    await page.getByText('“Who is here now” and the history are public').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Make both private, too' }).click()
    await page.getByText('“Who is here now” and the history are private.').first().waitFor()
    expect(await page.getByText('are public: they still show').count()).toBe(0)
    expect(await systemLevels()).toMatchObject({
      front_privacy: 'private',
      front_history_privacy: 'private',
    })
    const closed = await fetch(`${address}/v2/systems/${system.hid}/fronters`)
    expect(closed.status).toBe(403)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Make both private, too' }).waitFor()
    expect(await systemLevels()).toMatchObject({
      front_privacy: 'public',
      front_history_privacy: 'public',
    })
  })

  test('the offer within a sheet can be undone there', async () => {
    await setLists('public')
    const visitor = await openPath('members')
    const { page } = visitor
    await page.getByRole('button', { name: 'Select' }).click()
    await page.getByRole('checkbox', { name: 'Wren' }).check()
    await page.getByRole('button', { name: 'Privacy…' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Hidden' }).click()
    await sheet.getByRole('button', { name: 'Make both private, too' }).click()
    const notice = sheet.getByRole('region', { name: 'Notice' })
    await notice.getByText('“Who is here now” and the history are private.').waitFor()
    const [above, below] = [await notice.boundingBox(), await sheet.boundingBox()]
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
    await page.keyboard.press('Tab')
    const undo = notice.getByRole('button', { name: 'Undo' })
    expect(await undo.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
    // The notice stays while Undo has the focus.
    await expectAccessible(visitor)
    await undo.click()
    await sheet.getByRole('button', { name: 'Make both private, too' }).waitFor()
    expect(await systemLevels()).toMatchObject({
      front_privacy: 'public',
      front_history_privacy: 'public',
    })
  })

  test('names only the list that is still public', async () => {
    await system.ask('PATCH /v2/systems/@me', {
      privacy: { front_privacy: 'private', front_history_privacy: 'public' },
    })
    const { page } = await openPath('privacy')
    await page.getByRole('button', { name: 'Hidden' }).click()
    await page.getByText('The history is public: it still lists').waitFor()
    await page.getByRole('button', { name: 'Make the history private, too' }).click()
    await page.getByText('The history is private.').first().waitFor()
    expect(await page.getByRole('button', { name: /private, too/ }).count()).toBe(0)
    await page.getByText('Everything is private.').waitFor()
  })

  test("a stranger's view of a private member says what is still shown", async () => {
    await setLists('public')
    await setLevels('Wren', { visibility: 'private' })
    await system.setSwitches([5, 'Wren'])
    const visitor = await openPath(`members/${system.idOf('Wren')}/history`)
    const { page } = visitor
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByText('Anyone with the ID can still open this.').waitFor()
    await page.getByText('“Who is here now” and the history are public').waitFor()
    await page.getByText('Insights leave them out for strangers.').waitFor()
    expect(await page.getByText('Time here, last 30 days').count()).toBe(0)
    await expectAccessible(visitor)

    await system.ask('PATCH /v2/systems/@me', { privacy: { front_history_privacy: 'private' } })
    await page.getByText('“Who is here now” is public: it still names').waitFor()
    await page.getByText('Strangers see who is here now, but no earlier times.').waitFor()
    await page.locator('main .pill').getByText('here now').waitFor()
    await page.getByRole('button', { name: 'Make “Who is here now” private, too' }).click()
    await page.getByText('Times are hidden from strangers.').waitFor()
    await page.locator('main .pill').waitFor({ state: 'detached' })
    await setLevels('Wren', { visibility: 'public' })
  })

  test("a stranger's view lists no group whose members are private, and no times in a group", async () => {
    await setLists('private')
    await system.setSwitches([5, 'Juno'])
    const secret = await system.ask<{ id: string }>('POST /v2/groups', {
      name: `Secret ${size}`,
      privacy: { list_privacy: 'private' },
    })
    const open = await system.ask<{ id: string }>('POST /v2/groups', { name: `Open ${size}` })
    for (const { id } of [secret, open])
      await system.ask(`POST /v2/groups/${id}/members/add`, [system.idOf('Juno')])
    await setLevels('Juno', { visibility: 'public', name_privacy: 'public' })
    const { page } = await openPath(`members/${system.idOf('Juno')}`)
    await page.getByRole('link', { name: `Secret ${size}` }).waitFor()
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByRole('link', { name: `Open ${size}` }).waitFor()
    expect(await page.getByRole('link', { name: `Secret ${size}` }).count()).toBe(0)

    await page.getByRole('link', { name: `Open ${size}` }).click()
    const row = page.locator('.members').getByRole('link', { name: /Juno/ })
    await row.locator('.pill').waitFor()
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await row.locator('.pill').waitFor({ state: 'detached' })
    await row.waitFor()
    await setLists('public')
  })

  test('a private name without a display name is marked as still shown, and not counted', async () => {
    await setLevels('Atlas', { name_privacy: 'public' })
    const { page } = await openPath(`members/${system.idOf('Atlas')}/edit`)
    await page.getByRole('switch', { name: 'Name: Public', exact: true }).click()
    await page.getByText('This hides nothing yet').waitFor()
    const described = await page
      .getByLabel('Name', { exact: true })
      .getAttribute('aria-describedby')
    expect(described).toContain('hint-name')
    await page.getByLabel('Display name').fill('The Navigator')
    await page.getByText('Strangers see the display name instead.').waitFor()
    expect(await page.getByText('This hides nothing yet').count()).toBe(0)
    await page.getByLabel('Display name').fill('')
    await page.getByText('This hides nothing yet').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').first().waitFor()
    const privacy = (await system.ask<EntityJson>(`GET /v2/members/${system.idOf('Atlas')}`))
      .privacy
    expect(privacy.name_privacy).toBe('private')
    const others = Object.entries(privacy).filter(
      ([key, to]) => key !== 'name_privacy' && to === 'private',
    )
    await page.goto(`${address}/#/members/${system.idOf('Atlas')}`)
    await page.getByText(new RegExp(`^${others.length} of 9 details`)).waitFor()
  })

  test('the public page counts private members of a switch in place of their IDs', async () => {
    await setLists('public')
    await setLevels('Moss', { visibility: 'private' })
    await setLevels('Ember', { visibility: 'private' })
    await setLevels('Wren', { visibility: 'public', name_privacy: 'public' })
    await system.setSwitches([5, 'Moss'], [4, 'Wren', 'Moss', 'Ember'], [3, 'Wren'])
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(`${address}/#/systems/${system.hid}`)
    await page.getByRole('listitem').getByText('Wren and 2 who aren’t shown').waitFor()
    await page.getByRole('listitem').getByText('Someone who isn’t shown.').waitFor()
    const text = await page.locator('main').textContent()
    for (const name of ['Moss', 'Ember']) expect(text).not.toContain(system.idOf(name))
    await expectAccessible(visitor)
  })
})
