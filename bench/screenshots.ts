import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser, logIn } from './browser'
import { seed, servePictures, startSeededServer } from './seededServer'

/** Makes the pictures of the dashboard in docs/pictures, of an invented family. */

const folder = join(import.meta.dir, '../docs/pictures')
const MOST_KB = 200

const shots = [
  { name: 'now-phone', place: 'now', width: 390, height: 844, scale: 1.25, scheme: 'light' },
  { name: 'insights-desk', place: 'insights', width: 1200, height: 860, scale: 1, scheme: 'dark' },
] as const

/** Always about noon, so that the pictures differ in nothing but what has changed. */
const noon = new Date().setUTCHours(12, 13, 0, 0)
const now = noon < Date.now() ? noon : noon - 86_400_000

mkdirSync(folder, { recursive: true })
const pictures = servePictures()
const home = await startSeededServer('Lantern Hill')
const browser = await launchBrowser()
try {
  await seed(home, { pictures: pictures.address, days: 40, now })
  for (const { name, place, width, height, scale, scheme } of shots) {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: scheme,
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    const page = await context.newPage()
    await page.clock.setFixedTime(now)
    await logIn(page, home.address, home.token)
    await page.goto(`${home.address}/#/${place}`)
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    await page.waitForTimeout(1000)
    const path = join(folder, `${name}.png`)
    await page.screenshot({ path })
    const size = Math.ceil(Bun.file(path).size / 1024)
    console.log(`docs/pictures/${name}.png  ${size} KB`)
    if (size > MOST_KB) throw new Error(`${name}.png is larger than ${MOST_KB} KB`)
    await context.close()
  }
} finally {
  await browser.close()
  await home.end()
  pictures.stop()
}
