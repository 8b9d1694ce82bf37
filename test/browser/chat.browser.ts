import type { Page } from 'playwright-core'
import { ME } from '../tools/me'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

interface Post {
  id: string
  text: string
  by: string | null
  reply_to: string | null
  read: boolean | null
}
interface Room {
  id: string
  name: string
  category: string | null
}

describeDashboard(browser, testServer, async ({ system, openPath: open }) => {
  await system.setSwitches([5, 'Wren', 'Iris'])
  const uuidOf = async (name: string) =>
    (await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf(name)}`)).uuid
  const [wren, iris, moss] = [await uuidOf('Wren'), await uuidOf('Iris'), await uuidOf('Moss')]
  const post = (body: object) => system.ask<Post>(`POST ${ME}/posts`, body)
  const postsOf = (query: string) => system.ask<Post[]>(`GET ${ME}/posts?${query}`)
  const unread = () => system.ask<Record<string, number>>(`GET ${ME}/posts/unread`)
  const addRoom = (body: object) => system.ask<Room>(`POST ${ME}/rooms`, body)
  const clear = async () => {
    for (const { id } of await postsOf('limit=1000')) await system.ask(`DELETE /ext/v1/posts/${id}`)
    for (const { id } of await system.ask<Room[]>(`GET ${ME}/rooms`))
      await system.ask(`DELETE /ext/v1/rooms/${id}`)
  }
  const articles = (page: Page) => page.locator('article')

  test('chat pages are accessible in light and dark mode', async () => {
    await clear()
    const first = await post({ for: wren, by: iris, title: 'Groceries', text: 'Milk, *please*.' })
    await post({ for: wren, by: wren, text: 'Done.', reply_to: first.id })
    const room = await addRoom({ name: 'General', about: 'All **else**', category: 'Business' })
    await addRoom({ name: 'Lobby' })
    await post({ room: room.id, text: 'Nobody wrote this' })
    const visitor = await open('chat')
    const { page } = visitor
    await page.getByRole('heading', { name: 'Board' }).waitFor()
    for (const path of [
      'chat',
      `chat/board/${wren}`,
      'chat/board/@system',
      `chat/room/${room.id}`,
    ]) {
      await page.goto(`${address}/#/${path}`)
      await page.locator('main [aria-busy]').first().waitFor({ state: 'detached' })
      await expectAccessible(visitor, { inDark: true })
      await expectLargeTargets(visitor)
      await expectNoHorizontalScroll(visitor)
    }
    await page.goto(`${address}/#/chat`)
    await page.getByRole('button', { name: 'Order…' }).click()
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Add room' }).click()
    await expectAccessible(visitor, { inDark: true })
  })

  test('a post on a board is unread until its reader has seen it in another browser', async () => {
    await clear()
    const writer = await open('chat')
    await writer.page.getByRole('link', { name: 'Moss' }).click()
    await writer.page.getByRole('heading', { name: 'Board of Moss' }).waitFor()
    expect(await writer.page.getByLabel('As').inputValue()).toBe(wren)
    await writer.page.getByLabel('Title').fill('Groceries')
    await writer.page.getByLabel('Text').fill('Milk, please.')
    await writer.page.getByLabel('As').selectOption('Iris')
    await writer.page.getByRole('link', { name: 'Back to Chat' }).click()
    await writer.page.getByRole('link', { name: 'Moss' }).click()
    // A draft stays on its board.
    await writer.page.getByRole('heading', { name: 'Board of Moss' }).waitFor()
    expect(await writer.page.getByLabel('Text').inputValue()).toBe('Milk, please.')
    await writer.page.getByRole('button', { name: 'Post' }).click()
    await articles(writer.page).getByText('Milk, please.').waitFor()
    expect(await writer.page.getByLabel('Text').inputValue()).toBe('')
    expect(await postsOf(`for=${moss}`)).toMatchObject([{ by: iris, title: 'Groceries' }])
    await writer.page.getByRole('link', { name: 'Now', exact: true }).click()
    await writer.page.getByRole('heading', { name: 'Here now' }).waitFor()
    await system.ask(`POST ${ME}/posts`, { for: moss, by: iris, text: 'And bread.' })

    const reader = await open('chat')
    await reader.page.getByRole('link', { name: /^Moss\s*1 new/ }).waitFor()
    // Boards with unread posts are first, after that of the whole system.
    expect(await reader.page.locator('.members .name').nth(1).textContent()).toBe('Moss')
    await reader.page.getByRole('link', { name: 'Moss' }).click()
    await articles(reader.page).getByText('And bread.').waitFor()
    await articles(reader.page).first().getByText('new', { exact: true }).waitFor()
    await until(async () => !(moss in (await unread())))
    expect(await unread()).not.toHaveProperty(moss)
    await expectAccessible(reader)
    await reader.page.getByRole('link', { name: 'Back to Chat' }).click()
    await reader.page.getByRole('heading', { name: 'Boards' }).waitFor()
    await reader.page.getByRole('link', { name: 'Moss', exact: true }).waitFor()
  })

  test('marks only posts that were on the screen as read', async () => {
    await clear()
    for (let at = 0; at < 30; at++)
      await post({ for: wren, by: iris, text: `Line ${at}\n`.repeat(9) })
    const { page } = await open(`chat/board/${wren}`)
    await until(async () => (await unread())[wren] !== 30)
    const left = (await unread())[wren] ?? 0
    expect(left).toBeGreaterThan(20)
    await page.getByText('Line 0', { exact: false }).first().scrollIntoViewIfNeeded()
    await until(async () => ((await unread())[wren] ?? 0) < left)
    expect((await unread())[wren] ?? 0).toBeLessThan(left)
    await clear()
  })

  test('shows new posts of others, in boards and rooms, without a reload', async () => {
    await clear()
    const room = await addRoom({ name: 'General' })
    const { page } = await open(`chat/room/${room.id}`)
    await page.getByText('No posts yet.').waitFor()
    await post({ room: room.id, by: moss, text: 'Hello there' })
    await articles(page).getByText('Hello there').waitFor()
    await page.goto(`${address}/#/chat/board/@system`)
    await page.getByRole('heading', { name: 'Board of the whole system' }).waitFor()
    await page.getByText('No posts yet.').waitFor()
    await post({ by: moss, text: 'For everyone' })
    await articles(page).getByText('For everyone').waitFor()
  })

  test('replies to a post, edits it, and says when the original is deleted', async () => {
    await clear()
    const original = await post({ for: wren, by: iris, text: 'Shall we go to the **sea**?' })
    const visitor = await open(`chat/board/${wren}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'Reply to Iris' }).click()
    await page.locator('form').getByText('Shall we go to the sea?').waitFor()
    await page.locator('form textarea:focus').waitFor()
    await page.getByLabel('Text').fill('Yes!')
    await page.getByRole('button', { name: 'Post' }).click()
    await articles(page).first().getByText('Reply to Iris: Shall we go to the sea?').waitFor()
    const [reply] = await postsOf(`for=${wren}`)
    expect(reply).toMatchObject({ by: wren, reply_to: original.id })

    await page.getByRole('button', { name: 'Edit what Wren wrote' }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('Yes, at noon!')
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Save' }).click()
    await articles(page).getByText('Yes, at noon!').waitFor()
    await articles(page).first().getByText('edited').waitFor()

    await page.getByRole('button', { name: 'Delete what Iris wrote' }).click()
    await page.getByText('Replies to it stay.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Reply to a deleted post').waitFor()
    expect((await postsOf(`for=${wren}`)).map(({ text }) => text)).toEqual(['Yes, at noon!'])
    await expectAccessible(visitor)
  })

  test('distinguishes a deleted original from one that is not loaded', async () => {
    await clear()
    const written = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const [kept, deleted] = [
      await post({ for: wren, by: iris, text: 'Kept', written: written(200) }),
      await post({ for: wren, by: iris, text: 'Deleted', written: written(199) }),
    ]
    for (let at = 0; at < 50; at++)
      await post({ for: wren, by: moss, text: `Between ${at}`, written: written(100 - at) })
    await post({ for: wren, by: wren, text: 'To the kept one', reply_to: kept.id })
    await post({ for: wren, by: wren, text: 'To the deleted one', reply_to: deleted.id })
    await system.ask(`DELETE /ext/v1/posts/${deleted.id}`)
    const { page } = await open(`chat/board/${wren}`)
    await articles(page).nth(0).getByText('Reply to a deleted post').waitFor()
    await articles(page).nth(1).getByText('Reply to an earlier post').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await articles(page).nth(1).getByText('Reply to Iris: Kept').waitFor()
    await clear()
  })

  test('writes as the first fronter who is not a custom front', async () => {
    await clear()
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Blurry' })
    await system.ask(`PATCH /ext/v1/members/${id}`, { kind: 'custom_front' })
    await system.ask('POST /v2/systems/@me/switches', { members: [id, system.idOf('Moss')] })
    const { page } = await open('chat/board/@system')
    expect(await page.getByLabel('As').inputValue()).toBe(moss)
    expect(await page.getByLabel('As').textContent()).not.toContain('Blurry')
    await system.setSwitches([5, 'Wren', 'Iris'])
    await system.ask(`DELETE /v2/members/${id}`)
  })

  test('adds rooms with categories, edits, orders and deletes them', async () => {
    await clear()
    const visitor = await open('chat')
    const { page } = visitor
    await page.getByText('No rooms yet.').waitFor()
    const add = async (name: string, category: string) => {
      await page.getByRole('button', { name: 'Add room' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Category').fill(category)
      await dialog.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).waitFor()
    }
    await page.getByRole('button', { name: 'Add room' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await add('General', 'Business')
    await add('Cats', 'Fun')
    await add('Plans', 'Business')
    const headings = page.locator('section[aria-labelledby=rooms] h3')
    expect(await headings.allTextContents()).toEqual(['Business', 'Fun'])

    const names = async () =>
      (await system.ask<Room[]>(`GET ${ME}/rooms`)).map(({ name }) => name).join()
    await page.getByRole('button', { name: 'Order…' }).click()
    await page.getByRole('button', { name: 'Move Plans up' }).click()
    await until(async () => (await names()) === 'Plans,General,Cats')
    expect(await names()).toBe('Plans,General,Cats')
    // Moves that follow each other at once build on each other.
    await page.getByRole('button', { name: 'Move Plans down' }).click()
    await page.getByRole('button', { name: 'Move Plans up' }).click()
    await page.getByRole('button', { name: 'Move Fun up' }).click()
    await until(async () => (await names()) === 'Cats,Plans,General')
    expect(await names()).toBe('Cats,Plans,General')
    await page.getByRole('button', { name: 'Rename Business' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Work')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Work' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name: /^Plans/ }).click()
    await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor()
    for (const text of ['One', 'Two']) {
      await page.getByLabel('Text').fill(text)
      await page.getByRole('button', { name: 'Post' }).click()
      await articles(page).getByText(text).waitFor()
    }
    await page.getByRole('button', { name: 'Edit room' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Old plans')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Old plans', level: 1 }).waitFor()
    await page.locator('main > .row').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The 2 posts in it are deleted too.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await names()).toBe('Cats,Old plans,General')
    await page.locator('main > .row').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Old plans was deleted.').first().waitFor()
    await page.getByRole('heading', { name: 'Rooms' }).waitFor()
    expect(await names()).toBe('Cats,General')
    expect((await postsOf('limit=10')).length).toBe(0)
  })

  test('says beside the button that a post cannot be sent while offline, and keeps it', async () => {
    await clear()
    const { page, context } = await open('chat/board/@system')
    await page.getByText('No posts yet.').waitFor()
    await page.getByRole('button', { name: 'Post' }).click()
    await page.getByText('Write something first.').waitFor()
    await page.getByLabel('Text').fill('Later')
    await disconnect(page)
    await page.getByRole('button', { name: 'Post' }).click({ force: true })
    await page.locator('main .problem').getByText('You’re offline.').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('Later')
    await restoreNetwork(context)
    await page.locator('.banner p').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Post' }).click()
    await articles(page).getByText('Later').waitFor()
  })

  test('keeps what is typed while a post is sent', async () => {
    await clear()
    const { page } = await open('chat/board/@system')
    const held = Promise.withResolvers<void>()
    await page.route('**/@me/posts', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByLabel('Text').fill('Milk, please.')
    await page.getByRole('button', { name: 'Post' }).click()
    await page.getByLabel('Text').fill('Milk, please. And bread.')
    held.resolve()
    await articles(page).getByText('Milk, please.').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('And bread.')
  })

  test('shows the board of a member on its page, but not to strangers', async () => {
    await clear()
    await post({ for: wren, by: iris, text: 'On your board' })
    const visitor = await open(`members/${system.idOf('Wren')}/board`)
    const { page } = visitor
    await page.getByRole('heading', { name: 'Board', exact: true }).waitFor()
    await articles(page).getByText('On your board').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'A stranger’s view' }).click()
    await page.getByRole('tab', { name: 'About' }).waitFor()
    expect(await page.getByRole('tab', { name: 'Board' }).count()).toBe(0)
    expect(await page.getByText('On your board').count()).toBe(0)
  })

  test('says that a room or board is unknown, with a link to Chat', async () => {
    const { page } = await open('chat/room/unknown')
    await page.getByRole('heading', { name: 'No room by that ID.' }).waitFor()
    await page.goto(`${address}/#/chat/board/unknown`)
    await page.getByRole('heading', { name: 'No board by that ID.' }).waitFor()
    await page.getByRole('link', { name: 'Back to Chat' }).click()
    await page.getByRole('heading', { name: 'Boards' }).waitFor()
  })
})
