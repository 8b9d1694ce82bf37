import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import {
  certificate,
  createBrowser,
  type Browser as PushBrowser,
  read,
  startPushService,
} from '../events/pushService'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  expectAccessible,
  expectLargeTargets,
  expectNoHorizontalScroll,
  fullBrowsers,
  startBrowser,
  type Visitor,
  visit,
  waitForChange,
  waitForDraw,
} from './tools/browser'
import { startTestServer } from './tools/testServer'
import { logIn, seedSystem } from './tools/testSystem'

const ca = join(emptyFolder('ca-'), 'ca.pem')
writeFileSync(ca, certificate.cert)
const service = await startPushService()
const browser = await startBrowser(fullBrowsers)
const testServer = await startTestServer(
  'Somebody else',
  ['--dispatch-allow', '127.0.0.1', '--push-contact', 'mailto:operator@multitude.example'],
  { NODE_EXTRA_CA_CERTS: ca },
)
const system = await seedSystem(testServer, 'Lantern Hill')
const { address } = testServer.server

/**
 * Gives the page a subscription at the push service of this test: the browser's own push service is
 * on the internet.
 */
async function subscribeWith({ context }: Visitor, { endpoint, keys }: PushBrowser): Promise<void> {
  await context.addInitScript(
    (json) => {
      const subscription = {
        options: { applicationServerKey: null },
        toJSON: () => json,
        unsubscribe: async () => true,
      }
      const { prototype } = (globalThis as unknown as { PushManager: { prototype: object } })
        .PushManager
      let current: object | null = null
      Object.assign(prototype, {
        subscribe: async () => {
          current = subscription
          return subscription
        },
        getSubscription: async () => current,
      })
    },
    { endpoint, keys },
  )
}

/** Opens a page in a browser that allows notifications. */
async function openAllowed(path: string, { token }: { readonly token: string } = system) {
  const visitor = await visit(browser)
  const push = createBrowser(service.origin)
  await visitor.context.grantPermissions(['notifications'], { origin: address })
  await subscribeWith(visitor, push)
  if (!path.startsWith('watch/')) {
    await logIn(visitor.page, testServer, token)
    await visitor.page.getByRole('heading', { name: 'Here now' }).waitFor()
  }
  await visitor.page.goto(`${address}/#/${path}`)
  return { ...visitor, push }
}

/**
 * Passes the message that the push service received to the service worker. The debugger's command
 * for this does not say whether the message arrived, so the event is dispatched in the worker.
 */
async function deliver({ context, page }: Visitor, push: PushBrowser, at: number): Promise<void> {
  const pushed = service.to(push)[at]
  if (!pushed) throw new Error('no message was sent')
  // A worker that is being installed shows no notification.
  await page.evaluate('navigator.serviceWorker.ready.then(() => {})')
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const data = JSON.stringify(read(pushed, push).shown)
  // What the worker does with it is awaited, as the browser would, and its error reported.
  await worker.evaluate(`(() => {
    const event = new PushEvent('push', { data: ${JSON.stringify(data)} })
    const work = []
    event.waitUntil = (promise) => work.push(promise)
    dispatchEvent(event)
    return Promise.all(work).then(() => work.length || Promise.reject(new Error('no listener')))
  })()`)
}

interface Shown {
  title: string
  body: string
  silent: boolean
}

