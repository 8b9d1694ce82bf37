import type { Page } from 'playwright-core'
import { expect, test } from '../test'
import { findViolations, type Size, startBrowser, startTestServer } from './browser'
import { checkStates, createStates } from './dashboardStates'

/** Every page, sheet and state in light, dark and forced colours. */
const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
const all = await createStates(testServer, await startTestServer(null))

const MINUTE_MS = 60_000

test.each<Size>(['phone', 'desk'])(
  'every page is accessible in light, dark and forced colours on a %s',
  async (size) => {
    const found = await checkStates(
      browser,
      testServer,
      all,
      { language: 'en', size },
      async ({ page }) => {
        const problems = await findViolations(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        const inDark = await findViolations(page, ['color-contrast'])
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
        const forced = [
          ...(await findViolations(page, ['color-contrast'])),
          ...(await findControlsWithoutEdge(page)),
        ]
        await page.emulateMedia({ forcedColors: 'none' })
        return [
          ...problems,
          ...inDark.map((one) => `dark: ${one}`),
          ...forced.map((one) => `forced colours: ${one}`),
        ]
      },
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
