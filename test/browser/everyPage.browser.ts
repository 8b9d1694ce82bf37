import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import { archiveRows } from './tools/archivedRows'
import {
  expectNoClippedText,
  expectNoHorizontalScroll,
  sizes,
  startBrowser,
  type Visitor,
} from './tools/browser'
import { startTestServer } from './tools/testServer'

import { openPage, type SeededSystem, seedSystem } from './tools/testSystem'

/**
 * Checks that apply to every page: keyboard, large text, narrow windows, another word for members.
 */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const system = await seedSystem(testServer, 'Lantern Hill')
await system.setSwitches([30, 'Moss'], [20, 'Juno', 'Iris'], [3, 'Wren', 'Iris'])
const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
await system.ask(`POST /v2/groups/${group.id}/members/add`, [system.idOf('Juno')])
const inner = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Small ones' })
await system.ask(`PATCH /ext/v1/groups/${inner.id}`, { parent: group.id })
const role = await system.ask<{ id: string }>('POST /ext/v1/systems/@me/fields', {
  name: 'Role',
  type: 'text',
})
await system.ask(`PATCH /ext/v1/members/${system.idOf('Wren')}`, { fields: { [role.id]: 'Host' } })
const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
  name: 'Sam',
  scope: 'watch',
})
const wren = system.idOf('Wren')
const create = (kind: string, body: object) =>
  system.ask<{ id: string }>(`POST /ext/v1/systems/@me/${kind}`, body)
const note = await create('notes', { title: 'Tuesday', text: 'Quiet', color: '88c0a8' })
await create('rooms', { name: 'Lobby', category: 'Business' })
const room = await create('rooms', { name: 'General' })
await create('posts', { room: room.id, text: 'Hello' })
await create('posts', { title: 'Groceries', text: 'Milk, please.' })
const poll = await create('polls', { name: 'Move the desk?', options: [{ name: 'yes' }] })
await create('reminders', { name: 'Front check', kind: 'after_switch', after: 3_600, on: 'any' })
await archiveRows(system)
const other = await seedSystem(testServer, 'Harbour House')
const invite = (from: SeededSystem) =>
  from.ask<{ code: string }>('POST /ext/v1/friends/invites', { share: { see_members: true } })
const { id: friend } = await other.ask<{ id: string }>('POST /ext/v1/friends', {
  code: (await invite(system)).code,
  share: { see_members: true },
})
const { code: invitation } = await invite(other)
await system.ask('PATCH /web/preferences', { word: 'headmates' })
/** The word is not public, and the appearance page offers the default as a choice. */
const showsMembers = ['public page', 'page of a friend', 'invitation', 'appearance page']
const pages: [name: string, hash: string][] = [
  ['Now', 'now'],
  ['member list', 'members'],
  ['member page', `members/${wren}`],
  ['member form', `members/${wren}/edit`],
  ['group list', 'groups'],
  ['group page', `groups/${group.id}`],
  ['group form', `groups/${group.id}/edit`],
  ['field list', 'fields'],
  ['list of reminders', 'reminders'],
  ['note list', 'notes'],
  ['note', `notes/${note.id}`],
  ['note form', `notes/${note.id}/edit`],
  ['Chat page', 'chat'],
  ['board', 'chat/board/@system'],
  ['room', `chat/room/${room.id}`],
  ['poll', `chat/poll/${poll.id}`],
  ['history as days', 'history'],
  ['history as a list', 'history/list'],
  ['history as a month', 'history/month'],
  ['Insights page', 'insights'],
  ['Privacy page', 'privacy'],
  ['Friends page', 'friends'],
  ['page of a friend', `friends/${friend}`],
  ['invitation', `friend/${invitation}`],
  ['import and export page', 'import'],
  ['list of archived data', 'archive'],
  ['archived rows', 'archive/rows/polls'],
  ['preview of the conversion', 'archive/convert'],
  ['device list', 'devices'],
  ['appearance page', 'appearance'],
  ['system page', 'system'],
  ['system form', 'system/edit'],
  ['settings form', 'system/settings'],
  ['More page', 'more'],
  ['page for a new system', 'create'],
  ['public page', `systems/${system.hid}`],
  ['friend page', `watch/${encodeURIComponent(token)}`],
]

test.each(pages)(
  'the %s works with the keyboard, in narrow windows, with large text and another word for members',
  async (name, hash) => {
    const visitor = await openPage(browser, testServer, system, hash)
    const texts = await readAll(visitor.page)
    await walkByKeyboard(visitor)
    await visitor.page.setViewportSize(sizes.desk)
    await walkByKeyboard(visitor)
    texts.push(...(await readAll(visitor.page)))
    if (!showsMembers.includes(name))
      expect(texts.filter((text) => /\bmember/i.test(text))).toEqual([])
    await expectNoHorizontalScroll(visitor)
    await expectNoClippedText(visitor)
  },
)

/** Returns all texts of the page, including labels, placeholders and the title. */
async function readAll(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const texts = [document.title]
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walk.nextNode()) texts.push(walk.currentNode.textContent)
    for (const one of document.querySelectorAll('*'))
      for (const kind of ['aria-label', 'placeholder', 'alt', 'title'])
        if (one.hasAttribute(kind)) texts.push(one.getAttribute(kind))
    return texts
  })()`)) as string[]
}

/**
 * Reaches every control with Tab and expects a visible focus on each, except links that repeat a
 * reachable one, and tabs that the arrow keys reach.
 */
async function walkByKeyboard({ page }: Visitor): Promise<void> {
  const expected = Number(
    await page.evaluate(`
      const controls = 'a[href]:not([tabindex="-1"]), button:not([role=tab][tabindex="-1"]), input, select, textarea, summary'
      const isShown = (one) => one.checkVisibility({ visibilityProperty: true })
      const shown = [...document.querySelectorAll(controls)].filter(isShown)
      shown.forEach((one, at) => { one.dataset.walk = String(at) })
      document.activeElement.blur()
      shown.length`),
  )
  const reached = new Set<string>()
  for (let steps = 0; steps < expected * 4 && reached.size < expected; steps++) {
    await page.keyboard.press('Tab')
    const now = (await page.evaluate(`(() => {
      const one = document.activeElement
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      const box = one.getBoundingClientRect()
      const isVisible = box.bottom > 0 && box.top < innerHeight
      return { walk: one.dataset.walk ?? '', outline: outlineStyle + ' ' + outlineWidth, isVisible, html: one.outerHTML.slice(0, 120) }
    })()`)) as { walk: string; outline: string; isVisible: boolean; html: string }
    if (now.walk === '') continue
    reached.add(now.walk)
    expect([now.html, now.outline, now.isVisible]).toEqual([now.html, 'solid 3px', true])
  }
  expect(reached.size).toBe(expected)
}
