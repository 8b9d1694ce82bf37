import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import { startBrowser } from './tools/browser'
import { listedNames, type MemberJson } from './tools/memberPages'
import { shareTestServer } from './tools/testServer'
import { openDashboard, openPage, seedSystem, waitForPage } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()
const { address } = testServer.server

describe('a system with a thousand members', async () => {
  const system = await seedSystem(testServer, 'A Thousand')
  const names = Array.from({ length: 990 }, (_, at) => `Name ${String(at).padStart(3, '0')}`)
  await system.ask('POST /v2/systems/@me/import', {
    version: 2,
    members: names.map((name, at) => ({ id: `m${at}`, name })),
    switches: [],
  })
  await system.setSwitches([2, 'Wren'])

  test('reaches every member by scrolling and with the keyboard, none twice', async () => {
    const { page } = await openPage(browser, testServer, system, 'members')
    expect((await listedNames(page)).length).toBeLessThan(200)
    await page.getByText('997 members').waitFor()
    await until(async () => {
      await page.keyboard.press('End')
      return (await listedNames(page)).length >= 997
    })
    const listed = await listedNames(page)
    expect(listed.length).toBe(997)
    expect(new Set(listed).size).toBe(997)
    const last = page.locator('.members a').last()
    await last.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Wren', level: 1 }).waitFor()
    await page.goBack()
    await waitForPage(page)
    await until(async () => Number(await page.evaluate('scrollY')) > 5000)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(5000)
    expect(await page.locator('.members a').last().textContent()).toContain('Wren')
  })

  test('reaches the last member when a busy browser reports several scroll positions at once', async () => {
    const { page, context } = await openDashboard(browser, testServer, system)
    await context.addInitScript(`window.IntersectionObserver = class extends IntersectionObserver {
      constructor(report, options) {
        const changes = []
        super((latest, observer) => {
          changes.push(...latest)
          report(changes, observer)
        }, options)
      }
    }`)
    await page.goto(`${address}/?several#/members`)
    await page.getByText('997 members').waitFor()
    await until(async () => {
      await page.keyboard.press('End')
      return (await listedNames(page)).length >= 997
    })
  })

  test('searches a thousand members while typing, also on a slow machine', async () => {
    const { page } = await openPage(browser, testServer, system, 'members')
    const client = await page.context().newCDPSession(page)
    await client.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const field = page.getByLabel('Search')
    await field.focus()
    await page.keyboard.type('name 98')
    await page.locator('#said').getByText('19 found').waitFor({ state: 'attached' })
    const found = names.filter((name) => name.startsWith('Name 98'))
    expect((await listedNames(page)).slice(0, found.length)).toEqual(found)
  })

  test('shows a new member among a thousand in another browser without a reload', async () => {
    const { page } = await openDashboard(browser, testServer, system, 'desk')
    await page.goto(`${address}/#/members`)
    await page.getByText('997 members').waitFor()
    const created = await system.ask<MemberJson>('POST /v2/members', { name: 'Aaron' })
    await page.getByText('998 members').waitFor()
    expect((await listedNames(page))[0]).toBe('Aaron')
    await system.ask(`DELETE /v2/members/${created.id}`)
    await page.getByText('997 members').waitFor()
  })
})
