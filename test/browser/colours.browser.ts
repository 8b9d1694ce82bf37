import type { Page } from 'playwright-core'
import { expect, test } from '../tools/test'
import {
  checkSizes,
  findSmallTargets,
  findViolations,
  findViolationsInDark,
  startBrowser,
} from './tools/browser'
import { checkStates } from './tools/checkStates'
import { createStates } from './tools/dashboardStates'
import { findOverflow } from './tools/findOverflow'
import { startTestServer } from './tools/testServer'

/** Every page, sheet and state in German, in both sizes, in light, dark and forced colours. */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const all = await createStates(testServer, await startTestServer(null))

const MINUTE_MS = 60_000

test(
  'every page is accessible in light, dark and forced colours, and every German text fits',
  async () => {
    const found = await checkStates(browser, testServer, all, 'de', ({ page }) =>
      checkSizes(page, async () => {
        const problems = [
          ...(await findViolations(page)),
          ...(await findViolationsInDark(page)),
          ...(await findSmallTargets(page)),
          ...(await findOverflow(page)),
        ]
        await page.emulateMedia({ forcedColors: 'active' })
        const forced = [
          ...(await findViolations(page, ['color-contrast'])),
          ...(await findControlsWithoutEdge(page)),
        ]
        await page.emulateMedia({ forcedColors: 'none' })
        return [...problems, ...forced.map((one) => `forced colours: ${one}`)]
      }),
    )
    expect(found).toEqual({})
  },
  15 * MINUTE_MS,
)

/** Returns controls that only a background sets apart, which forced colours remove. */
async function findControlsWithoutEdge(page: Page): Promise<string[]> {
  return (await page.evaluate(`
    [...document.querySelectorAll('button, .chip, .button, input, select, textarea, summary')]
      .filter((one) => one.checkVisibility() && !one.closest('.unseen') && !one.matches('.skip, [type=file]'))
      .filter((one) => !['checkbox', 'radio'].includes(one.type))
      .filter((one) => parseFloat(getComputedStyle(one).borderTopWidth) === 0)
      .map((one) => 'no edge: ' + one.outerHTML.slice(0, 160))
  `)) as string[]
}
