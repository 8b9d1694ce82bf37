import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import { expectAccessible, expectLargeTargets, startBrowser } from './tools/browser'
import { expectListed } from './tools/memberPages'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

interface Extended {
  member: { id: string; description: string | null }
  kind: string
  archived: boolean
  archived_reason: string | null
  about: string | null
}

describeDashboard(browser, testServer, async ({ system, openNow, openPath }) => {
  const read = (name: string) => system.ask<Extended>(`GET /ext/v1/members/${system.idOf(name)}`)
  const patch = (name: string, body: object) =>
    system.ask(`PATCH /ext/v1/members/${system.idOf(name)}`, body)
  const asleep = await system.ask<Extended>('POST /ext/v1/members', {
    member: { name: 'Asleep' },
    kind: 'custom_front',
  })
  await system.setSwitches([20, 'Iris'], [3, 'Wren'])

  test('archives a member with a reason, finds it again and restores it', async () => {
    const visitor = await openPath(`members/${system.idOf('Moss')}/edit`)
    const { page } = visitor
    await page.getByLabel('Reason').fill('moved on')
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('Moss is archived.').first().waitFor()
    expect(await read('Moss')).toMatchObject({ archived: true, archived_reason: 'moved on' })
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await expectListed(page, ['Atlas', 'Ember', 'Iris', 'Jün', 'Juno', 'Wren'])
    await page.getByText('6 members').waitFor()
    await page.getByLabel('Search').fill('mos')
    await page.getByRole('heading', { name: 'Archived' }).waitFor()
    await expectListed(page, ['Moss'])
    await expectAccessible(visitor)
    await page.getByLabel('Search').fill('')
    await page.getByRole('button', { name: 'Archived', exact: true }).click()
    await expectListed(page, ['Moss'])
    await page.getByRole('link', { name: /^Moss/ }).click()
    await page.getByRole('heading', { name: 'Moss', level: 1, exact: true }).waitFor()
    await page.getByText('moved on').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Moss is no longer archived.').first().waitFor()
    expect(await read('Moss')).toMatchObject({ archived: false, archived_reason: null })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    expect(await read('Moss')).toMatchObject({ archived: true, archived_reason: 'moved on' })
    await patch('Moss', { archived: false, archived_reason: null })
  })

  test('asks before it archives a member who is here', async () => {
    const visitor = await openPath(`members/${system.idOf('Wren')}/edit`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByRole('heading', { name: 'Archive Wren?' }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await read('Wren')).archived).toBe(false)
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('Wren is archived.').first().waitFor()
    expect((await system.history())[0]?.names).toEqual(['Wren'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => !(await read('Wren')).archived)
    await page.getByLabel('Reason').waitFor()
    expect((await read('Wren')).archived).toBe(false)
  })

  test('Now never suggests archived members, but finds them', async () => {
    await patch('Iris', { archived: true })
    const visitor = await openNow()
    const { page } = visitor
    const suggested = page.getByRole('list', { name: 'Suggested' })
    await suggested.getByRole('button', { name: 'Atlas' }).waitFor()
    expect(await suggested.getByRole('button', { name: 'Iris' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Everyone (6)' }).click()
    expect(await page.getByRole('button', { name: 'Iris', exact: true }).count()).toBe(0)
    await page.getByLabel('Search').fill('iri')
    const archived = page.getByRole('list', { name: 'Archived' })
    await archived.getByRole('button', { name: 'Iris' }).waitFor()
    await expectAccessible(visitor)
    await patch('Iris', { archived: false })
  })

  test('logs a custom front from its row on Now with two taps', async () => {
    const visitor = await openNow()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Custom fronts' }).waitFor()
    const suggested = page.getByRole('list', { name: 'Suggested' })
    expect(await suggested.getByRole('button', { name: 'Asleep' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Everyone (7)' }).waitFor()
    await expectLargeTargets(visitor)
    const row = page.getByRole('list', { name: 'Custom fronts' })
    await row.getByRole('button', { name: 'Asleep' }).click()
    await page.getByRole('button', { name: 'Switch to Asleep' }).click()
    await page.getByText('Asleep is here now.').first().waitFor()
    expect((await system.history())[0]?.names).toEqual([asleep.member.id])
    await page.getByRole('button', { name: 'Undo' }).click()
    const latest = async () => (await system.history())[0]?.names.join()
    await until(async () => (await latest()) === 'Wren')
    expect(await latest()).toBe('Wren')
  })

  test('lists custom fronts under their own chip, and a search under their own heading', async () => {
    const visitor = await openPath('members')
    const { page } = visitor
    await page.getByText('7 members').waitFor()
    expect(await page.getByRole('link', { name: /^Asleep/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Custom fronts', exact: true }).click()
    await expectListed(page, ['Asleep'])
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Everyone', exact: true }).click()
    await page.getByLabel('Search').fill('as')
    await page.getByRole('heading', { name: 'Custom fronts' }).waitFor()
    await expectListed(page, ['Atlas', 'Asleep'])
  })

  test('turns a member into a custom front with the switch of its form', async () => {
    const visitor = await openPath(`members/${system.idOf('Ember')}/edit`)
    const { page } = visitor
    await page.getByRole('switch', { name: 'Custom front' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ember', level: 1, exact: true }).waitFor()
    await page.getByText('Custom front', { exact: true }).waitFor()
    expect((await read('Ember')).kind).toBe('custom_front')
    await expectAccessible(visitor)
    await patch('Ember', { kind: 'member' })
  })

  test('stores a long description whole, and its beginning for other clients', async () => {
    const visitor = await openPath(`members/${system.idOf('Juno')}/edit`)
    const { page } = visitor
    const long = `${'lamp '.repeat(250)}end`
    await page.getByText('Bots and other apps show up to 1,000 characters of it.').waitFor()
    await page.getByLabel('Description').fill(long)
    await page.getByText('Longer than 1,000 characters').waitFor()
    // The form has the heading "Edit Juno", and a preview of the text.
    const heading = page.getByRole('heading', { name: 'Juno', level: 1, exact: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await heading.waitFor()
    await page.getByText(/lamp end$/).waitFor()
    const saved = await read('Juno')
    expect(saved.about).toBe(long)
    expect(long.startsWith(saved.member.description ?? '-')).toBe(true)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Description').fill('Keeps the lamps.')
    await page.getByRole('button', { name: 'Save' }).click()
    await heading.waitFor()
    await page.getByText('Keeps the lamps.').waitFor()
    expect(await read('Juno')).toMatchObject({
      about: null,
      member: { description: 'Keeps the lamps.' },
    })
  })

  test('loads a long description whole where it is shown or edited', async () => {
    const long = `${'lamp '.repeat(250)}end`
    await patch('Juno', { about: long })
    const visitor = await openPath(`members/${system.idOf('Juno')}`)
    const { page } = visitor
    await page.getByText(/lamp end$/).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const description = page.getByLabel('Description')
    await description.waitFor()
    expect(await description.inputValue()).toBe(long)
    await page.goto('about:blank')
    await page.goto(`${testServer.server.address}/#/members/${system.idOf('Juno')}/edit`)
    await description.waitFor()
    expect(await description.inputValue()).toBe(long)
    await page.getByLabel('Pronouns').fill('they/them')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/lamp end$/).waitFor()
    expect((await read('Juno')).about).toBe(long)
    await page.goto(`${testServer.server.address}/#/systems/${system.hid}`)
    await page.getByRole('button', { name: 'Juno' }).click()
    await page.getByText(/lamp end$/).waitFor()
    await patch('Juno', { about: null })
  })

  test('the public page lists custom fronts apart, and no archived state', async () => {
    await patch('Moss', { archived: true, archived_reason: 'moved on' })
    const visitor = await openPath(`systems/${system.hid}`)
    const { page } = visitor
    await page.getByRole('heading', { name: '7 members' }).waitFor()
    await page.getByRole('heading', { name: 'Custom fronts' }).waitFor()
    await page.getByRole('button', { name: 'Moss' }).waitFor()
    expect(await page.getByText('Archived').count()).toBe(0)
    await expectAccessible(visitor)
    await patch('Moss', { archived: false, archived_reason: null })
  })
})
