import type { Page } from 'playwright-core'
import { describe, expect, test } from '../test'
import { type Size, startBrowser, startTestServer, type Visitor, visit } from './browser'
import { logIn, seedSystem, waitForPage } from './testSystem'

/** Languages: which one is chosen, that every text is translated, and that all fit on the page. */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const { address } = testServer.server
const system = await seedSystem(testServer, 'Lantern Hill')
await system.setSwitches([30, 'Moss'], [20, 'Juno', 'Iris'], [3, 'Wren', 'Iris'])
const group = await system.ask<{ id: string }>('POST /v2/groups', { name: 'Littles' })
await system.ask(`POST /v2/groups/${group.id}/members/add`, [system.idOf('Juno')])
const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
  name: 'Sam',
  scope: 'watch',
})
const wren = system.idOf('Wren')
const importFile = JSON.stringify({
  version: 2,
  members: [{ id: 'aaaaa', name: 'Fern', color: 'reddish', birthday: 'soon' }],
  switches: [],
})

/** Something to do on a page before it is looked at. Names are CSS, because the texts differ. */
type Step = (page: Page) => Promise<void>
const click =
  (...selectors: string[]): Step =>
  async (page) => {
    for (const selector of selectors) await page.locator(selector).first().click()
  }

const states: [name: string, hash: string, step?: Step][] = [
  ['login', 'login/'],
  ['used login link', 'login/used'],
  ['used set-up link', 'setup/used'],
  ['new system', 'create'],
  ['new system without an answer', 'create', click('.chip:nth-child(2)', 'form .main')],
  ['Now', 'now'],
  ['Now with a selection', 'now', click('.tile')],
  ['Now with a past time', 'now', click('.row .plain:nth-child(2)', '.earlier .chip:nth-child(4)')],
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
  ['Insights', 'insights'],
  [
    'Insights as tables',
    'insights',
    async (page) => {
      for (const chart of await page.locator('.chart').all())
        await chart.locator('header .plain').first().click()
    },
  ],
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

/** Opens the dashboard in a language, logged in. */
async function openIn(language: string, size: Size = 'phone'): Promise<Visitor> {
  const visitor = await visit(browser, size)
  await logIn(visitor.page, testServer, system.token)
  await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
  await visitor.page.evaluate(
    `localStorage.setItem('multitude-appearance', '${JSON.stringify({ language })}')`,
  )
  return visitor
}

async function show({ page }: Visitor, hash: string, step?: Step): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${address}/#/${hash}`)
  await waitForPage(page)
  await step?.(page)
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Words of data, and dates and units, which Intl formats. */
const data = [
  /Wren|Iris|Moss|Juno|Atlas|Ember|Jün|Fern|Littles|Lantern Hill|Somebody else|Sam\b|Multitude/g,
  /she\/her|he\/they|they\/them|he\/him|she\/they|reddish|soon|aaaaa|zzzzz|system\.json/g,
  /English|Deutsch|Atkinson|OpenDyslexic|UTC|https?:\/\/|Europe\/\w+|America\/\w+|Chrome on Linux|default/g,
  /\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?\b|\b[AP]M\b/g,
  /\b(Jan(uary)?|Feb(ruary)?|Mar(ch)?|Apr(il)?|May|June?|July?|Aug(ust)?|Sep(tember)?|Oct(ober)?|Nov(ember)?|Dec(ember)?)\b/g,
]

/** Returns what is left of a text outside brackets that is no data. */
function untranslated(text: string, ids: readonly string[]): string {
  let rest = text.replace(/[\u2068\u2069]/g, '')
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(/\[[^[\]]*\]/g, '')
  }
  for (const words of data) rest = rest.replace(words, '')
  for (const id of ids) rest = rest.replaceAll(id, '')
  return /\p{L}{2,}/u.test(rest) ? rest.trim() : ''
}

/** Returns all texts of the page, including labels, placeholders and the title. */
async function readAll(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const texts = [document.title]
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walk.nextNode())
      if (!walk.currentNode.parentElement.closest('code, kbd, datalist, noscript, .letter'))
        texts.push(walk.currentNode.textContent)
    for (const one of document.querySelectorAll('*'))
      for (const kind of ['aria-label', 'placeholder', 'alt', 'title'])
        if (one.hasAttribute(kind)) texts.push(one.getAttribute(kind))
    return texts
  })()`)) as string[]
}

/** Returns the elements that are wider than the page or whose text is cut off. */
async function findOverflow(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const wide = scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' px wide'] : []
    const cut = [...document.querySelectorAll('h1, h2, h3, p, dt, dd, label, button, legend, nav span, td, th')]
      .filter((one) => one.checkVisibility() && !one.closest('.unseen, .tile, .wide') && !one.matches('.unseen'))
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map((one) => one.outerHTML.slice(0, 160))
    return [...wide, ...cut]
  })()`)) as string[]
}

