import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  expectNoSideways,
  expectNothingCut,
  type Size,
  startBrowser,
  startTestServer,
  type Visitor,
} from './browser'
import { arrive } from './memberPages'
import { openDashboard, seedSystem } from './testSystem'

/** What holds for every page: keyboards, large text, narrow windows, another word for members. */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else')
const { address } = testServer.server
const family = await seedSystem(testServer, 'Lantern Hill')
await family.begin([30, 'Moss'], [20, 'Juno', 'Iris'], [3, 'Wren', 'Iris'])
const group = await family.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
await family.ask(`POST /v2/groups/${group.id}/members/add`, [family.idOf('Juno')])
const { token } = await family.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
  name: 'Sam',
  scope: 'watch',
})
const wren = family.idOf('Wren')
const places: [name: string, hash: string][] = [
  ['Now', 'now'],
  ['list of members', 'members'],
  ['page of somebody', `members/${wren}`],
  ['form of somebody', `members/${wren}/edit`],
  ['list of groups', 'groups'],
  ['page of a group', `groups/${group.id}`],
  ['form of a group', `groups/${group.id}/edit`],
  ['history as days', 'history'],
  ['history as a list', 'history/list'],
  ['history as a month', 'history/month'],
  ['page of insights', 'insights'],
  ['page of privacy', 'privacy'],
  ['page of friends', 'friends'],
  ['page of import and export', 'import'],
  ['list of devices', 'devices'],
  ['page of the look', 'look'],
  ['page of the system', 'system'],
  ['form of the system', 'system/edit'],
  ['form of the settings', 'system/settings'],
  ['place for more', 'more'],
  ['public page', `systems/${family.hid}`],
  ['page of a friend', `watch/${encodeURIComponent(token)}`],
]

describe.each<Size>(['phone', 'desk'])('on a %s', (size) => {
  test.each(places)('the %s is for keyboards, narrow windows and large text', async (_, hash) => {
    const visitor = await openDashboard(browser, testServer, family, size)
    await go(visitor.page, hash)
    await walkByKeyboard(visitor)
    await expectNoSideways(visitor)
    await expectNothingCut(visitor)
  })

  test('another word for members is the word on every page, also in what is said aloud', async () => {
    await family.ask('PATCH /web/preferences', { word: 'headmates' })
    try {
      const { page } = await openDashboard(browser, testServer, family, size)
      const slips: string[] = []
      // A stranger is not told the word, and on Look the usual one is a choice.
      const others = places.filter(([name]) => !['public page', 'page of the look'].includes(name))
      for (const [name, hash] of others) {
        await go(page, hash)
        for (const text of await readAll(page))
          if (/member/i.test(text)) slips.push(`${name}: ${text}`)
      }
      expect(slips).toEqual([])
    } finally {
      await family.ask('PATCH /web/preferences', { word: 'members' })
    }
  })
})

/** As with a link from elsewhere: nothing of the page before is left. */
async function go(page: Page, hash: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${address}/#/${hash}`)
  await arrive(page)
}

/** Everything that is written, spoken or shown in the title. */
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

/** Every control gets the focus, in an order, seen by everyone, and lets it go. */
async function walkByKeyboard({ page }: Visitor): Promise<void> {
  const expected = Number(
    await page.evaluate(`
      const controls = 'a[href], button, input, select, textarea, summary'
      const shown = [...document.querySelectorAll(controls)].filter((one) => one.checkVisibility())
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
      const isSeen = box.bottom > 0 && box.top < innerHeight
      return { walk: one.dataset.walk ?? '', outline: outlineStyle + ' ' + outlineWidth, isSeen, what: one.outerHTML.slice(0, 120) }
    })()`)) as { walk: string; outline: string; isSeen: boolean; what: string }
    if (now.walk === '') continue
    reached.add(now.walk)
    expect([now.what, now.outline, now.isSeen]).toEqual([now.what, 'solid 3px', true])
  }
  expect(reached.size).toBe(expected)
}
