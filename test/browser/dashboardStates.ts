import type { Browser, Page } from 'playwright-core'
import { type Size, type TestServer, type Visitor, visit } from './browser'
import { logIn, seedSystem, waitForPage } from './testSystem'

/** Every page, sheet and state of the dashboard, for checks that apply to all of them. */

/** Something to do on a page before it is looked at. Names are CSS, because the texts differ. */
type Step = (page: Page) => Promise<void>

/** The address is a hash, or a URL of another server. Requests to `refused` get no answer. */
export type DashboardState = [
  name: string,
  address: string,
  step?: Step | undefined,
  refused?: string,
]

const click =
  (...selectors: string[]): Step =>
  async (page) => {
    for (const selector of selectors) await page.locator(selector).first().click()
  }

const DAY_MS = 86_400_000

const importFile = JSON.stringify({
  version: 2,
  members: [{ id: 'aaaaa', name: 'Fern', color: 'reddish', birthday: 'soon', created: 'soon' }],
  switches: [
    { timestamp: 'soon', members: ['aaaaa'] },
    { timestamp: '2021-01-01T00:00:00Z', members: 'aaaaa' },
    { timestamp: '2021-01-02T00:00:00Z', members: ['zzzzz'] },
  ],
})

/** Fills a system and lists the states that show it. */
export async function createStates(testServer: TestServer, emptyServer: TestServer) {
  const system = await seedSystem(testServer, 'Lantern Hill')
  await system.setSwitches([30, 'Moss'], [20, 'Juno', 'Iris'], [3, 'Wren', 'Iris'])
  const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
  await system.ask(`POST /v2/groups/${group.id}/members/add`, [system.idOf('Juno')])
  const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    name: 'Sam',
    scope: 'watch',
  })
  const iris = await system.ask<{ uuid: string }>(`GET /v2/members/${system.idOf('Iris')}`)
  await system.ask('PATCH /web/preferences', { pinned: [iris.uuid] })
  const wren = system.idOf('Wren')
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  const { url } = await emptyServer.operate<{ url: string }>('login', '--setup')
  const setupLink = `${emptyServer.server.address}/${url.slice(url.indexOf('#'))}`
  const states: DashboardState[] = [
    ['login', 'login/'],
    ['used login link', 'login/used'],
    ['login link without an answer', 'login/code', undefined, '**/web/login'],
    ['set-up', setupLink],
    ['used set-up link', 'setup/used'],
    ['new system', 'create'],
    ['new system without an answer', 'create', click('.chip:nth-child(2)', 'form .main')],
    ['Now', 'now'],
    ['Now with a selection', 'now', click('.tile')],
    [
      'Now with a past time',
      'now',
      click('.row .plain:nth-child(2)', '.earlier .chip:nth-child(4)'),
    ],
    ['Now with a search', 'now', click('.heading .plain')],
    ['shortcut help', 'now', (page) => page.keyboard.press('?')],
    ['member list', 'members'],
    ['selection of members', 'members', click('.heading .plain', '.members input')],
    [
      'privacy sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button'),
    ],
    [
      'groups sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button:nth-child(2)'),
    ],
    [
      'deletion sheet',
      'members',
      click('.heading .plain', '.members input', '.selecting .row button:nth-child(3)'),
    ],
    ['sheet for a new member', 'members', click('.heading .main')],
    ['member page', `members/${wren}`],
    ['page of a pinned member', `members/${system.idOf('Iris')}`],
    ['public view of a member', `members/${wren}`, click('.halves button:nth-child(2)')],
    [
      'member form',
      `members/${wren}/edit`,
      click('.fold:nth-of-type(2) summary', '.fold:nth-of-type(3) summary'),
    ],
    ['unknown member', 'members/zzzzz'],
    ['group list', 'groups'],
    ['sheet for a new group', 'groups', click('.heading .main')],
    ['group page', `groups/${group.id}`],
    ['members of a group', `groups/${group.id}`, click('.head .main')],
    ['group form', `groups/${group.id}/edit`],
    ['history as days', 'history'],
    ['history as a table', 'history', click('.days .plain')],
    ['history as a list', 'history/list'],
    ['switch sheet', 'history/list', click('.switches .round')],
    ['sheet for a past switch', 'history', click('.heading button')],
    ['history as a month', 'history/month'],
    ['history of a day', `history/day?date=${yesterday}&time=12:00`],
    ['Insights', 'insights'],
    [
      'Insights as tables',
      'insights',
      async (page) => {
        for (const chart of await page.locator('.chart').all())
          await chart.locator('header .plain').first().click()
      },
    ],
    ['figures that could not be loaded', 'insights', undefined, '**/fronting/**'],
    ['custom period', 'insights', click('.chips .chip:nth-child(6)')],
    ['Privacy', 'privacy', click('.card .chips:last-of-type .chip:last-of-type')],
    [
      'Privacy of hidden members',
      'privacy',
      click('section[aria-labelledby=many] fieldset:last-of-type .chip:nth-child(3)'),
    ],
    ['Friends', 'friends'],
    ['question about a link', 'friends', click('.things .danger')],
    ['import and export', 'import'],
    [
      'import preview',
      'import',
      async (page) => {
        const file = {
          name: 'system.json',
          mimeType: 'application/json',
          buffer: Buffer.from(importFile),
        }
        await page.locator('input[type=file]').setInputFiles(file)
        await page.locator('.tallies').waitFor()
        for (const fold of await page.locator('.folds summary').all()) await fold.click()
      },
    ],
    ['device list', 'devices'],
    [
      'link for another device',
      'devices',
      async (page) => {
        await page.locator('section[aria-labelledby=another-device] button').click()
        await page.locator('.qr').waitFor()
      },
    ],
    ['name of a device', 'devices', click('.things li button')],
    ['question about a token', 'devices', click('.things .danger')],
    ['appearance', 'appearance'],
    ['system page', 'system'],
    [
      'refused webhook',
      'system',
      async (page) => {
        await page.locator('#webhook-address').fill('http://example.com/')
        await page.locator('section[aria-labelledby=webhook] form button').click()
        await page.locator('#webhook-problem:not(:empty)').waitFor()
      },
    ],
    ['system form', 'system/edit'],
    [
      'settings form',
      'system/settings',
      click('.fold:nth-of-type(3) summary', '.fold:nth-of-type(4) summary'),
    ],
    ['More', 'more'],
    ['public page', `systems/${system.hid}`],
    ['public sheet of a member', `systems/${system.hid}`, click('.tile')],
    ['unknown public page', 'systems/zzzzz'],
    ['friend page', `watch/${encodeURIComponent(token)}`],
  ]
  return { system, ids: [system.hid, wren, group.id], states }
}

