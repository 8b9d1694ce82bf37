import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser, logIn } from './browser'
import { seed, servePictures, startSeededServer } from './seededServer'

/** Takes the screenshots of the dashboard in docs/pictures, of an invented system. */

const folder = join(import.meta.dir, '../docs/pictures')
const MAX_KB = 200

const shots = [
  { name: 'now-phone', path: 'now', width: 390, height: 844, scale: 1.25, scheme: 'light' },
  { name: 'insights-desk', path: 'insights', width: 1200, height: 860, scale: 1, scheme: 'dark' },
] as const

/** Always about noon, so that screenshots of different runs differ only in changed features. */
const noon = new Date().setUTCHours(12, 13, 0, 0)
const now = noon < Date.now() ? noon : noon - 86_400_000

mkdirSync(folder, { recursive: true })
const pictures = servePictures()
const server = await startSeededServer('Lantern Hill')
const browser = await launchBrowser()
try {
  await seed(server, { pictures: pictures.address, days: 40, now })
  for (const { name, path: route, width, height, scale, scheme } of shots) {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: scheme,
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    const page = await context.newPage()
    await page.clock.setFixedTime(now)
    await logIn(page, server.address, server.token)
    await page.goto(`${server.address}/#/${route}`)
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    await page.waitForTimeout(1000)
    const path = join(folder, `${name}.png`)
    await page.screenshot({ path })
    const size = Math.ceil(Bun.file(path).size / 1024)
    console.log(`docs/pictures/${name}.png  ${size} KB`)
    if (size > MAX_KB) throw new Error(`${name}.png is larger than ${MAX_KB} KB`)
    await context.close()
  }
} finally {
  await browser.close()
  await server.end()
  pictures.stop()
}
