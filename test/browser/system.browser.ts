import { afterAll, expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  disconnect,
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  restoreNetwork,
  startBrowser,
  waitForTitle,
} from './tools/browser'
import { startTestServer } from './tools/testServer'
import { describeDashboard } from './tools/testSystem'

const browser = await startBrowser()
const testServer = await startTestServer('Somebody else', ['--dispatch-allow', '127.0.0.1'])

describeDashboard(browser, testServer, ({ size, system, openNow }) => {
  const open = async () => {
    const visitor = await openNow()
    await visitor.page.getByRole('link', { name: 'More' }).click()
    await visitor.page.getByRole('link', { name: 'System' }).click()
    await visitor.page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
    return visitor
  }

  test('the System page is accessible in light and dark mode', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await waitForTitle(page, 'System')
    await expectAccessible(visitor, { inDark: true })
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await expectAccessible(visitor, { inDark: true })
    await expectNoHorizontalScroll(visitor)
    await page.getByRole('link', { name: /^Back/ }).click()
    await page.getByRole('button', { name: 'Change settings' }).click()
    for (const fold of ['New members and groups', 'Shown by bots'])
      await page.getByText(fold).click()
    await expectAccessible(visitor, { inDark: true })
    await expectNoHorizontalScroll(visitor)
  })

  test('saves name, tag, colour and description of the system, with problems at their fields', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Lantern Hill & Friends')
    await page.getByRole('textbox', { name: 'Tag' }).fill('x'.repeat(80))
    await page.getByRole('textbox', { name: 'Colour' }).fill('violet')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#problem-tag').getByText('Too long: at most 79 characters.').waitFor()
    await page.locator('#problem-color').getByText('Must be six hexadecimal digits').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('textbox', { name: 'Tag' }).fill('| Hill')
    await page.getByRole('textbox', { name: 'Colour' }).fill('f2b632')
    await page.getByRole('textbox', { name: 'Description' }).fill('A **hill**.')
    await page.getByRole('switch', { name: /^Description/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lantern Hill & Friends' }).waitFor()
    await page.getByText('| Hill').waitFor()
    const saved = await system.ask<Record<string, unknown>>('GET /v2/systems/@me')
    expect(saved).toMatchObject({
      name: 'Lantern Hill & Friends',
      tag: '| Hill',
      color: 'f2b632',
      description: 'A **hill**.',
      privacy: { description_privacy: 'private', name_privacy: 'public' },
    })
    await system.ask('PATCH /v2/systems/@me', {
      name: 'Lantern Hill',
      privacy: { description_privacy: 'public' },
    })
    await page.getByRole('heading', { name: 'Lantern Hill', exact: true }).waitFor()
  })

  test('asks before leaving the system form, and lists fields changed by another client', async () => {
    const visitor = await open()
    const { page } = visitor
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Pronouns' }).fill('we')
    await system.ask('PATCH /v2/systems/@me', { pronouns: 'they', tag: `| ${size}` })
    await page.getByText('Changed elsewhere: pronouns.').waitFor()
    await expectAccessible(visitor)
    await page.getByRole('button', { name: /^Keep mine.*Pronouns/ }).click()
    await page.getByRole('button', { name: /^Take theirs.*Tag/ }).click()
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByRole('textbox', { name: 'Pronouns' }).inputValue()).toBe('we')
    expect(await page.getByRole('textbox', { name: 'Tag' }).inputValue()).toBe(`| ${size}`)
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    expect(await system.ask('GET /v2/systems/@me')).toMatchObject({ pronouns: 'they' })
  })

  test('saves settings, and applies the time zone at once', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Change settings' }).click()
    await page.getByLabel('Time zone').fill('Mars/Olympus')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#problem-timezone').getByText('Must be a time zone name').waitFor()
    await page.getByLabel('Time zone').fill('Pacific/Auckland')
    await page.getByLabel('When a message is proxied').selectOption('Add them alongside')
    await page.getByLabel('Autoproxy latch timeout').selectOption('12 h')
    await page.getByLabel('Case-sensitive proxy tags').uncheck()
    await page.getByText('New members and groups').click()
    await page.getByLabel('Template 1').fill('Likes: ')
    await page.getByLabel('Template 2').fill('Age: ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Pacific/Auckland').waitFor()
    expect(await system.ask<Record<string, unknown>>('GET /v2/systems/@me/settings')).toMatchObject(
      {
        timezone: 'Pacific/Auckland',
        proxy_switch: 'add',
        latch_timeout: 12 * 3600,
        case_sensitive_proxy_tags: false,
        description_templates: ['Likes: ', 'Age: '],
      },
    )
    await system.ask('PATCH /v2/systems/@me/settings', { timezone: 'UTC' })
  })

  test('registers, verifies, tests, shows and removes a webhook', async () => {
    const receiver = startReceiver()
    const visitor = await open()
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Webhook' })
    await card.getByLabel('Address').fill('not an address')
    await card.getByRole('button', { name: 'Add webhook' }).click()
    await card.getByText('Must be an absolute http or https address.').waitFor()
    await card.getByLabel('Address').fill('http://no-such-host.invalid/')
    await card.getByRole('button', { name: 'Add webhook' }).click()
    await card.getByText('This host name has no address.').waitFor()
    await expectAccessible(visitor)
    await card.getByLabel('Address').fill(receiver.address)
    await card.getByRole('button', { name: 'Add webhook' }).click()
    receiver.token = await card.getByLabel('Signing token').inputValue()
    expect(receiver.token.length).toBeGreaterThan(16)
    await card.getByText('Not verified yet').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await card.getByRole('button', { name: 'Verify' }).click()
    await card.getByText('Active: every event is sent.').waitFor()
    await card.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The receiver answered 200.').first().waitFor()
    await system.ask('PATCH /v2/systems/@me', { tag: `| ${Date.now()}` })
    await until(() => receiver.received.includes('UPDATE_SYSTEM'))
    // The delivery is recorded after the answer of the receiver.
    const webhook = () => system.ask('GET /v2/systems/@me/webhook')
    await until(async () => JSON.stringify(await webhook()).includes('UPDATE_SYSTEM'))
    await page.reload()
    await card.getByRole('cell', { name: 'UPDATE_SYSTEM' }).first().waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await card.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await card.getByText('No webhook yet.').waitFor()
    expect(await system.ask('GET /v2/systems/@me/webhook')).toMatchObject({ state: 'none' })
  })

  test('links an account with a code created by a token, and shows it without a reload', async () => {
    const bot = await testServer.operate<{ key: string }>(
      ...['bot', 'create', '--name', `matrix ${size}`, '--platform', 'matrix'],
    )
    const visitor = await open()
    const { page } = visitor
    const card = page.getByRole('region', { name: 'Linked accounts' })
    await card.getByText('No accounts yet.').waitFor()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/link-code')) sent.push(request.method())
    })
    await card.getByLabel('Token').fill('wrong')
    await card.getByRole('button', { name: 'Get a code' }).click()
    await card.getByText('That token doesn’t work here').waitFor()
    await card.getByLabel('Token').fill(testServer.token)
    await card.getByRole('button', { name: 'Get a code' }).click()
    await card.getByText('This token belongs to another system.').waitFor()
    expect(sent).toEqual([])
    await card.getByLabel('Token').fill(system.token)
    await card.getByRole('button', { name: 'Get a code' }).click()
    const code = await card.getByLabel('Code').inputValue()
    expect(code).toMatch(/^\w{8}$/)
    expect(await card.getByLabel('Token').inputValue()).toBe('')
    await expectAccessible(visitor)
    await testServer.ask(
      'POST /bot/link',
      { account_id: `@wren.${size}:example.org`, code },
      `Bot ${bot.key}`,
    )
    await card.getByText(`@wren.${size}:example.org`).waitFor()
    await card.getByText('on matrix').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
  })

  test('writes nothing on the System page while the server is unreachable', async () => {
    const { page, context } = await open()
    const register = page.getByRole('button', { name: 'Add webhook' })
    await register.waitFor()
    await disconnect(page)
    expect(await register.getAttribute('aria-disabled')).toBe('true')
    await restoreNetwork(context)
  })
})

/** Answers 200 to requests with the token and 401 to others, and records the event types. */
function startReceiver() {
  const received: string[] = []
  const expected = { token: '' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { signing_token, type } = (await request.json()) as Record<string, string>
      if (signing_token !== expected.token) return new Response('', { status: 401 })
      received.push(type ?? '')
      return new Response('')
    },
  })
  afterAll(() => server.stop(true))
  return {
    address: `http://127.0.0.1:${server.port}/`,
    received,
    set token(token: string) {
      expected.token = token
    },
    get token() {
      return expected.token
    },
  }
}
