import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  visit,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await shareTestServer()

describeDashboard(browser, testServer, ({ size, system, openPath }) => {
  test('logs in another device with a link and its QR code', async () => {
    const visitor = await openPath('devices')
    const { page } = visitor
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('img', { name: 'QR code of the login link' }).waitFor()
    const link = await page.getByLabel('Login link', { exact: true }).inputValue()
    expect(await decodePicture(page, '.qr')).toBe(link)
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
    expect(await decodePicture(page, '.qr')).toBe(link)
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)

    const other = await visit(browser, size)
    await other.page.goto(link)
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.getByRole('button', { name: 'Create another link' }).click()
    await until(async () => (await page.locator('#copied').inputValue()) !== link)
  })

  test('renames a browser, and shows why a name is refused', async () => {
    await system.ask('DELETE /web/sessions')
    const visitor = await openPath('devices')
    const { page } = visitor
    await page.getByRole('button', { name: /^Rename / }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('textbox', { name: 'Name' })
    expect(await field.inputValue()).toContain('Chrom')
    await expectAccessible(visitor)
    await field.fill('n'.repeat(101))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Too long: at most 100 characters.').waitFor()
    await field.fill('Kitchen tablet')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Kitchen tablet').waitFor()
    const [session] = await system.ask<{ name: string }[]>('GET /web/sessions')
    expect(session?.name).toBe('Kitchen tablet')
  })
})

/** Decodes the QR code in a picture of an element, as the camera of another device does. */
async function decodePicture(page: Page, selector: string): Promise<string> {
  const picture = await page.locator(selector).screenshot()
  // Another page, because this one allows no pictures from data.
  const reader = await page.context().newPage()
  const { width, height, lights } = (await reader.evaluate(`(async () => {
    const picture = await fetch('data:image/png;base64,${picture.toString('base64')}')
    const bitmap = await createImageBitmap(await picture.blob())
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const lights = Array.from({ length: width * height }, (_, at) => (data[at * 4] > 127 ? 1 : 0))
    return { width, height, lights: lights.join('') }
  })()`)) as { width: number; height: number; lights: string }
  await reader.close()
  const data = Uint8Array.from(
    [...lights].flatMap((light) => Array<number>(3).fill(Number(light) * 255)),
  )
  return decodeQR({ width, height, data }, { timeLimit: 10_000 })
}
