import { encodeQrCode } from '../../src/web/app/qrCode'
import { expect, test } from '../test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  startTestServer,
  visit,
} from './browser'
import { describeDashboard } from './testSystem'

const browser = await startBrowser()
const testServer = await startTestServer('Somebody else')

describeDashboard(browser, testServer, ({ size, system, openPath }) => {
  test('logs in another device with a link and its QR code', async () => {
    const visitor = await openPath('devices')
    const { page } = visitor
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('img', { name: 'QR code of the login link' }).waitFor()
    const link = await page.getByLabel('Login link', { exact: true }).inputValue()
    const drawn = await page.locator('svg.qr path').getAttribute('d')
    const code = encodeQrCode(link)
    if (!code) throw new Error('the link is too long')
    const modules = Array.from({ length: code.size ** 2 }, (_, at) => [
      at % code.size,
      Math.floor(at / code.size),
    ]).filter(([x = 0, y = 0]) => code.isDark(x, y))
    expect(drawn).toBe(modules.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join(''))
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)

    const other = await visit(browser, size)
    await other.page.goto(link)
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.getByRole('button', { name: 'Create another link' }).click()
    while ((await page.locator('#copied').inputValue()) === link) await Bun.sleep(50)
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
