import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from '../tools/test'
import { expectAccessible, startBrowser, storySizes, visit } from './tools/browser'
import { startTestServer } from './tools/testServer'
import { logIn, seedSystem } from './tools/testSystem'

/** Connections of the page: login attempts, bots, a reverse proxy, hidden tabs. */
const browser = await startBrowser()
const proxy = await startProxy()
const testServer = await startTestServer('Somebody else', [
  '--trust-proxy',
  '1',
  '--public-url',
  `http://127.0.0.1:${proxy.port}/plural`,
])
proxy.forwardTo(testServer.server.address)

describe.each(storySizes())('on a %s', (size) => {
  test('refuses the sixth wrong token within a minute, but still accepts a right one', async () => {
    const alone = await startTestServer('Lantern Hill')
    const visitor = await visit(browser, size)
    const { page } = visitor
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/web/session') && response.request().method() === 'POST')
        statuses.push(response.status())
    })
    await page.goto(alone.server.address)
    for (let tries = 1; tries <= 6; tries++) {
      await page.getByLabel('Token').fill(`wrong ${tries}`)
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.getByRole('button', { name: 'Log in' }).click()
      await answered
      const message = tries < 6 ? 'That token doesn’t work here' : 'Too many attempts'
      await page.getByText(message).waitFor()
      expect(await page.getByLabel('Token').inputValue()).toBe(`wrong ${tries}`)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    await expectAccessible(visitor)
    await page.getByLabel('Token').fill(alone.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: /Lantern Hill/ }).waitFor()
  })

  test('shows the switch on Now that a bot logs with a proxied message', async () => {
    const bot = await testServer.operate<{ key: string }>('bot', 'create', '--name', `bot ${size}`)
    const asBot = <T>(line: string, body?: unknown) =>
      testServer.ask<T>(line, body, `Bot ${bot.key}`)
    const account = `10000000000000000${size.length}`
    const system = await asBot<{ system: { id: string }; token: string }>('POST /bot/systems', {
      account_id: account,
      name: 'Lantern Hill',
    })
    const askOwn = <T>(line: string, body?: unknown) => testServer.ask<T>(line, body, system.token)
    const wren = await askOwn<{ id: string }>('POST /v2/members', {
      name: 'Wren',
      proxy_tags: [{ prefix: 'w:', suffix: null }],
    })
    const moss = await askOwn<{ id: string }>('POST /v2/members', { name: 'Moss' })
    await askOwn('POST /v2/systems/@me/switches', { members: [moss.id] })
    await askOwn('PATCH /v2/systems/@me/settings', { proxy_switch: 'new' })
    const { page, consoleMessages } = await visit(browser, size)
    await logIn(page, testServer, system.token)
    await page.locator('.here-now').getByText('Moss').waitFor()
    await page.getByText('Live').waitFor({ state: 'attached' })

    const sender = { account_id: account, guild_id: '200000000000000001' }
    const channel = { ...sender, channel_id: '300000000000000001' }
    const decided = await asBot<{ action: string; member: { id: string } }>('POST /bot/proxy', {
      ...channel,
      content: 'w: hello',
    })
    expect([decided.action, decided.member.id]).toEqual(['proxy', wren.id])
    await asBot('POST /bot/messages', {
      id: `50000000000000000${size.length}`,
      original: `40000000000000000${size.length}`,
      sender: account,
      guild: channel.guild_id,
      channel: channel.channel_id,
      member: wren.id,
    })
    await page.locator('.here-now').getByText('Wren').waitFor()
    await page.locator('.here-now').getByText('Moss').waitFor({ state: 'detached' })
    expect(consoleMessages).toEqual([])
  })

  test('page, lazy scripts, API and stream work behind a proxy under /plural/', async () => {
    const system = await seedSystem(testServer, 'Lantern Hill')
    await system.setSwitches([5, 'Wren'])
    const visitor = await visit(browser, size)
    const { page } = visitor
    const strays: string[] = []
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/plural/')) strays.push(request.url())
    })
    await page.goto(`${proxy.address}/plural/`)
    await page.getByLabel('Token').fill(system.token)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await page.getByText('Live').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Moss', exact: true }).click()
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.getByText('Moss is here now.').first().waitFor()
    await system.log(0, 'Iris')
    await page.locator('.here-now').getByText('Iris').waitFor()
    // The script of the History page is loaded on demand.
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByRole('link', { name: 'Month' }).waitFor()
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Friends' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Sam')
    await page.getByRole('button', { name: 'Add link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(link).toStartWith(`${proxy.address}/plural/#/watch/`)
    const friend = await visit(browser, size)
    await friend.page.goto(link)
    await friend.page.locator('.here-now').getByText('Iris').waitFor()
    expect(strays).toEqual([])
    await page.getByRole('link', { name: 'More' }).click()
    await page.getByRole('link', { name: 'API page' }).click()
    await page.waitForURL(`${proxy.address}/plural/docs`)
    const manifest = await fetch(`${proxy.address}/plural/app.webmanifest`)
    expect(manifest.headers.get('content-type')).toBe('application/manifest+json')
    expect(strays).toEqual([])
  })

  test('a hidden tab closes its stream, and catches up when it is visible again', async () => {
    const system = await seedSystem(testServer, 'Lantern Hill')
    await system.setSwitches([5, 'Wren'])
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.clock.install()
    await logIn(page, testServer, system.token)
    await page.locator('.here-now').getByText('Wren').waitFor()
    await page.getByText('Live').waitFor({ state: 'attached' })
    const opened: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) opened.push(request.headers()['last-event-id'])
    })
    // Provides a last event ID to resume from.
    await system.log(0, 'Iris')
    await page.locator('.here-now').getByText('Iris').waitFor()

    await setHidden(page, true)
    await page.clock.fastForward(20_000)
    await system.log(0, 'Moss')
    await page.locator('.here-now').getByText('Moss').waitFor()
    await setHidden(page, false)

    // Visible again within thirty seconds: the stream stayed open.
    await setHidden(page, true)
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'))
    await page.clock.fastForward(31_000)
    await ended
    await page.getByText('Offline', { exact: true }).waitFor({ state: 'attached' })
    await system.log(0, 'Juno')
    await page.clock.fastForward(120_000)
    expect(await page.locator('.here-now').textContent()).not.toContain('Juno')
    expect(opened).toEqual([])

    await setHidden(page, false)
    await page.locator('.here-now').getByText('Juno').waitFor()
    await page.getByText('Live').waitFor({ state: 'attached' })
    expect(opened.length).toBe(1)
    expect(opened[0]).toMatch(/^\d+$/)
  })

  test('a hidden tab of a friend link closes its stream, too', async () => {
    const system = await seedSystem(testServer, 'Lantern Hill')
    await system.setSwitches([5, 'Wren'])
    const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
      name: 'Sam',
      scope: 'watch',
    })
    const { page } = await visit(browser, size)
    await page.clock.install()
    await page.goto(`${testServer.server.address}/#/watch/${encodeURIComponent(token)}`)
    await page.locator('.here-now').getByText('Wren').waitFor()
    await setHidden(page, true)
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/stream'))
    await page.clock.fastForward(31_000)
    await ended
    await system.log(0, 'Juno')
    await page.clock.fastForward(60_000)
    expect(await page.locator('.here-now').textContent()).not.toContain('Juno')
    await setHidden(page, false)
    await page.locator('.here-now').getByText('Juno').waitFor()
  })
})

/** Simulates that another tab comes to the front. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  `)
}

/** Starts a reverse proxy that serves only paths under /plural/. */
async function startProxy() {
  let target = ''
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const url = incoming.url ?? ''
    if (url === '/plural') return response.writeHead(308, { location: '/plural/' }).end()
    if (!url.startsWith('/plural/')) return response.writeHead(404).end()
    const forwarded = request(
      `${target}${url.slice('/plural'.length)}`,
      {
        method: incoming.method ?? 'GET',
        headers: {
          ...incoming.headers,
          'x-forwarded-for': incoming.socket.remoteAddress ?? '',
          'x-forwarded-proto': 'http',
        },
      },
      (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers)
        upstream.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    forwardTo(address: string) {
      target = address
    },
  }
}
