import { readStream } from '../events/readStream'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
} from './tools/browser'
import { expectListed, type MemberJson } from './tools/memberPages'
import { shareTestServer } from './tools/testServer'
import { describeDashboard, openPage, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

interface Group {
  id: string
  uuid: string
  name: string
}

describeDashboard(browser, testServer, async ({ system, openPath: open }) => {
  await system.setSwitches([5, 'Wren'])
  const all = () => system.ask<Group[]>('GET /v2/systems/@me/groups')
  const inside = async (id: string) =>
    (await system.ask<MemberJson[]>(`GET /v2/groups/${id}/members`)).map(({ name }) => name).sort()
  const create = (name: string) =>
    system.ask<Group>('POST /v2/groups', { name, description: 'Those *who* **watch**.' })
  const watch = await create('Night watch')
  await system.ask(`POST /v2/groups/${watch.id}/members/add`, [system.idOf('Juno')])

  test('group pages are accessible in light and dark mode', async () => {
    const visitor = await open('groups')
    const { page } = visitor
    await page.getByText('1 member', { exact: true }).waitFor()
    for (const path of ['groups', `groups/${watch.id}`, `groups/${watch.id}/edit`]) {
      await page.goto(`${testServer.server.address}/#/${path}`)
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
    }
  })

  test('creates a group from a name, finds, edits and deletes it', async () => {
    const visitor = await open('groups')
    const { page } = visitor
    await page.getByRole('button', { name: 'Add a group' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Littles')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Group added.').first().waitFor()
    await page.getByLabel('Search').fill('litt')
    await expectListed(page, ['Littles'])
    await page.getByRole('link', { name: /^Littles/ }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Display name').fill('The Littles')
    await page.getByRole('switch', { name: 'Member list: Public' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'The Littles', level: 1, exact: true }).waitFor()
    await page.getByText('1 of 7 details is private').waitFor()
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByText('Strangers don’t see who is in it.').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await expectAccessible(visitor)
    await dialog.getByRole('textbox').fill('Littles')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Group deleted.').first().waitFor()
    await expectListed(page, ['Night watch'])
    expect((await all()).map(({ name }) => name)).toEqual(['Night watch'])
  })

  test('adds thirty members to a group with one request and one event', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `Star ${String(at).padStart(2, '0')}`)
    for (const name of names) await system.ask('POST /v2/members', { name })
    const group = await create('Stars')
    const visitor = await open(`groups/${group.id}`)
    const { page } = visitor
    const url = `${testServer.server.address}/v2/systems/@me/events`
    const stream = await readStream(url, { token: system.token })
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(request.url())
    })
    await page.getByRole('button', { name: 'Edit members…' }).click()
    await page.getByLabel('Search').fill('star')
    for (const name of names) await page.getByRole('checkbox', { name }).check()
    await page.getByText('30 to add').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('30 members added to Stars.').first().waitFor()
    await expectListed(page, names)
    expect(writes.length).toBe(1)
    expect(await inside(group.id)).toEqual(names)
    // Any further event of the change would arrive before this one.
    await system.ask(`PATCH /v2/groups/${group.id}`, { display_name: 'The Stars' })
    await until(async () => stream.messages.some(({ event }) => event === 'UPDATE_GROUP'))
    expect(stream.messages.map(({ event }) => event)).toEqual([
      'UPDATE_GROUP_MEMBERS',
      'UPDATE_GROUP',
    ])
    await stream.leave()
    await system.ask(`PATCH /v2/groups/${group.id}`, { display_name: null })
    await page.getByRole('button', { name: 'Edit members…' }).click()
    await page.getByLabel('Search').fill('star 0')
    await page.getByRole('checkbox', { name: 'Star 00' }).uncheck()
    await page.getByLabel('Search').fill('iris')
    await page.getByRole('checkbox', { name: 'Iris' }).check()
    await page.getByText('1 to add, 1 to remove').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Stars was changed.').first().waitFor()
    expect(writes.length).toBe(2)
    expect(await inside(group.id)).toEqual(['Iris', ...names.slice(1)])
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await inside(group.id)).join() === names.join())
    expect(await inside(group.id)).toEqual(names)
    await system.ask(`DELETE /v2/groups/${group.id}`)
    const everyone = await system.ask<MemberJson[]>('GET /v2/systems/@me/members')
    for (const { id, name } of everyone)
      if (names.includes(name)) await system.ask(`DELETE /v2/members/${id}`)
  })

  test('counts custom fronts of a group apart, and lists archived members last', async () => {
    const createMember = (name: string, added: object) =>
      system.ask<{ member: MemberJson }>('POST /ext/v1/members', { member: { name }, ...added })
    const asleep = await createMember('Asleep', { kind: 'custom_front' })
    const away = await createMember('Aster', { archived: true })
    const added = [asleep.member.id, away.member.id]
    await system.ask(`POST /v2/groups/${watch.id}/members/add`, added)
    const { page } = await open(`groups/${watch.id}`)
    await page.getByText(/members? and 1 custom front$/).waitFor()
    expect(await page.locator('.members li').last().textContent()).toContain('Aster Archived')
    for (const id of added) await system.ask(`DELETE /v2/members/${id}`)
  })

  test('shows groups as a tree and moves a group with the keyboard', async () => {
    const house = await create('House')
    const attic = await create('Attic')
    const cellar = await create('Cellar')
    await system.ask(`PATCH /ext/v1/groups/${attic.id}`, { parent: house.id, emoji: '🕯️' })
    await system.ask(`POST /v2/groups/${attic.id}/members/add`, [system.idOf('Iris')])
    await system.ask(`POST /v2/groups/${house.id}/members/add`, [system.idOf('Moss')])
    const visitor = await open('groups')
    const { page } = visitor
    await page.setViewportSize(sizes.desk)
    const rows = () =>
      page.locator('.tree li').evaluateAll((all) =>
        all.map((one) => {
          const name = one.querySelector('.name')?.textContent
          return `${one.getAttribute('aria-level')} ${name}`
        }),
      )
    const expectRows = async (...expected: string[]) => {
      await until(async () => (await rows()).join() === expected.join())
      expect(await rows()).toEqual(expected)
    }
    await expectRows('1 Cellar', '1 House', '2 🕯️ Attic', '1 Night watch')
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    const toggle = page.getByRole('button', { name: 'Subgroups of House' })
    await toggle.focus()
    await page.keyboard.press('Enter')
    await expectRows('1 Cellar', '1 House', '1 Night watch')
    expect(await toggle.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')

    await page.getByRole('button', { name: 'Move to… (Cellar)' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Move Cellar' })
    await dialog.getByLabel('Inside').focus()
    await page.keyboard.press('ArrowDown')
    await dialog.getByText('Position 2 of 2', { exact: true }).first().waitFor()
    await dialog.getByRole('button', { name: /^Move .* up$/ }).focus()
    await page.keyboard.press('Enter')
    await dialog.getByText('Position 1 of 2', { exact: true }).first().waitFor()
    await expectAccessible(visitor)
    await dialog.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Cellar was moved.').first().waitFor()
    await expectRows('1 House', '2 Cellar', '2 🕯️ Attic', '1 Night watch')

    await page.getByRole('link', { name: /^House/ }).click()
    await page.getByRole('heading', { name: 'Subgroups' }).waitFor()
    await page.getByRole('button', { name: 'Move to…', exact: true }).click()
    const offered = page.getByRole('dialog').getByRole('option')
    await offered.first().waitFor({ state: 'attached' })
    expect(await offered.allTextContents()).toEqual(['Top level', 'Night watch'])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /Attic/ }).click()
    const path = page.getByRole('navigation', { name: 'Inside' })
    await path.getByRole('link', { name: 'House' }).waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Emoji').fill('🔥')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '🔥 Attic', level: 1, exact: true }).waitFor()

    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('button', { name: 'House', exact: true }).click()
    await expectListed(page, ['Moss'])
    await page.getByRole('checkbox', { name: 'Include subgroups' }).check()
    await expectListed(page, ['Iris', 'Moss'])
    await expectAccessible(visitor)
    // Its subgroups stay, without a parent.
    await system.ask(`DELETE /v2/groups/${house.id}`)
    await page.goto(`${testServer.server.address}/#/groups`)
    await expectRows('1 Cellar', '1 🔥 Attic', '1 Night watch')
    for (const { id } of [attic, cellar]) await system.ask(`DELETE /v2/groups/${id}`)
  })

  test('asks before leaving a group form with changes', async () => {
    const { page } = await open(`groups/${watch.id}/edit`)
    // Unlike members, groups have no messages.
    await page.getByRole('switch', { name: 'Date added: Public', exact: true }).waitFor()
    await page.getByLabel('Description').fill('Somebody is always awake.')
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('Description').inputValue()).toBe('Somebody is always awake.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody is always awake.').waitFor()
  })

  test('shows that a group ID is unknown, with a link to all groups', async () => {
    const { page } = await open('groups/zzzzzz')
    await page.getByRole('heading', { name: 'No group by that ID.' }).waitFor()
    await page.getByRole('link', { name: 'See all groups' }).click()
    await page.getByRole('heading', { name: 'Groups' }).waitFor()
  })
})

test('shows that there are no groups yet', async () => {
  const system = await seedSystem(testServer, 'New Hill')
  await system.setSwitches([1, 'Wren'])
  const visitor = await openPage(browser, testServer, system, 'more')
  const { page } = visitor
  await page.getByRole('link', { name: /^Groups/ }).click()
  await page.getByText('No groups yet.').waitFor()
  await expectAccessible(visitor)
})
