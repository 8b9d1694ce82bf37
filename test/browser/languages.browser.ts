import type { Page } from 'playwright-core'
import { describe, expect, test } from '../tools/test'
import { checkSizes, startBrowser, visit, waitForTitle } from './tools/browser'
import { checkStates } from './tools/checkStates'
import { createStates } from './tools/dashboardStates'
import { findOverflow } from './tools/findOverflow'
import { startTestServer } from './tools/testServer'
import { logIn, seedSystem } from './tools/testSystem'

/**
 * Languages: which one is chosen, that every text is translated, and that all fit on the page.
 * `colours.browser.ts` checks the German texts.
 */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const { address } = testServer.server
const all = await createStates(testServer, await startTestServer(null))
const { system, ids } = all

/** Words of data, and dates and units, which Intl formats. */
const data = [
  /Wren|Iris|Moss|Juno|Atlas|Ember|Jün|Fern|Asleep|Littles|Lantern Hill|Somebody else|Harbour House|Trusted friends|All friends|Close friends|\bFriends\b|Sam\b|Multitude/g,
  /she\/her|he\/they|they\/them|he\/him|she\/they|reddish|soon|aaaaa|zzzzz|system\.json/g,
  /Small ones|Lantern \w+|Keeper|Host|Green and|tall|music\.example\.org\/fern/g,
  /at work|A quiet evening\.|Rain\.|Milk, please\.|Done\.|Groceries|Quiet|morning\.|Hello\b/g,
  /Sable|Role|resting|\b(Oil|Wick|Gone)\b|Buy more|Trim it|Whose\?/g,
  /\b(Business|General|Lobby|yes|no)\b|Move the desk\?/g,
  /English|Deutsch|Atkinson|OpenDyslexic|UTC|https?:\/\/|Europe\/\w+|America\/\w+|Chrome on Linux|default/g,
  /\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?\b|\b[AP]M\b|\bat\b/g,
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

const MINUTE_MS = 60_000

test(
  'every text is in the catalogue, and fits in both sizes when it is a third longer',
  async () => {
    const found = await checkStates(browser, testServer, all, 'en-XA', async ({ page }) => {
      const texts = await readAll(page)
      expect(texts.some((text) => text.includes('['))).toBe(true)
      const missing = texts.map((text) => untranslated(text, ids)).filter(Boolean)
      return [...new Set(missing), ...(await checkSizes(page, () => findOverflow(page)))]
    })
    expect(found).toEqual({})
  },
  15 * MINUTE_MS,
)

test(
  'no page scrolls sideways from right to left in both sizes',
  async () => {
    const found = await checkStates(browser, testServer, all, 'ar-XB', async ({ page }) => {
      expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
      return await checkSizes(page, () => findOverflow(page))
    })
    expect(found).toEqual({})
  },
  15 * MINUTE_MS,
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
    const scripts: Promise<string>[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.text())
    })
    await page.goto(address)
    await page.getByRole('heading', { name: 'Willkommen zu Hause' }).waitFor()
    const texts = (await Promise.all(scripts)).join('')
    expect(texts).toContain('Willkommen zu Hause')
    expect(texts).not.toContain('Welcome home')
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
    await waitForTitle(page, 'Darstellung · Lantern Hill')
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