function notifications(page: Page): Promise<Shown[]> {
  return page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, silent }) => ({ title, body, silent: silent === true })))`)
}

/** Clicks the only notification, in the service worker: browsers show it outside of the page. */
async function clickNotification(context: BrowserContext): Promise<void> {
  const [worker] = context.serviceWorkers()
  await worker?.evaluate(`registration.getNotifications().then(([notification]) => {
    dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })`)
}

const card = (page: Page) => page.getByRole('region', { name: 'Notifications on this device' })

const turnOn = (page: Page) =>
  card(page).getByRole('button', { name: 'Turn on notifications' }).click()

async function turnOnWithNames(page: Page): Promise<void> {
  await card(page).getByRole('switch', { name: 'Show names' }).check()
  await turnOn(page)
}

describe('notifications on this device', () => {
  test('are turned on, chosen, tested, shown, and open a page when clicked', async () => {
    await system.setSwitches()
    const visitor = await openAllowed('devices')
    const { page, context, push } = visitor
    await turnOnWithNames(page)
    const posts = card(page).getByRole('switch', { name: 'Posts' })
    await posts.waitFor()
    expect(await posts.isChecked()).toBe(true)
    const front = card(page).getByRole('switch', { name: 'Who is here' })
    expect(await front.isChecked()).toBe(false)
    await expectAccessible(visitor)
    await expectLargeTargets(visitor)
    await expectNoHorizontalScroll(visitor)

    await card(page).getByRole('button', { name: 'Send test' }).click()
    await card(page).getByText('A test notification is on its way.').waitFor()
    expect(service.to(push)).toHaveLength(1)

    const chosen = waitForChange(page)
    await front.check()
    await chosen
    await system.log(1, 'Wren', 'Iris')
    await until(() => service.to(push).length === 2)
    await deliver(visitor, push, 1)
    await until(async () => (await notifications(page)).length === 1)
    expect(await notifications(page)).toEqual([
      { title: 'Fronting now', body: 'Wren and Iris', silent: true },
    ])
    await system.log(0, 'Moss')
    await until(() => service.to(push).length === 3)
    await deliver(visitor, push, 2)
    await until(async () => (await notifications(page))[0]?.body === 'Moss')
    expect(await notifications(page)).toHaveLength(1)
    await clickNotification(context)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await until(async () => (await notifications(page)).length === 0)
  })

  test('contain no names unless they are chosen, and are turned off', async () => {
    await system.setSwitches()
    const { page, push } = await openAllowed('devices')
    await turnOn(page)
    await card(page).getByRole('switch', { name: 'Who is here' }).check()
    const names = card(page).getByRole('switch', { name: 'Show names' })
    expect(await names.isChecked()).toBe(false)
    await until(async () => {
      const { targets } = await system.ask<{
        targets: { wants: string[]; shows_names: boolean }[]
      }>('GET /ext/v1/push')
      return targets.some(({ wants, shows_names }) => wants.includes('own_front') && !shows_names)
    })
    await system.log(0, 'Wren')
    await until(() => service.to(push).length === 1)
    const [pushed] = service.to(push)
    expect(pushed && read(pushed, push).shown).toMatchObject({ title: 'Someone came to the front' })
    await card(page).getByRole('button', { name: 'Turn off notifications' }).click()
    await card(page).getByRole('button', { name: 'Turn on notifications' }).waitFor()
  })

  test('are offered on Reminders, show one, and are not offered again', async () => {
    const visitor = await openAllowed('reminders')
    const { page, context, push } = visitor
    await turnOnWithNames(page)
    expect(await card(page).getByRole('switch', { name: 'Reminders' }).isChecked()).toBe(true)
    await expectAccessible(visitor)
    const body = {
      name: 'Rest',
      text: 'Drink water',
      kind: 'after_switch',
      after: 86_400,
      on: 'any',
    }
    const { id } = await system.ask<{ id: string }>('POST /ext/v1/systems/@me/reminders', body)
    await page.goto(`${address}/#/more`)
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
    await system.ask(`POST /ext/v1/reminders/${id}/test`)
    await until(() => service.to(push).length === 1)
    await deliver(visitor, push, 0)
    await until(async () => (await notifications(page)).length === 1)
    expect(await notifications(page)).toEqual([
      { title: 'Rest', body: 'Drink water', silent: false },
    ])
    const loaded = page.waitForResponse((response) => response.url().endsWith('/ext/v1/push'))
    await clickNotification(context)
    await page.getByRole('heading', { name: 'Reminders', level: 1 }).waitFor()
    await page.getByRole('switch', { name: 'Rest' }).waitFor()
    await (await loaded).finished()
    await waitForDraw(page)
    expect(await card(page).count()).toBe(0)
  })

  test('say what to do when the browser blocks them', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await visitor.context.addInitScript(() => {
      const { Notification } = globalThis as unknown as { Notification: object }
      Object.defineProperty(Notification, 'permission', { get: () => 'denied' })
    })
    await page.goto(`${address}/?#/devices`)
    await card(page).getByText('This browser blocks notifications from this page.').waitFor()
    await expectAccessible(visitor)
  })

  test('explain the home screen on an iPhone', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await visitor.context.addInitScript(() => {
      Reflect.deleteProperty(globalThis, 'PushManager')
      Object.defineProperty(navigator, 'userAgent', { get: () => 'Mozilla/5.0 (iPhone)' })
    })
    await logIn(page, testServer, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await page.goto(`${address}/#/devices`)
    await card(page).getByText('add this page to the home screen first').waitFor()
    await expectAccessible(visitor)
  })
})

