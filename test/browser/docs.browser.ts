import type { Page } from 'playwright-core'
import { expect, withTimeout } from '../tools/test'
import { until } from '../tools/until'
import { startBrowser, visit } from './tools/browser'
import { shareTestServer, startTestServer } from './tools/testServer'

const browser = await startBrowser()
const testServer = await shareTestServer('Lantern Hill')
const { address } = testServer.server

/** Swagger UI builds the whole page at once, which takes long while the processor is busy. */
const { test } = withTimeout(300_000)

test('the API page renders, authorizes and sends requests under its content security policy', async () => {
  const { page, consoleMessages } = await visit(browser, 'desk')
  await page.goto(`${address}/docs`)
  await page.getByRole('heading', { name: /^Multitude/ }).waitFor()
  expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px')

  await page.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.locator('.dialog-ux')
  await dialog.locator('input').first().fill(testServer.token)
  await dialog.getByRole('button', { name: 'Apply credentials' }).first().click()
  await dialog.getByRole('button', { name: 'Remove authorization' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  expect(await tryOut(page, 'getSystem', { systemRef: '@me' })).toContain('Lantern Hill')
  expect(await tryOut(page, 'createMember', { body: '{ "name": "Wren" }' })).toContain('Wren')
  expect(consoleMessages).toEqual([])
})

test('the API page sends requests to the public address when it is opened at another one', async () => {
  const named = await startTestServer('Cedar Row', ['--public-url', address])
  const { page, consoleMessages } = await visit(browser, 'desk')
  await page.goto(`${named.server.address}/docs`)
  expect(await tryOut(page, 'getSystem', { systemRef: testServer.hid })).toContain('Lantern Hill')
  expect(consoleMessages).toEqual([])
})

test('a page on another port cannot show the API page in a frame', async () => {
  using other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(`<!doctype html><iframe src="${address}/docs"></iframe>`, {
        headers: { 'content-type': 'text/html' },
      }),
  })
  const { page, consoleMessages } = await visit(browser)
  await page.goto(`http://127.0.0.1:${other.port}/`)
  expect(await page.frameLocator('iframe').locator('#swagger-ui').count()).toBe(0)
  await until(() => consoleMessages.join().includes('frame-ancestors'))
})

/** Sends a request as “Try it out” does, and returns the response as the page shows it. */
async function tryOut(page: Page, id: string, values: Record<string, string>): Promise<string> {
  await page.getByPlaceholder('Filter by tag').fill(id)
  const operation = page.locator(`[id$="-${id}"]`)
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  const { body, ...parameters } = values
  for (const [name, value] of Object.entries(parameters))
    await operation.locator(`[data-param-name="${name}"] input`).fill(value)
  if (body !== undefined) await operation.locator('textarea.body-param__text').fill(body)
  await operation.getByRole('button', { name: 'Execute' }).click()
  const response = operation.locator('.live-responses-table')
  await response.getByText('200', { exact: true }).waitFor()
  return (await response.allTextContents()).join()
}
