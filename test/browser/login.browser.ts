import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  type Size,
  sizes,
  startBrowser,
  storySizes,
  visit,
  waitForTrue,
} from './tools/browser'
import { shareTestServer } from './tools/testServer'

const browser = await startBrowser()
const testServer = await shareTestServer('Lantern Hill')
const { address } = testServer.server

describe.each(storySizes())('on a %s', (size) => {
  test('shows the login page to an anonymous visitor, in light and dark mode', async () => {
    const visitor = await visit(browser, size)
    await visitor.page.goto(address)
    await visitor.page.getByRole('heading', { name: 'Welcome home' }).waitFor()
    await waitForTrue(visitor.page, 'document.activeElement.tagName === "H1"')
    await expectAccessible(visitor, { inDark: true })
  })

  test('logs in with a token and does not store it in the browser', async () => {
    const visitor = await visit(browser, size)
    const { page, context } = visitor
    await page.goto(address)
    await page.getByLabel('Token').fill(testServer.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: /Lantern Hill/ }).waitFor()
    const [cookie, ...others] = await context.cookies()
    expect(others).toEqual([])
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie])',
    )
    expect(stored).not.toContain(testServer.token)
    expect(testServer.server.output()).not.toContain(testServer.token)
    await expectAccessible(visitor)
    await page.reload()
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  test('shows at the field that a token is wrong, and keeps the input', async () => {
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(address)
    await page.getByLabel('Token').fill('not a token')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('That token doesn’t work here').waitFor()
    expect(await page.getByLabel('Token').inputValue()).toBe('not a token')
    await expectAccessible(visitor)
  })

  test('a login link asks first, works once, and is removed from the address bar', async () => {
    const visitor = await visit(browser, size)
    const { page } = visitor
    const { url } = await testServer.operate<{ url: string }>('login', testServer.hid)
    const link = `${address}/${url.slice(url.indexOf('#'))}`
    await page.goto(link)
    await page.getByRole('heading', { name: 'Log in as Lantern Hill?' }).waitFor()
    expect(page.url()).not.toContain(link.split('/').at(-1) ?? '')
    await expectAccessible(visitor)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: /Lantern Hill/ }).waitFor()

    const second = await visit(browser, size)
    await second.page.goto(link)
    await second.page.getByText('This link has already been used or has expired.').waitFor()
    await expectAccessible(second)
  })

  test('a friend link shows the fronters live until its token is deleted', async () => {
    const { token } = await testServer.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      name: `friend ${size}`,
      scope: 'watch',
    })
    const wren = await testServer.ask<{ id: string }>('POST /v2/members', { name: `Wren ${size}` })
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(`${address}/#/watch/${encodeURIComponent(token)}`)
    await page.getByRole('heading', { name: 'Lantern Hill' }).waitFor()
    await testServer.ask('POST /v2/systems/@me/switches', { members: [wren.id] })
    await page.getByText(`Wren ${size}`).waitFor()
    await expectAccessible(visitor)
    await testServer.ask(`DELETE /v2/systems/@me/tokens/friend%20${size}`)
    await page.getByText('This link no longer works').waitFor()
    await expectAccessible(visitor)
  })
})

/** Places of controls, which depend on the size. */
describe.each<Size>(['phone', 'desk'])('the layout on a %s', (size) => {
  test('keeps the form in its place when the offer to create a system is loaded late', async () => {
    const { page, context } = await visit(browser, size)
    const held = Promise.withResolvers<void>()
    await context.route('**/web/registration', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(address)
    // Another font changes the height of the lines.
    await waitForTrue(page, 'document.fonts.size > 0')
    const place = () => page.getByLabel('Remember this device').boundingBox()
    const before = await place()
    held.resolve()
    await page.getByText('New here?').waitFor()
    expect(await place()).toEqual(before)
  })

  test('shows each next step of the first switch without scrolling: login link, member, Switch', async () => {
    const name = `Reed ${size}`
    const reed = await testServer.ask<{ id: string }>('POST /v2/members', { name })
    const { page } = await visit(browser, size)
    const { url } = await testServer.operate<{ url: string }>('login', testServer.hid)
    await page.goto(`${address}/${url.slice(url.indexOf('#'))}`)
    const bar = size === 'phone' ? 70 : 0
    const path = [/^Log in/, name, /^Switch to/]
    for (const step of path) {
      const button = page.getByRole('button', { name: step, exact: true })
      await button.waitFor()
      const box = await button.boundingBox()
      // Visible without scrolling, and not covered by the navigation bar.
      expect(box?.y).toBeGreaterThan(0)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(sizes[size].height - bar)
      // At most one button is filled, and it is the next step.
      const filled = await page.locator('button.main').allTextContents()
      if (step !== name) expect(filled.filter((text) => !text.match(step))).toEqual([])
      await button.click()
    }
    await page.getByText(`${name} is here now.`).first().waitFor()
    const fronters = async () => {
      const path = 'GET /v2/systems/@me/fronters'
      const now = await testServer.ask<{ members: { id: string }[] } | null>(path)
      return now?.members.map(({ id }) => id) ?? []
    }
    // The switch is shown before the server has it.
    await until(async () => (await fronters())[0] === reed.id)
    expect(await fronters()).toEqual([reed.id])
    await testServer.ask(`DELETE /v2/members/${reed.id}`)
  })
})

describe('a page on another port of the same machine', () => {
  test('a page on another port cannot write with the session cookie', async () => {
    const page = await visitLoggedIn()
    await openPageOnAnotherPort(page)
    const outcome = await page.evaluate(async (target) => {
      const response = await fetch(`${target}/v2/members`, {
        method: 'POST',
        mode: 'no-cors',
        credentials: 'include',
        body: JSON.stringify({ name: 'Intruder' }),
      })
      return response.type
    }, numericAddress)
    expect(outcome).toBe('opaque')
    const members = await testServer.ask<{ name: string }[]>('GET /v2/systems/@me/members')
    expect(members.map(({ name }) => name)).not.toContain('Intruder')
    const refused = '"method":"POST","path":"/v2/members","status":401'
    await until(() => testServer.server.output().includes(refused))
  })

  test('a page on another port cannot make the server act as another system by planting its cookie', async () => {
    const other = await testServer.operate<{ token: string }>('system', 'create', '--name', 'Other')
    const login = await fetch(`${address}/web/session`, {
      method: 'POST',
      body: JSON.stringify({ token: other.token }),
    })
    const [planted = ''] = login.headers.getSetCookie()[0]?.split(';') ?? []
    const page = await visitLoggedIn()
    const getOwnSystem = () =>
      page.evaluate(async () => {
        const response = await fetch('/v2/systems/@me')
        const { name } = (await response.json()) as { name?: string }
        return [response.status, name]
      })
    expect(await getOwnSystem()).toEqual([200, 'Lantern Hill'])
    await openPageOnAnotherPort(page)
    await page.evaluate(`document.cookie = '${planted}; path=/v2'`)
    // Without a script of its own, so that only this test sends requests.
    await page.goto(`${numericAddress}/health`)
    expect(await getOwnSystem()).toEqual([401, undefined])
  })

  const numericAddress = address.replace('localhost', '127.0.0.1')

  async function visitLoggedIn(): Promise<Page> {
    const { page } = await visit(browser)
    await page.goto(numericAddress)
    await page.getByLabel('Token').fill(testServer.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: /Lantern Hill/ }).waitFor()
    return page
  }

  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
  })
  afterAll(() => other.stop(true))

  const openPageOnAnotherPort = (page: Page) => page.goto(`http://127.0.0.1:${other.port}/`)
})