test('a friend with a link is notified of the front', async () => {
  await system.setSwitches([5, 'Wren'])
  const { token } = await system.ask<{ token: string }>('POST /v2/systems/@me/tokens', {
    name: 'Sam',
    scope: 'watch',
  })
  const visitor = await openAllowed(`watch/${encodeURIComponent(token)}`)
  const { page, context, push } = visitor
  await turnOnWithNames(page)
  await card(page).getByRole('button', { name: 'Turn off notifications' }).waitFor()
  expect(await card(page).getByRole('switch').count()).toBe(1)
  await expectAccessible(visitor)
  await system.log(0, 'Moss')
  await until(() => service.to(push).length === 1)
  await deliver(visitor, push, 0)
  await until(async () => (await notifications(page)).length === 1)
  expect(await notifications(page)).toEqual([
    { title: 'Lantern Hill', body: 'Moss', silent: false },
  ])
  await clickNotification(context)
  await until(async () => (await notifications(page)).length === 0)
  expect(page.url()).toContain('#/watch/')
})

/** The whole story of a friendship, in the browsers of both systems. */
test('two systems become friends, share a field, notify and part', async () => {
  const other = await seedSystem(testServer, 'Harbour House')
  await system.setSwitches([5, 'Moss'])
  const role = await system.ask<{ id: string }>('POST /ext/v1/systems/@me/fields', {
    name: 'Role',
    type: 'text',
  })
  await system.ask(`PATCH /ext/v1/members/${system.idOf('Wren')}`, {
    fields: { [role.id]: 'Keeper of the lamps' },
  })

  const { page } = await openAllowed('friends')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Invite a friend' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Sam')
  await dialog.getByRole('switch', { name: 'Members, groups and fields' }).check()
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  const code = await dialog.getByLabel('Code', { exact: true }).inputValue()
  // Without a public address there is no link.
  expect(await dialog.getByLabel('Link', { exact: true }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Close' }).click()

  const friend = await openAllowed('friends', other)
  const theirs = friend.page
  await theirs.getByLabel('Code', { exact: true }).fill(code)
  await theirs.getByRole('button', { name: 'Continue' }).click()
  await theirs.getByRole('heading', { name: 'Lantern Hill invites you' }).waitFor()
  await theirs.getByRole('button', { name: 'Accept' }).click()
  await theirs.getByRole('heading', { name: 'Lantern Hill', level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Choose what is in Friends' }).click()
  await dialog.getByRole('checkbox', { name: 'Wren' }).check()
  await dialog.getByRole('button', { name: /^Fields/ }).click()
  await dialog.getByRole('checkbox', { name: 'Role' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })

  await theirs.getByRole('link', { name: 'All friends' }).click()
  await theirs.getByRole('link', { name: 'Lantern Hill' }).click()
  await theirs.getByRole('button', { name: 'Wren' }).click()
  await theirs.getByRole('dialog').getByText('Keeper of the lamps').waitFor()
  await theirs.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await theirs.getByRole('link', { name: 'All friends' }).click()
  expect(await card(theirs).count()).toBe(0)
  const chosen = waitForChange(theirs)
  await theirs.getByRole('switch', { name: 'Notify me' }).check()
  await chosen
  await turnOnWithNames(theirs)
  const kind = card(theirs).getByRole('switch', { name: 'Friends' })
  await kind.waitFor()
  expect(await kind.isChecked()).toBe(true)
  await expectAccessible(friend)

  await page.goto(`${address}/#/now`)
  await page.getByRole('button', { name: /^Wren/ }).first().click()
  await page.getByRole('button', { name: 'Switch to Wren' }).click()
  await until(() => service.to(friend.push).length === 1)
  await deliver(friend, friend.push, 0)
  await until(async () => (await notifications(theirs)).length === 1)
  expect(await notifications(theirs)).toEqual([
    { title: 'Lantern Hill', body: 'Wren', silent: false },
  ])
  await theirs.goto(`${address}/#/more`)
  await theirs.getByRole('heading', { name: 'More', level: 1 }).waitFor()
  await clickNotification(friend.context)
  await theirs.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  await theirs.getByText('Live', { exact: true }).waitFor({ state: 'attached' })

  await page.goto(`${address}/#/friends`)
  await page.getByRole('button', { name: 'Remove friend Sam' }).click()
  await dialog.getByRole('button', { name: 'Remove friend', exact: true }).click()
  await page.getByText('Sam is no longer a friend.').first().waitFor()
  await theirs.getByText('No friends yet.').waitFor()
  expect(await other.ask('GET /ext/v1/friends')).toEqual([])
  expect(service.to(friend.push)).toHaveLength(1)
  await system.ask(`DELETE /ext/v1/fields/${role.id}`)
})