/** Opens the dashboard in a language, logged in. */
export async function openIn(
  browser: Browser,
  testServer: TestServer,
  token: string,
  language: string,
  size: Size = 'phone',
): Promise<Visitor> {
  const visitor = await visit(browser, size)
  await logIn(visitor.page, testServer, token)
  await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
  await visitor.context.addInitScript(
    `if (location.protocol !== 'about:')
       localStorage.setItem('multitude-appearance', '${JSON.stringify({ language })}')`,
  )
  return visitor
}

/** Shows every state in a language and returns what a check finds wrong, by state. */
export async function checkStates(
  browser: Browser,
  testServer: TestServer,
  { system, states }: Awaited<ReturnType<typeof createStates>>,
  { language, size }: { language: string; size: Size },
  check: (visitor: Visitor) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const inside = await openIn(browser, testServer, system.token, language, size)
  const outside = await openIn(browser, testServer, system.token, language, size)
  await outside.context.clearCookies()
  for (const [name, address, step, refused] of states) {
    const visitor = /^(login|setup|create|http)/.test(address) ? outside : inside
    const { page } = visitor
    await page.goto('about:blank')
    if (refused !== undefined) await page.route(refused, (route) => route.abort())
    const isHash = !address.startsWith('http')
    await page.goto(isHash ? `${testServer.server.address}/#/${address}` : address)
    await waitForPage(page)
    await step?.(page)
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    const problems = await check(visitor)
    problems.push(...visitor.consoleMessages.splice(0))
    if (problems.length > 0) found[name] = problems
    if (refused !== undefined) await page.unroute(refused)
  }
  return found
}