/** Shows every state in a language and returns what a check finds wrong, by state. */
async function checkStates(
  language: string,
  size: Size,
  check: (visitor: Visitor) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const inside = await openIn(language, size)
  const outside = await openIn(language, size)
  await outside.context.clearCookies()
  for (const [name, hash, step] of states) {
    const visitor = /^(login|setup|create)/.test(hash) ? outside : inside
    await show(visitor, hash, step)
    const problems = await check(visitor)
    if (problems.length > 0) found[name] = problems
  }
  expect([inside.consoleMessages, outside.consoleMessages]).toEqual([[], []])
  return found
}

const MINUTE_MS = 60_000

test(
  'every text is in the catalogue, and fits on a phone when it is a third longer',
  async () => {
    const ids = [system.hid, wren, group.id]
    const found = await checkStates('en-XA', 'phone', async ({ page }) => {
      const texts = await readAll(page)
      expect(texts.some((text) => text.includes('['))).toBe(true)
      const missing = texts.map((text) => untranslated(text, ids)).filter(Boolean)
      return [...new Set(missing), ...(await findOverflow(page))]
    })
    expect(found).toEqual({})
  },
  5 * MINUTE_MS,
)

test.each<Size>(['phone', 'desk'])(
  'no page scrolls sideways from right to left on a %s',
  async (size) => {
    const found = await checkStates('ar-XB', size, async ({ page }) => {
      expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
      return await findOverflow(page)
    })
    expect(found).toEqual({})
  },
  5 * MINUTE_MS,
)

test(
  'every German text fits on a phone',
  async () => {
    expect(await checkStates('de', 'phone', ({ page }) => findOverflow(page))).toEqual({})
  },
  5 * MINUTE_MS,
)

describe('the language of the page', () => {
  const openWith = async (locale: string) => {
    const context = await browser.newContext({ locale })
    const page = await context.newPage()
    await page.goto(address)
    await page.locator('h1').waitFor()
    return { page, context }
  }

  test.each([
    ['de-AT', 'de', 'Willkommen zu Hause'],
    ['en-GB', 'en', 'Welcome home'],
    ['fr-FR', 'en', 'Welcome home'],
  ])('is that of a browser in %s where there is one: %s', async (locale, expected, heading) => {
    const { page, context } = await openWith(locale)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(expected)
    await context.close()
  })

  test('downloads the texts of one language only', async () => {
    const context = await browser.newContext({ locale: 'de-DE' })
    const page = await context.newPage()
    const texts: string[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('.js')) texts.push(await response.text())
    })
    await page.goto(address)
    await page.getByRole('heading', { name: 'Willkommen zu Hause' }).waitFor()
    expect(texts.join('')).toContain('Willkommen zu Hause')
    expect(texts.join('')).not.toContain('Welcome home')
    await context.close()
  })

  test('is changed under Appearance at once, and kept after a reload', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.goto(`${address}/#/appearance`)
    const german = page.getByRole('button', { name: 'Deutsch' })
    await german.click()
    await page.getByRole('heading', { name: 'Darstellung' }).waitFor()
    expect(await german.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
    await page.reload()
    await page.getByRole('heading', { name: 'Darstellung' }).waitFor()
    expect(await page.locator('link[rel=manifest]').getAttribute('href')).toBe('app.de.webmanifest')
    expect(await page.title()).toBe('Darstellung · Lantern Hill')
    await page.goto(`${address}/#/history/month`)
    await page.getByText('So', { exact: true }).waitFor()
    const weekdays = await page.locator('.weekday').allTextContents()
    expect(weekdays.slice(0, 2)).toEqual(['Mo', 'Di'])
    expect(visitor.consoleMessages).toEqual([])
  })

  test('reads the settings and the address of earlier releases', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await page.goto(address)
    await page.evaluate(`localStorage.setItem('multitude-look', '{"theme":"night"}')`)
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${address}/#/look`)
    await page.getByRole('heading', { name: 'Appearance' }).waitFor()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('night')
    expect(
      await page.evaluate(`Object.keys(localStorage).filter((key) => /look|appearance/.test(key))`),
    ).toEqual(['multitude-appearance'])
  })

  test('isolates a name in another script from the sentence around it', async () => {
    const other = await seedSystem(testServer, 'שלום עולם')
    const visitor = await visit(browser)
    await logIn(visitor.page, testServer, other.token)
    const heading = visitor.page.locator('h1')
    await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
    expect(await heading.textContent()).toMatch(/, \u2068שלום עולם\u2069$/)
  })
})
