import type { Page } from 'playwright-core'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import { archiveRows, deleteArchived } from './tools/archivedRows'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  type Visitor,
  visit,
  waitForTrue,
} from './tools/browser'
import { startTestServer } from './tools/testServer'
import { describeDashboard, logIn, openPage, seedSystem } from './tools/testSystem'

/** Friends in two browsers: invite, accept, share, see, remove. */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'], {
  PUBLIC_URL: 'https://plural.example.org',
})
const { address } = testServer.server

interface Friend {
  id: string
  name: string | null
  notify_me: boolean
  share: { see_front: boolean; see_members: boolean; announce: boolean; buckets: string[] }
}

interface Bucket {
  id: string
  name: string
  members: number
  groups: number
  fields: number
  default_for: string[]
}

/** Delays the buckets until the returned function is called. What is chosen before must be kept. */
async function holdBuckets({ context }: Visitor): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await context.route('**/ext/v1/buckets', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

describeDashboard(browser, testServer, async ({ size, system, openPath: open }) => {
  const other = await seedSystem(testServer, 'Harbour House')
  const openOther = (path: string) => openPage(browser, testServer, other, path, size)
  await system.setSwitches([5, 'Wren'])
  await other.setSwitches([3, 'Moss'])

  const friends = (of = system) => of.ask<Friend[]>('GET /ext/v1/friends')
  const buckets = (of = system) => of.ask<Bucket[]>('GET /ext/v1/buckets')
  const bucketNamed = async (name: string, of = system) => {
    const found = (await buckets(of)).find((one) => one.name === name)
    if (!found) throw new Error(`no bucket ${name}`)
    return found
  }
  const clear = async () => {
    for (const { id } of await friends()) await system.ask(`DELETE /ext/v1/friends/${id}`)
    const open = await system.ask<{ id: string }[]>('GET /ext/v1/friends/invites')
    for (const { id } of open) await system.ask(`DELETE /ext/v1/friends/invites/${id}`)
  }
  /** Makes the two systems friends. What the other one shares is given. */
  const befriend = async (share: object = {}) => {
    await clear()
    const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {})
    return await other.ask<Friend>('POST /ext/v1/friends', { code, share })
  }
  const card = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true })
  const checkAll = async (visitor: Visitor) => {
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
  }

  test('invites a friend, who accepts, sees a shared field, and is removed', async () => {
    await clear()
    const role = await system.ask<{ id: string }>('POST /ext/v1/systems/@me/fields', {
      name: 'Role',
      type: 'text',
    })
    const wren = system.idOf('Wren')
    await system.ask(`PATCH /ext/v1/members/${wren}`, {
      fields: { [role.id]: 'Keeper of the lamps' },
      member: { privacy: { visibility: 'private' } },
    })
    const visitor = await open('friends')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    await page.getByText('No friends yet.').waitFor()
    await checkAll(visitor)

    await page.getByRole('button', { name: 'Invite a friend' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Sam')
    await dialog.getByRole('switch', { name: 'Members, groups and fields' }).check()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    const code = await dialog.getByLabel('Code', { exact: true }).inputValue()
    expect(link).toBe(`https://plural.example.org/#/friend/${code}`)
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor()
    await page.getByRole('button', { name: 'Withdraw: Sam' }).waitFor()
    expect(await page.content()).not.toContain(code)

    // Opened before the login, and answered after it.
    const friend = await visit(browser, size)
    await friend.page.goto(`${address}/#/friend/${code}`)
    await friend.page.getByText('A friend invites you. Log in to answer.').waitFor()
    await friend.page.getByLabel('Token').fill(other.token)
    await friend.page.getByRole('button', { name: 'Log in' }).click()
    await friend.page.getByRole('heading', { name: 'Lantern Hill invites you' }).waitFor()
    await friend.page.getByText('the members, groups and fields they share with you').waitFor()
    expect(await friend.page.locator('main ul li').first().textContent()).toBe('who is here')
    await checkAll(friend)
    await friend.page.getByRole('button', { name: 'Accept' }).click()
    await friend.page.getByRole('heading', { name: 'Lantern Hill', exact: true }).waitFor()
    await friend.page.getByText('No one is shown as here.').waitFor()
    expect(friend.page.url()).not.toContain(code)

    // The first browser shows the new friend without a reload.
    await card(page, 'Sam').waitFor()
    await card(page, 'Sam').getByText('No one is shown as here.').waitFor()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' })
    await checkAll(visitor)

    // Shares a member, then the field.
    await page.getByRole('button', { name: 'Choose what is in Friends' }).click()
    await dialog.getByRole('searchbox').fill('wre')
    await dialog.getByRole('checkbox', { name: 'Wren' }).check()
    await dialog.getByRole('button', { name: /^Fields/ }).click()
    await dialog.getByRole('checkbox', { name: 'Role' }).check()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^1 member, 1 field and 1 friend$/).waitFor()

    await friend.page.locator('.here-now').getByText('Wren').waitFor()
    await friend.page.goto(`${address}/#/friends`)
    await card(friend.page, 'Lantern Hill').getByText('Wren', { exact: true }).waitFor()
    await friend.page.getByRole('link', { name: 'Lantern Hill' }).click()
    await friend.page.getByRole('heading', { name: '1 member' }).waitFor()
    await friend.page.getByRole('button', { name: 'Wren' }).click()
    await friend.page.getByRole('dialog').getByText('Keeper of the lamps').waitFor()
    await checkAll(friend)
    await friend.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

    // Another caller sees neither.
    const stranger = await visit(browser, size)
    await stranger.page.goto(`${address}/#/systems/${system.hid}`)
    await stranger.page.getByRole('heading', { name: 'Lantern Hill', level: 1 }).waitFor()
    expect(await stranger.page.getByRole('button', { name: 'Wren' }).count()).toBe(0)
    expect(await stranger.page.content()).not.toContain('Keeper of the lamps')

    await page.getByRole('button', { name: 'Remove friend Sam' }).click()
    await dialog.getByText('You stop seeing each other at once.').waitFor()
    await expectAccessible(visitor)
    await dialog.getByRole('button', { name: 'Remove friend', exact: true }).click()
    await page.getByText('Sam is no longer a friend.').first().waitFor()
    await page.getByText('No friends yet.').waitFor()
    await friend.page.getByRole('heading', { name: 'No friend here.' }).waitFor()
    expect(await friends(other)).toEqual([])
    await system.ask(`DELETE /ext/v1/fields/${role.id}`)
    await system.ask(`PATCH /v2/members/${wren}`, { privacy: { visibility: 'public' } })
  })

  test('follows who is fronting at a friend, and turns notifications on and off', async () => {
    const shared = { see_front: true, see_members: false, announce: true }
    await befriend(shared)
    const { id } = await bucketNamed('Friends', other)
    for (const name of ['Moss', 'Iris'])
      await other.ask(`PATCH /ext/v1/members/${other.idOf(name)}`, { buckets: [id] })
    const visitor = await open('friends')
    const { page } = visitor
    const shown = card(page, 'Harbour House')
    await shown.getByText('Moss', { exact: true }).waitFor()
    await other.log(0, 'Iris', 'Moss', 'Juno')
    await shown.getByText('Iris and Moss').waitFor()
    await checkAll(visitor)
    const notify = shown.getByRole('switch', { name: 'Notify me' })
    expect(await notify.isChecked()).toBe(false)
    await notify.click()
    await until(async () => (await friends())[0]?.notify_me === true)
    await shown.getByRole('link', { name: 'Harbour House' }).click()
    await page.getByText('They don’t show you their members.').waitFor()
    await page.locator('.here-now').getByText('Moss').waitFor()
    expect(await page.getByRole('switch', { name: 'Notify me' }).isChecked()).toBe(true)
    await checkAll(visitor)
    await other.ask(`PATCH /ext/v1/friends/${(await friends(other))[0]?.id}`, {
      share: { ...shared, see_front: false },
    })
    await page.getByText('They don’t show who is here.').waitFor()
    expect(await page.getByText('Moss').count()).toBe(0)
  })

  test('changes what a friend sees', async () => {
    await befriend()
    const visitor = await open('friends')
    const { page } = visitor
    await page.getByRole('button', { name: 'What they see: Harbour House' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('switch', { name: 'Members, groups and fields' }).check()
    await dialog.getByRole('checkbox', { name: 'Trusted friends' }).check()
    await dialog.getByLabel('Name', { exact: true }).fill('Partner')
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card(page, 'Partner').waitFor()
    const [friend] = await friends()
    expect(friend).toMatchObject({ name: 'Partner', share: { see_members: true } })
    expect(friend?.share.buckets).toHaveLength(2)
  })

  test('adds, edits and deletes a bucket', async () => {
    await befriend()
    const visitor = await open('friends')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add bucket' }).click()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Partner')
    await dialog.getByRole('textbox', { name: 'Colour' }).fill('reddish')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.locator('#problem-bucket-color').getByText(/./).waitFor()
    await dialog.getByRole('textbox', { name: 'Colour' }).fill('c99524')
    await dialog.getByRole('checkbox', { name: 'Groups' }).check()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Partner was added.').first().waitFor()
    expect(await bucketNamed('Partner')).toMatchObject({ default_for: ['groups'], members: 0 })
    await page.getByRole('button', { name: 'Edit Partner' }).click()
    await dialog.getByLabel('Description').fill('Only them')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Only them').waitFor()
    await page.getByRole('button', { name: 'Edit Partner' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Friends stop seeing what they saw').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Partner was deleted.').first().waitFor()
    await waitForTrue(page, `document.activeElement.id === 'buckets'`)
    expect((await buckets()).map(({ name }) => name)).toEqual(['Friends', 'Trusted friends'])
  })

  test('edits to whom a member, a group and a field are visible, and shows their view', async () => {
    await befriend()
    const { id: bucket } = await bucketNamed('Trusted friends')
    const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Keepers' })
    const iris = system.idOf('Iris')
    await system.ask(`POST /v2/groups/${group.id}/members/add`, [iris])
    const field = await system.ask<{ id: string }>('POST /ext/v1/systems/@me/fields', {
      name: 'Season',
      type: 'text',
    })
    await system.ask(`PATCH /ext/v1/members/${iris}`, {
      fields: { [field.id]: 'Late autumn' },
      announce_front: true,
      member: {
        description: 'Lights the lamps.',
        proxy_tags: [{ prefix: 'i:', suffix: null }],
        privacy: { description_privacy: 'private' },
      },
    })
    const visitor = await open(`members/${iris}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Friend’s view' }).click()
    await page.getByLabel('A friend in').selectOption({ label: '🔒 Trusted friends' })
    await page.getByText('Friends in this bucket don’t see Iris.').waitFor()
    await checkAll(visitor)

    await page.goto(`${address}/#/members/${iris}/edit`)
    const choice = page.getByRole('group', { name: 'Visible to' })
    await choice.getByRole('checkbox', { name: 'Trusted friends' }).check()
    await page.getByRole('switch', { name: 'Notify friends' }).uncheck()
    await checkAll(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Iris', exact: true }).waitFor()
    expect(await system.ask(`GET /ext/v1/members/${iris}`)).toMatchObject({ announce_front: false })
    await page.goto(`${address}/#/groups/${group.id}/edit`)
    await choice.getByRole('checkbox', { name: 'Trusted friends' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Keepers', exact: true }).waitFor()
    await page.goto(`${address}/#/fields`)
    await page.getByRole('button', { name: 'Edit Season' }).click()
    await choice.getByRole('checkbox', { name: 'Trusted friends' }).check()
    await expectAccessible(visitor)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await bucketNamed('Trusted friends')).toMatchObject({ members: 1, groups: 1, fields: 1 })

    await page.goto(`${address}/#/members/${iris}`)
    await page.getByRole('button', { name: 'Friend’s view' }).click()
    await page.getByLabel('A friend in').selectOption(bucket)
    await page.getByText('Lights the lamps.').waitFor()
    await page.getByText('Late autumn').waitFor()
    await page.getByRole('link', { name: 'Keepers' }).waitFor()
    // Public proxy tags are shown to friends as to everyone.
    expect(await page.getByText('i:').count()).toBe(1)
    await checkAll(visitor)
    await page.getByLabel('A friend in').selectOption({ label: '🔓 Friends' })
    await page.getByText('Friends in this bucket don’t see Iris.').waitFor()
    expect(await page.getByText('Late autumn').count()).toBe(0)
    await system.ask(`DELETE /ext/v1/fields/${field.id}`)
    await system.ask(`DELETE /v2/groups/${group.id}`)
  })

  test('chooses to whom a new field is visible, with the default buckets checked', async () => {
    await befriend()
    const { id: bucket } = await bucketNamed('Friends')
    const setDefault = (default_for: string[]) =>
      system.ask(`PATCH /ext/v1/buckets/${bucket}`, { default_for })
    await setDefault(['fields'])
    const visitor = await open('fields')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    const choice = dialog.getByRole('group', { name: 'Visible to' })
    const add = async (name: string) => {
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const openSheet = async () => {
      await page.getByRole('button', { name: 'Add field' }).click()
      await choice.getByRole('checkbox', { name: '🔓 Friends', checked: true }).waitFor()
    }
    await openSheet()
    await add('Season')
    await openSheet()
    await choice.getByRole('checkbox', { name: '🔓 Friends' }).uncheck()
    await choice.getByRole('checkbox', { name: 'Trusted friends' }).check()
    await expectAccessible(visitor)
    await add('Tea')
    const { id: trusted } = await bucketNamed('Trusted friends')
    const fields = await system.ask<{ id: string; name: string; buckets: string[] }[]>(
      'GET /ext/v1/systems/@me/fields',
    )
    const added = fields.filter(({ name }) => ['Season', 'Tea'].includes(name))
    expect(added.map(({ name, buckets: visible }) => [name, visible])).toEqual([
      ['Season', [bucket]],
      ['Tea', [trusted]],
    ])
    for (const { id } of added) await system.ask(`DELETE /ext/v1/fields/${id}`)
    await setDefault([])
  })

  test('opens an invitation by its code or link, and says when it is over', async () => {
    await clear()
    const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {})
    const { id } = await other.ask<{ id: string }>('POST /ext/v1/friends/invites', {})
    await other.ask(`DELETE /ext/v1/friends/invites/${id}`)
    const usual = await bucketNamed('Friends', other)
    const visitor = await openOther('friends')
    const { page } = visitor
    const enter = async (text: string) => {
      await page.getByLabel('Code', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Enter a code.').waitFor()
    await expectAccessible(visitor)
    await enter('wrong')
    await page.getByText('This invitation has already been used').waitFor()
    // Trying again would not help.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await checkAll(visitor)
    await page.getByRole('link', { name: 'All friends' }).click()
    const loadBuckets = await holdBuckets(visitor)
    await enter(` https://plural.example.org/#/friend/${code} `)
    await page.getByRole('heading', { name: 'Lantern Hill invites you' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Neighbours')
    await page.getByRole('switch', { name: 'Who is here' }).uncheck()
    loadBuckets()
    await page.getByRole('checkbox', { name: usual.name }).first().waitFor()
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Neighbours', level: 1 }).waitFor()
    expect(await friends(other)).toMatchObject([
      { name: 'Neighbours', share: { see_front: false, see_members: false, buckets: [usual.id] } },
    ])
    await page.goto(`${address}/#/friend/${code}`)
    await page.getByText('This invitation has already been used').waitFor()
  })

  test('refuses the own invitation, and withdraws it', async () => {
    await clear()
    const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {
      name: 'Sam',
    })
    const { page } = await open(`friend/${code}`)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('This is your own invitation.').waitFor()
    await page.goto(`${address}/#/friends`)
    await page.getByRole('button', { name: 'Withdraw: Sam' }).click()
    await page.getByText('Invitation withdrawn.').first().waitFor()
    expect(await system.ask('GET /ext/v1/friends/invites')).toEqual([])
  })

  test('offers to invite the friends of a Simply Plural export with the same share', async () => {
    await clear()
    await archiveRows(system, {
      friends: [
        { _id: 'z1', frienduid: 'Robin', seeMembers: true, seeFront: false, trusted: true },
      ],
    })
    const visitor = await open('friends')
    const { page } = visitor
    await page.getByText('saw profiles').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Invite a friend: Robin' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Trusted friends' }).waitFor()
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await dialog.getByLabel('Code', { exact: true }).waitFor()
    const invitations = await system.ask<Friend[]>('GET /ext/v1/friends/invites')
    const { id } = await bucketNamed('Trusted friends')
    expect(invitations).toMatchObject([
      { share: { see_front: false, see_members: true, buckets: [id] } },
    ])
    await deleteArchived(system)
  })

  test('offers the friends of a Simply Plural file with the buckets that they were in', async () => {
    await clear()
    const imported = await testServer.operate<{ id: string; token: string }>(
      'system',
      'create',
      '--name',
      'Imported',
    )
    const ask = <T>(line: string, body?: unknown) => testServer.ask<T>(line, body, imported.token)
    await ask('POST /v2/systems/@me/import', {
      users: [{ _id: 'u1', uid: 'u1', username: 'Imported' }],
      members: [{ _id: 'm1', name: 'Ash', buckets: ['b2'] }],
      privacyBuckets: [
        { _id: 'b1', name: 'Neighbours', rank: '0|a:' },
        { _id: 'b2', name: 'Crew', rank: '0|b:' },
      ],
      friends: [
        {
          _id: 'z1',
          uid: 'u1',
          frienduid: 'Robin',
          seeFront: true,
          seeMembers: true,
          getFrontNotif: false,
          buckets: ['b2'],
        },
        {
          _id: 'z2',
          uid: 'u1',
          frienduid: 'Kit',
          seeFront: true,
          seeMembers: false,
          buckets: ['gone'],
        },
      ],
    })
    const visitor = await visit(browser, size)
    const { page } = visitor
    await logIn(page, testServer, imported.token)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${address}/#/friends`)
    const dialog = page.getByRole('dialog')
    const isIn = (name: string) => dialog.getByRole('checkbox', { name, exact: true }).isChecked()
    const loadBuckets = await holdBuckets(visitor)
    await page.getByRole('button', { name: 'Invite a friend: Robin' }).click()
    await dialog.getByRole('switch', { name: 'Members' }).uncheck()
    loadBuckets()
    await dialog.getByRole('checkbox', { name: 'Crew' }).waitFor()
    expect([await isIn('Neighbours'), await isIn('Crew')]).toEqual([false, true])
    expect(await dialog.getByRole('switch', { name: 'Notifications' }).isChecked()).toBe(false)
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await dialog.getByLabel('Code', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    const all = await ask<Bucket[]>('GET /ext/v1/buckets')
    const crew = all.find(({ name }) => name === 'Crew')
    expect(await ask<Friend[]>('GET /ext/v1/friends/invites')).toMatchObject([
      { share: { see_front: true, see_members: false, announce: false, buckets: [crew?.id] } },
    ])
    // A friend whose bucket is not here is in no bucket, rather than in one that shows more.
    await page.getByRole('button', { name: 'Invite a friend: Kit' }).click()
    await dialog.getByText('Without a bucket they see no one.').waitFor()
    await expectAccessible(visitor)
  })

  test('shows many friends and archived friends in parts, and finds one by name', async () => {
    await clear()
    const invited = async (name: string) => {
      const { token } = await testServer.operate<{ token: string }>(
        'system',
        'create',
        '--name',
        name,
      )
      const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {})
      await testServer.ask('POST /ext/v1/friends', { code }, token)
    }
    for (let count = 1; count <= 12; count++) await invited(`House ${count}`)
    await archiveRows(system, {
      friends: Array.from({ length: 45 }, (_, at) => ({ _id: `z${at}`, frienduid: `Robin${at}` })),
    })
    const visitor = await open('friends')
    const { page } = visitor
    const list = page.getByRole('list', { name: 'Your friends' }).getByRole('listitem')
    await page.getByRole('button', { name: 'Show more (2)' }).waitFor()
    expect(await list.count()).toBe(10)
    await checkAll(visitor)
    await page.getByRole('button', { name: 'Show more (2)' }).click()
    await until(async () => (await list.count()) === 12)
    await waitForTrue(page, `document.activeElement.matches('.friends li:nth-child(11) a')`)
    await page.getByRole('searchbox').fill('hOUSE 12')
    await card(page, 'House 12').waitFor()
    expect(await list.count()).toBe(1)
    await page.getByRole('button', { name: 'Remove friend House 12' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Remove friend', exact: true }).click()
    await page.getByText('Nothing found.').waitFor()
    await waitForTrue(page, `document.activeElement.tagName === 'H1'`)

    const rows = page.getByRole('button', { name: /^Invite a friend: Robin/ })
    for (const shown of [20, 40, 45]) {
      await until(async () => (await rows.count()) === shown)
      if (shown < 45) await page.getByRole('button', { name: 'Show more', exact: true }).click()
    }
    await clear()
    await deleteArchived(system)
  })

  test('chooses to whom a new member and a new group are visible', async () => {
    await befriend()
    const { id: bucket } = await bucketNamed('Friends')
    const { id: trusted } = await bucketNamed('Trusted friends')
    await system.ask(`PATCH /ext/v1/buckets/${bucket}`, { default_for: ['members'] })
    const visitor = await open('members')
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    const add = async (name: string) => {
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const choose = async () => {
      const choice = dialog.getByRole('group', { name: 'Visible to' })
      await dialog.locator('summary').click()
      await choice.getByRole('checkbox', { name: 'Trusted friends' }).check()
      await expectAccessible(visitor)
      await expectNoHorizontalScroll(visitor)
    }
    await page.getByRole('button', { name: 'Add a member' }).click()
    await dialog.getByText('Visible to: Friends').waitFor()
    await add('Linnet')
    await page.getByRole('button', { name: 'Add a member' }).click()
    await choose()
    await dialog.getByText('Visible to: Friends and Trusted friends').waitFor()
    await add('Finch')
    await page.goto(`${address}/#/groups`)
    await page.getByRole('button', { name: 'Add a group' }).click()
    await dialog.getByText('Visible to: No friends').waitFor()
    await choose()
    await add('Birds')
    interface Shared {
      id: string
      name: string
      buckets: string[]
    }
    const members = await system.ask<{ member: Shared; buckets: string[] }[]>(
      'GET /ext/v1/systems/@me/members',
    )
    const groups = await system.ask<{ group: Shared; buckets: string[] }[]>(
      'GET /ext/v1/systems/@me/groups',
    )
    const visible = (wanted: string) =>
      members.find(({ member }) => member.name === wanted)?.buckets
    expect(visible('Linnet')).toEqual([bucket])
    expect(visible('Finch')).toEqual([bucket, trusted])
    expect(groups.find(({ group }) => group.name === 'Birds')?.buckets).toEqual([trusted])
    for (const { member } of members)
      if (['Linnet', 'Finch'].includes(member.name))
        await system.ask(`DELETE /v2/members/${member.id}`)
    for (const { group } of groups) await system.ask(`DELETE /v2/groups/${group.id}`)
    await system.ask(`PATCH /ext/v1/buckets/${bucket}`, { default_for: [] })
  })

  test('writes nothing while offline', async () => {
    await befriend()
    const { page } = await open('friends')
    await card(page, 'Harbour House').waitFor()
    await disconnect(page)
    await page.locator('button.main[aria-disabled=true]').first().waitFor()
    for (const name of ['Invite a friend', 'Add bucket', 'Remove friend Harbour House'])
      await page.getByRole('button', { name }).first().click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('returns to the invitation after a login with a link', async () => {
  const system = await seedSystem(testServer, 'Lantern Hill')
  const other = await seedSystem(testServer, 'Harbour House')
  const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {})
  const { url } = await testServer.operate<{ url: string }>('login', other.hid)
  const { page } = await visit(browser, 'phone')
  await page.goto(`${address}/#/friend/${code}`)
  await page.getByText('A friend invites you. Log in to answer.').waitFor()
  await page.goto(`${address}/${url.slice(url.indexOf('#'))}`)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Lantern Hill invites you' }).waitFor()
})

describe('opened without a system', () => {
  /** Opens an invitation, and the form that creates a system. */
  async function openForm() {
    const system = await seedSystem(testServer, 'Lantern Hill')
    const { code } = await system.ask<{ code: string }>('POST /ext/v1/friends/invites', {})
    const { page } = await visit(browser, 'phone')
    await page.goto(`${address}/#/friend/${code}`)
    await page.getByText('A friend invites you. Log in to answer.').waitFor()
    await page.getByRole('link', { name: 'Create a system' }).click()
    await page.getByRole('heading', { name: 'Create a system' }).waitFor()
    return { page, system }
  }
  const invitation = (page: Page) => page.getByRole('heading', { name: 'Lantern Hill invites you' })

  test('returns to the invitation after a system was created, and becomes friends', async () => {
    const { page, system } = await openForm()
    await page.getByLabel('Name of the system').fill('Newcomers')
    await page.getByRole('button', { name: 'Start empty' }).click()
    await page.getByRole('button', { name: 'Private', exact: true }).click()
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await invitation(page).waitFor()
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Lantern Hill', exact: true }).waitFor()
    expect(await system.ask('GET /ext/v1/friends')).toMatchObject([
      { system: { name: 'Newcomers' } },
    ])
  })

  test('leads from the import of the new system to the invitation', async () => {
    const { page } = await openForm()
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByRole('button', { name: 'Continue to import' }).click()
    await page.getByText('A friend’s invitation is waiting.').waitFor()
    await page.getByRole('link', { name: 'Answer it' }).click()
    await invitation(page).waitFor()
  })

  test('returns to the invitation with a system that exists already', async () => {
    const { page } = await openForm()
    const { token } = await seedSystem(testServer, 'Harbour House')
    await page.getByRole('link', { name: 'I already have a system' }).click()
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await invitation(page).waitFor()
  })
})
