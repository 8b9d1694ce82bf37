import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from '../tools/test'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  startBrowser,
  storySizes,
  visit,
} from './tools/browser'
import { shareTestServer, startTestServer, type TestServer } from './tools/testServer'

const browser = await startBrowser()
const fixtures = join(import.meta.dir, '../formats/fixtures')

interface SystemJson {
  id: string
  name: string | null
  privacy: Record<string, string>
}

const readToken = (page: Page) => page.getByLabel('Your token').inputValue()
const setupLink = async ({ operate, server }: TestServer) => {
  const { url } = await operate<{ url: string }>('login', '--setup')
  return `${server.address}/${url.slice(url.indexOf('#'))}`
}

describe.each(storySizes())('on a %s', (size) => {
  test('the set-up link creates the first system privately, and imports a file', async () => {
    const testServer = await startTestServer(null)
    const link = await setupLink(testServer)
    const first = await visit(browser, size)
    await first.page.goto(testServer.server.address)
    await first.page.getByText('Nobody has a system here yet.').waitFor()

    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(link)
    await page.getByRole('heading', { name: 'Welcome to your new server' }).waitFor()
    expect(page.url()).not.toContain(link.split('/').at(-1) ?? '')
    await page.getByLabel('Name of the system').fill('Lantern Hill')
    const isPressed = (name: string) =>
      page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed')
    expect(await isPressed('Private')).toBe('true')
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByRole('heading', { name: 'Your system is ready' }).waitFor()
    const token = await readToken(page)
    await expectAccessible(visitor)
    const own = await testServer.ask<SystemJson>('GET /v2/systems/@me', undefined, token)
    expect(own.name).toBe('Lantern Hill')
    expect(new Set(Object.values(own.privacy))).toEqual(new Set(['private']))

    await page.getByRole('button', { name: 'Continue to import' }).click()
    await page.getByLabel('Choose a file').setInputFiles(join(fixtures, 'pluralkit.json'))
    await page.locator('.tallies').waitFor()
    expect(await page.getByLabel('Keep everything private').isChecked()).toBe(true)
    await expectAccessible(visitor)
    await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    const members = await testServer.ask<SystemJson[]>(
      'GET /v2/systems/@me/members',
      undefined,
      token,
    )
    expect(members.length).toBeGreaterThan(0)
    for (const { privacy } of members)
      expect(new Set(Object.values(privacy))).toEqual(new Set(['private']))
    const stranger = await fetch(`${testServer.server.address}/v2/systems/${own.id}/members`)
    expect(stranger.status).toBe(403)

    // The link works once.
    await first.page.goto(link)
    await first.page.getByText('This set-up link has already been used').waitFor()
    await expectAccessible(first)
  })

  test('the set-up link can be tried again when the server was away', async () => {
    const testServer = await startTestServer(null)
    const { page, context } = await visit(browser, size)
    await context.route('**/web/setup', (route) => route.abort())
    await page.goto(await setupLink(testServer))
    await page.getByText('Can’t reach the server.').waitFor()
    await context.unroute('**/web/setup')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Welcome to your new server' }).waitFor()
  })

  test('an open server asks who may see a system that starts empty', async () => {
    const testServer = await startTestServer('Somebody else', ['--web-registration', 'open'])
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(testServer.server.address)
    await page.getByRole('link', { name: 'Create a system' }).click()
    await page.getByRole('heading', { name: 'Create a system' }).waitFor()
    await page.getByLabel('Name of the system').fill('n'.repeat(200))
    await page.getByRole('button', { name: 'Start empty' }).click()
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByText('Choose who may see it.').waitFor()
    await page.getByRole('button', { name: 'Only who is here now' }).click()
    await page.getByText('Your lists and your history are private.').waitFor()
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByText('Too long: at most 100 characters.').waitFor()
    await expectAccessible(visitor)
    await page.getByLabel('Name of the system').fill('')
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByRole('heading', { name: 'Your system is ready' }).waitFor()
    const token = await readToken(page)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Wren')
    await page.getByRole('button', { name: 'Add your first member' }).click()
    await page.getByText('Wren was added.').first().waitFor()
    const ask = <T>(path: string) => testServer.ask<T>(`GET ${path}`, undefined, token)
    const { privacy } = await ask<SystemJson>('/v2/systems/@me')
    const open = Object.entries(privacy).filter(([, level]) => level === 'public')
    expect(open.map(([level]) => level)).toEqual(['front_privacy'])
    const [wren] = await ask<SystemJson[]>('/v2/systems/@me/members')
    expect(wren?.privacy.visibility).toBe('private')
  })

  test('a server by invite asks for the code, and a closed one says whom to ask', async () => {
    const testServer = await startTestServer('Somebody else', ['--web-registration', 'invite'])
    const { code } = await testServer.operate<{ code: string }>('invite', 'create', '--name', 'us')
    const visitor = await visit(browser, size)
    const { page } = visitor
    await page.goto(testServer.server.address)
    await page.getByText('New here? Ask them for an invite.').waitFor()
    await page.getByRole('link', { name: 'Create a system' }).click()
    await page.getByLabel('Invite code').fill('wrong')
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByText('This invite doesn’t work.').waitFor()
    await expectAccessible(visitor)
    await page.getByLabel('Invite code').fill(code)
    await page.getByRole('button', { name: 'Create system' }).click()
    await page.getByRole('heading', { name: 'Your system is ready' }).waitFor()

    const closed = await shareTestServer()
    await page.goto(closed.server.address)
    await page.getByText('New here? Ask them to create a system for you.').waitFor()
    expect(await page.getByRole('link', { name: 'Create a system' }).count()).toBe(0)
    await page.goto(`${closed.server.address}/#/create`)
    await page.getByText('Nobody can create a system here at the moment.').waitFor()
  })
})
