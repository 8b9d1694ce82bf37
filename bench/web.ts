import { parseArgs } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchBrowser, logIn } from './browser'
import { type SeededServer, startSeededServer } from './seededServer'

/** Measures the dashboard on a slow connection and a slow phone, with a thousand members. */

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    members: { type: 'string', default: '1000' },
  },
})

const MEMBERS = Number(flags.members)
const ROUNDS = Number(flags.rounds)
const SLOW_LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const SLOW_CPU = 4
const PHONE = { width: 390, height: 844 }

/** Records the time from each key to the end of the next frame. */
const WATCH_KEYS = `
  globalThis.keyTimes = []
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => setTimeout(() => globalThis.keyTimes.push(performance.now() - timeStamp)))
  }, true)
  undefined
`

interface Row {
  what: string
  budget: number
  times: number[]
  /** Value that is compared with the budget. */
  counts: 'median' | 'worst'
}

const rows = new Map<string, Row>()
const server = await startSeededServer('Thousand Lights')
const browser = await launchBrowser()
try {
  await fill(server)
  for (let round = 0; round < ROUNDS; round++) await measure(browser)
} finally {
  await browser.close()
  await server.end()
}
print([...rows.values()])

/** Imports members and switches. */
async function fill({ ask }: SeededServer): Promise<void> {
  const names = ['Wren', 'Iris', 'Moss', 'Jün', 'Jun', 'Atlas', 'Tide', 'Ember', 'Vesper', 'Sunny']
  const members = Array.from({ length: MEMBERS }, (_, at) => ({
    id: `m${at}`,
    name: `${names[at % names.length]} ${at}`,
    pronouns: 'they/them',
    color: ((at * 2_654_435_761) % 0xffffff).toString(16).padStart(6, '0'),
    description: 'Keeps the lamps, and likes rain. '.repeat(4),
  }))
  const switches = Array.from({ length: 500 }, (_, at) => ({
    timestamp: new Date(Date.now() - (at + 1) * 5_400_000).toISOString(),
    members: [`m${(at * 37) % Math.min(40, MEMBERS)}`],
  }))
  await ask('POST /v2/systems/@me/import', { version: 2, members, groups: [], switches })
}

async function measure(browser: Browser): Promise<void> {
  const context = await browser.newContext({
    viewport: PHONE,
    // Responses to local clients are not compressed.
    extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.7' },
  })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await logIn(page, server.address, server.token)
    const debug = await context.newCDPSession(page)
    await debug.send('Network.enable')
    await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU })

    await measureVisits(page, debug)
    await measureUse(page)
  } finally {
    await context.close()
  }
}

async function measureVisits(page: Page, debug: CDPSession): Promise<void> {
  await debug.send('Network.emulateNetworkConditions', SLOW_LINE)
  await debug.send('Network.clearBrowserCache')
  const first = await visit(page)
  addTime('first paint, slow line, first visit', 1800, first.painted)
  addTime(`${MEMBERS} members usable, slow line`, 2500, first.usable)
  const second = await visit(page)
  addTime('first paint, slow line, second visit', 1000, second.painted)
  await debug.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}

/** Returns the times until the first paint and until a member tile can be tapped. */
async function visit(page: Page): Promise<{ painted: number; usable: number }> {
  await page.goto('about:blank')
  await page.goto(server.address, { waitUntil: 'commit' })
  await page.locator('.tile').first().waitFor()
  return await page.evaluate(`(() => {
    const [painted] = performance.getEntriesByName('first-contentful-paint')
    return { painted: painted.startTime, usable: performance.now() }
  })()`)
}

async function measureUse(page: Page): Promise<void> {
  await page.waitForTimeout(1500)
  const opened = await timeUntilDrawn(page, '.places a[href="#/members"]', '.members li')
  addTime(`opening the list of ${MEMBERS}, CPU a quarter`, 300, opened)

  await page.evaluate(WATCH_KEYS)
  await page.getByLabel('Search').click()
  for (const key of [
    'j',
    'u',
    'n',
    ' ',
    '1',
    'Backspace',
    'Backspace',
    'Backspace',
    'm',
    'Backspace',
    'Backspace',
  ]) {
    await page.keyboard.press(key)
    await page.waitForTimeout(250)
  }
  for (const time of await page.evaluate<number[]>('globalThis.keyTimes')) {
    addTime('a key in its search, median', 100, time)
    addTime('a key in its search, worst', 300, time, 'worst')
  }

  await page.goto(`${server.address}/#/now`)
  await page.locator('.tile').first().click()
  const before = await page.locator('.here-now .name').allTextContents()
  const shown = await timeUntilDrawn(
    page,
    '.action-bar .main',
    `.here-now`,
    `one => ![...one.querySelectorAll('.name')].some(({ textContent }) => ${JSON.stringify(before)}.includes(textContent))`,
  )
  addTime('tap on Switch until it is shown, CPU a quarter', 100, shown)
  await page.waitForTimeout(500)
}

/** Returns the time from a tap to the frame that shows its effect. */
async function timeUntilDrawn(
  page: Page,
  tapped: string,
  awaited: string,
  is = 'one => true',
): Promise<number> {
  return await page.evaluate(`new Promise((resolve) => {
    const from = performance.now()
    document.querySelector(${JSON.stringify(tapped)}).click()
    const is = ${is}
    // Called before each frame: an element that exists by then is in this frame.
    const check = () => {
      const one = document.querySelector(${JSON.stringify(awaited)})
      if (!one || !is(one)) return requestAnimationFrame(check)
      setTimeout(() => resolve(performance.now() - from))
    }
    requestAnimationFrame(check)
  })`)
}

function addTime(
  what: string,
  budget: number,
  time: number,
  counts: Row['counts'] = 'median',
): void {
  const row = rows.get(what) ?? { what, budget, times: [], counts }
  row.times.push(time)
  rows.set(what, row)
}

function print(list: readonly Row[]): void {
  const lines = list.map(({ what, budget, times, counts }) => {
    const sorted = times.toSorted((a, b) => a - b)
    const of = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN
    const counted = counts === 'worst' ? of(1) : of(0.5)
    const isReached = counted <= budget ? 'reached' : 'not reached'
    return [what, counted, of(0), of(1), budget]
      .map((cell) => (typeof cell === 'number' ? `${cell.toFixed(0)} ms` : cell))
      .concat(isReached)
  })
  const table = [['what', 'time', 'least', 'most', 'budget', ''], ...lines]
  const widths = table[0]?.map((_, at) => Math.max(...table.map((line) => line[at]?.length ?? 0)))
  for (const line of table)
    console.log(
      `| ${line.map((cell, at) => (at === 0 ? cell.padEnd(widths?.[at] ?? 0) : cell.padStart(widths?.[at] ?? 0))).join(' | ')} |`,
    )
}
