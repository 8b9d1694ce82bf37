import { afterEach, describe, expect, test } from '../tools/test'
import { until } from '../tools/until'
import {
  cutNetwork,
  expectAccessible,
  expectNoHorizontalScroll,
  fullBrowsers,
  type Size,
  startBrowser,
  visit,
} from './tools/browser'
import { type Fate, startCutProxy } from './tools/cutProxy'
import {
  goOffline,
  goOnline,
  openRemembered,
  readQueue,
  readStorage,
  setOffline,
  switchTo,
  waitUntilKept,
  waitUntilSent,
} from './tools/offlineTools'
import { shareTestServer } from './tools/testServer'
import { logIn, seedSystem } from './tools/testSystem'

const browser = await startBrowser()
/** Notifications and background sync need a whole browser. */
const full = await startBrowser(fullBrowsers)
const testServer = await shareTestServer()
const proxy = await startCutProxy()
proxy.forwardTo(testServer.server.address)
const system = await seedSystem(testServer, 'Lantern Hill')
afterEach(() => {
  proxy.restore()
  proxy.decide = () => 'pass'
})

const DAY_MS = 86_400_000

const names = async () => (await system.history()).map((one) => one.names.join())

describe.each<Size>(['phone', 'desk'])('on a %s', (size) => {
  test('keeps switches without network, also over a reload, and sends each once', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system, size)
    const { page, context } = visitor
    await goOffline(page, proxy)
    await switchTo(page, 'Moss')
    await page.locator('.here-now').getByText('Moss').waitFor()
    await page.getByText('Moss is here now.').first().waitFor()
    await switchTo(page, 'Juno')
    await page.locator('.here-now').getByText('Juno').waitFor()
    const device = size === 'phone' ? 'phone' : 'device'
    await page
      .getByText(`No network. 2 switches are waiting on this ${device}.`, { exact: true })
      .waitFor()
    await expectAccessible(visitor)
    await page.reload()
    await page.locator('.here-now').getByText('Juno').waitFor()
    await page.getByText('No network. 2 switches').waitFor()
    expect(await names()).toEqual(['Wren'])
    await goOnline(context, proxy)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Juno', 'Moss', 'Wren'])
    await page.getByText('No network.').waitFor({ state: 'hidden' })
    await page.getByText('Live').waitFor({ state: 'attached' })
    expect(await readQueue(page)).toEqual([])
    expect(await readStorage(page)).toContain('Juno')
    await expectNoHorizontalScroll(visitor)
  })
})

describe('the copy on the device', () => {
  test('holds what Now, Members and History show, and nothing else', async () => {
    await system.setSwitches([5, 'Wren'])
    const wren = system.idOf('Wren')
    await system.ask(`PATCH /v2/members/${wren}`, {
      description: 'keeps-the-lamps',
      avatar_url: 'https://example.org/wren-face.png',
      birthday: '1999-03-04',
    })
    await system.ask('POST /ext/v1/systems/@me/notes', {
      member: wren,
      title: 'secret-title',
      text: 'secret-text',
    })
    await system.ask('PATCH /v2/systems/@me', { description: 'about-the-hill', color: 'abcdef' })
    await system.ask('POST /v2/groups', { name: 'Lighthouse' })
    const { page, consoleMessages } = await openRemembered(browser, proxy, system)
    await until(async () => (await readStorage(page)).includes('Lighthouse'))
    const stored = await readStorage(page)
    for (const kept of ['Lantern Hill', 'abcdef', 'Wren', 'she/her', 'd88b4a', 'timezone'])
      expect(stored).toContain(kept)
    for (const left of ['keeps-the-lamps', 'wren-face', '1999-03-04', 'secret', 'about-the-hill'])
      expect(stored).not.toContain(left)
    expect(consoleMessages).toEqual([])
  })

  test('is stated beside the check box of the login', async () => {
    const { page } = await visit(browser)
    await page.goto(`${proxy.address}/`)
    await page.getByLabel('Remember this device').waitFor()
    await page.getByText('Keeps names and recent switches in this browser').waitFor()
  })

  test('does not exist in a session that is not remembered', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, consoleMessages } = await visit(browser)
    await logIn(page, { server: { address: `${proxy.address}/` } }, system.token)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await switchTo(page, 'Moss')
    await page.getByText('Moss is here now.').first().waitFor()
    await page.goto(`${proxy.address}/#/devices`)
    await page.getByText('There is no copy').waitFor()
    const databases = await page.evaluate('indexedDB.databases().then((all) => all.length)')
    const caches = await page.evaluate('caches.keys()')
    const workers = await page.evaluate(
      'navigator.serviceWorker.getRegistrations().then((all) => all.length)',
    )
    expect([databases, caches, workers]).toEqual([0, [], 0])
    expect(consoleMessages).toEqual([])
  })

  test('lets people read Members and History, and other pages say why they cannot', async () => {
    await system.setSwitches([50, 'Atlas'], [5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    await setOffline(page.context(), proxy)
    await page.reload()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    await page.locator('main').getByRole('link', { name: /Atlas/ }).click()
    await page.getByRole('heading', { name: 'Atlas', level: 1 }).waitFor()
    await expectAccessible(visitor)
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByText('Without network you see the last 200 switches.').waitFor()
    await page.getByRole('link', { name: 'List', exact: true }).click()
    await page.locator('.switches').getByText('Atlas').waitFor()
    await expectAccessible(visitor)
    for (const path of ['insights', 'notes', 'privacy', 'groups', 'devices', 'import', 'friends']) {
      await page.goto(`${proxy.address}/#/${path}`)
      await page.getByText('This page isn’t available without a connection').waitFor()
      expect(await page.locator('[aria-busy=true]').count()).toBe(0)
    }
    await expectAccessible(visitor)
    await goOnline(context, proxy)
    await page.getByText('This page isn’t available').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  })

  test('can be turned off and on again on Devices', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    await page.goto(`${proxy.address}/#/devices`)
    const box = page.getByRole('switch', { name: 'Copy on this device' })
    await box.click()
    await until(async () => !(await readStorage(page)).includes('Wren'))
    await expectAccessible(visitor)
    await page.reload()
    await box.waitFor()
    expect(await box.isChecked()).toBe(false)
    expect(await readStorage(page)).not.toContain('Wren')
    // Without the copy, a switch needs the network as before.
    await page.goto(`${proxy.address}/#/now`)
    await page.getByRole('heading', { name: 'Here now' }).waitFor()
    await setOffline(context, proxy)
    await cutNetwork(page)
    await page.getByText('You’re offline.').waitFor()
    await goOnline(context, proxy)
    await page.getByText('You’re offline.').waitFor({ state: 'hidden' })
    await page.goto(`${proxy.address}/#/devices`)
    await box.click()
    await until(async () => (await readStorage(page)).includes('Wren'))
  })

  test('is deleted on logout together with the queue, and notifications are closed', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(full, proxy, system)
    await context.grantPermissions(['notifications'])
    const notify = `navigator.serviceWorker.ready.then((worker) =>
      worker.showNotification('Moss came to the front').then(() => worker.getNotifications())
    ).then((all) => all.length)`
    expect(await page.evaluate(notify)).toBe(1)
    await page.goto(`${proxy.address}/#/more`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    const stored = await readStorage(page)
    for (const name of ['Lantern Hill', 'Wren', 'Moss', 'Juno']) expect(stored).not.toContain(name)
    const left = `navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
      .then((all) => all.length)`
    await until(async () => (await page.evaluate(left)) === 0)
  })

  test('is deleted on logout without network, and the session ends when it is back', async () => {
    await system.setSwitches([5, 'Wren'])
    const listSessions = async () =>
      (await system.ask<{ id: string }[]>('GET /web/sessions')).map(({ id }) => id)
    const others = await listSessions()
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    const own = (await listSessions()).find((id) => !others.includes(id)) ?? ''
    await page.goto(`${proxy.address}/#/more`)
    await page.getByRole('heading', { name: 'More', level: 1 }).waitFor()
    await goOffline(page, proxy)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    await page.getByText('You’re logged out on this device.').waitFor()
    await expectAccessible(visitor)
    const kept = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`
    const stored = (await readStorage(page)) + (await page.evaluate<string>(kept))
    for (const name of ['Lantern Hill', 'Wren', 'Moss', 'multitude-in', 'multitude-keeps'])
      expect(stored).not.toContain(name)
    await page.reload()
    await page.getByLabel('Token').waitFor()
    expect(await listSessions()).toContain(own)
    await goOnline(context, proxy)
    await until(async () => !(await listSessions()).includes(own))
    await page.getByText('You’re logged out on this device.').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  test('does not prevent logging out when the storage fails', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    await page.goto(`${proxy.address}/#/more`)
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.evaluate(`{
      IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError') }
    }`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
  })

  test('is deleted when the session was ended elsewhere', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    await system.ask('DELETE /web/sessions')
    await page.getByLabel('Token').waitFor()
    await until(async () => !(await readStorage(page)).includes('Wren'))
    await page.reload()
    await page.getByLabel('Token').waitFor()
    expect(await readStorage(page)).not.toContain('Wren')
  })

  test('is deleted on the next visit after a session that ended unnoticed', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    // The tab is closed as soon as it knows, before it has deleted the copy.
    await page.goto(`${proxy.address}/health/live`)
    await system.ask('DELETE /web/sessions')
    await page.evaluate(`localStorage.removeItem('multitude-in')`)
    expect(await readStorage(page)).toContain('Wren')
    await page.goto(`${proxy.address}/`)
    await page.getByLabel('Token').waitFor()
    await until(async () => !(await readStorage(page)).includes('Wren'))
  })

  test('is deleted by a login as another system, also if nothing else answers', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    const others = await seedSystem(testServer, 'Harbour')
    const { url } = await testServer.operate<{ url: string }>('login', others.hid)
    await page.goto(`${proxy.address}/health/live`)
    await page.goto(`${proxy.address}/${url.slice(url.indexOf('#'))}`)
    await page.getByRole('heading', { name: 'Log in as Harbour?' }).waitFor()
    proxy.decide = (method, path) =>
      method === 'GET' && /^\/(v2|ext|web)\//.test(path) ? 'cut before' : 'pass'
    await page.getByRole('button', { name: 'Log in' }).click()
    await until(async () => !(await readStorage(page)).includes('Wren'))
    expect(await page.getByText('Wren').count()).toBe(0)
    proxy.decide = () => 'pass'
  })

  test.each([
    ['is kept for 13 days', 13, true],
    ['is deleted after 15 days', 15, false],
  ])('%s without contact', async (_, days, isKept) => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    await setOffline(context, proxy)
    await page.clock.setFixedTime(Date.now() + days * DAY_MS)
    await page.reload()
    if (isKept) await page.locator('.here-now').getByText('Wren').waitFor()
    else await page.getByText('Can’t reach the server.').waitFor()
    await until(async () => (await readStorage(page)).includes('Wren') === isKept)
  })

  test('has a switch from the moment it leaves the queue', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, consoleMessages } = await openRemembered(browser, proxy, system)
    // Reads the storage all the time, beginning now.
    await page.evaluate(`(async () => {
      const result = (request) => new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result)
      })
      const [{ name }] = await indexedDB.databases()
      const database = await result(indexedDB.open(name))
      Object.assign(globalThis, { waited: new Set(), lost: new Set() })
      for (;;) {
        const tx = database.transaction(['queue', 'device'])
        const queue = result(tx.objectStore('queue').getAll())
        const copied = result(tx.objectStore('device').get('switches'))
        const waiting = (await queue).map(({ uuid }) => uuid)
        const stored = [...waiting, ...(await copied).map(({ id }) => id)]
        for (const id of waiting) waited.add(id)
        for (const id of waited) if (!stored.includes(id)) lost.add(id)
      }
    })() && true`)
    const switched = ['Moss', 'Juno', 'Iris', 'Wren', 'Moss', 'Juno', 'Iris', 'Wren']
    for (const name of switched) {
      await switchTo(page, name)
      await page.locator('.here-now').getByText(name).waitFor()
      await waitUntilSent(page)
    }
    expect(await page.evaluate('waited.size')).toBeGreaterThan(0)
    expect(await page.evaluate('[...lost]')).toEqual([])
    expect(consoleMessages).toEqual([])
    expect(await names()).toEqual([...switched.toReversed(), 'Wren'])
  })

  test('is kept on a device whose clock is wrong by a month', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await visit(browser)
    const { page, context } = visitor
    await page.clock.setFixedTime(Date.now() + 30 * DAY_MS)
    await logIn(page, { server: { address: `${proxy.address}/` } }, system.token, true)
    await waitUntilKept(page)
    // By the server's clock, the switch is not in the future.
    await switchTo(page, 'Moss')
    await waitUntilSent(page)
    const [latest] = await system.history()
    expect(latest?.names).toEqual(['Moss'])
    expect(Math.abs((latest?.at ?? 0) - Date.now())).toBeLessThan(DAY_MS)
    await setOffline(context, proxy)
    await page.reload()
    await page.locator('.here-now').getByText('Moss').waitFor()
  })
})

describe('the queue of switches', () => {
  test('does not log a switch twice whose answer was cut off', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    const cuts: string[] = []
    proxy.decide = (method, path) => {
      if (method !== 'PUT' || cuts.length === 3) return 'pass'
      cuts.push(path)
      return cuts.length === 2 ? 'cut before' : 'cut after'
    }
    await switchTo(page, 'Moss')
    await page.locator('.here-now').getByText('Moss').waitFor()
    await until(async () => cuts.length === 3)
    await waitUntilSent(page)
    proxy.decide = () => 'pass'
    expect(new Set(cuts).size).toBe(1)
    expect(await names()).toEqual(['Moss', 'Wren'])
  })

  test.each<[string, Fate]>([
    ['a login page of the network', 'login page'],
    ['a redirect', 'redirect'],
    ['a gateway without the server', { status: 502 }],
    ['a busy server', { status: 429, retryAfterMs: 500 }],
    ['a server that cannot write', { status: 503 }],
  ])('pauses after %s and sends the switch later', async (_, fate) => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page } = visitor
    proxy.decide = (_, path) => (path.startsWith('/ext/v1/systems/@me/switches') ? fate : 'pass')
    const before = proxy.requests.length
    await switchTo(page, 'Moss')
    await page.getByText('1 switch is waiting to be sent.').waitFor()
    await page.locator('.here-now').getByText('Moss').waitFor()
    const puts = () => proxy.requests.slice(before).filter((one) => one.startsWith('PUT'))
    await until(async () => puts().length > 1)
    expect((await readQueue(page)).map(({ kind }) => kind)).toEqual(['put'])
    expect(await names()).toEqual(['Wren'])
    await expectAccessible(visitor)
    proxy.decide = () => 'pass'
    await waitUntilSent(page)
    await page.getByText('1 switch is waiting').waitFor({ state: 'detached' })
    expect(await names()).toEqual(['Moss', 'Wren'])
  })

  test('forgets an undone switch that was never sent', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    await goOffline(page, proxy)
    await switchTo(page, 'Moss')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Wren').waitFor()
    const before = proxy.requests.length
    await goOnline(context, proxy)
    await page.getByText('Live').waitFor({ state: 'attached' })
    await waitUntilSent(page)
    expect(proxy.requests.slice(before).filter((one) => /^(PUT|DELETE)/.test(one))).toEqual([])
    expect(await names()).toEqual(['Wren'])
  })

  test('undoes a switch after a reload without network', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    // Sent, but unknown here.
    proxy.decide = (method) => (method === 'PUT' ? 'cut after' : 'pass')
    await switchTo(page, 'Moss')
    await until(async () => (await names()).length === 2)
    await goOffline(page, proxy)
    await page.reload()
    await page.locator('.here-now').getByText('Moss').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect((await readQueue(page)).map(({ kind }) => kind)).toEqual(['delete'])
    proxy.decide = () => 'pass'
    await goOnline(context, proxy)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Wren'])
  })

  test('deletes an undone switch that the server has', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    await switchTo(page, 'Moss')
    await waitUntilSent(page)
    expect(await names()).toEqual(['Moss', 'Wren'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await waitUntilSent(page)
    expect(await names()).toEqual(['Wren'])
  })

  test('moves a switch by a millisecond when its time is taken', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    await goOffline(page, proxy)
    await switchTo(page, 'Moss')
    const [waiting] = await readQueue(page)
    const timestamp = new Date((waiting?.timestamp ?? 0) / 1000).toISOString()
    const members = [system.idOf('Iris')]
    await system.ask('POST /v2/systems/@me/switches', { members, timestamp })
    await goOnline(context, proxy)
    await waitUntilSent(page)
    const [moss, iris] = await system.history()
    expect([moss?.names, iris?.names]).toEqual([['Moss'], ['Iris']])
    expect((moss?.at ?? 0) - (iris?.at ?? 0)).toBe(1)
  })

  test('is done with a switch that was recorded and then edited elsewhere', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    proxy.decide = (method) => (method === 'PUT' ? 'cut after' : 'pass')
    await switchTo(page, 'Moss')
    await until(async () => (await names()).length === 2)
    await goOffline(page, proxy)
    const [latest] = await system.ask<{ id: string }[]>('GET /v2/systems/@me/switches?limit=1')
    await system.ask(`PATCH /v2/systems/@me/switches/${latest?.id}/members`, [system.idOf('Juno')])
    proxy.decide = () => 'pass'
    await goOnline(context, proxy)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Juno', 'Wren'])
    await page.locator('.here-now').getByText('Juno').waitFor()
  })

  test('is done with a switch that was recorded and then deleted elsewhere', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    proxy.decide = (method) => (method === 'PUT' ? 'cut after' : 'pass')
    await switchTo(page, 'Moss')
    await until(async () => (await names()).length === 2)
    await goOffline(page, proxy)
    const [latest] = await system.ask<{ id: string }[]>('GET /v2/systems/@me/switches?limit=1')
    await system.ask(`DELETE /v2/systems/@me/switches/${latest?.id}`)
    proxy.decide = () => 'pass'
    await goOnline(context, proxy)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Wren'])
    await page.locator('.here-now').getByText('Wren').waitFor()
  })

  test('sends a switch without a member who was deleted, and says so', async () => {
    await system.setSwitches([5, 'Wren'])
    const { id } = await system.ask<{ id: string }>('POST /v2/members', { name: 'Fern' })
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    await goOffline(page, proxy)
    await switchTo(page, 'Fern', 'Moss')
    await switchTo(page, 'Fern')
    await system.ask(`DELETE /v2/members/${id}`)
    await goOnline(context, proxy)
    await page.getByText('1 switch was saved without someone who was deleted.').waitFor()
    await page.getByText('1 switch couldn’t be saved.').waitFor()
    expect(await names()).toEqual(['Moss', 'Wren'])
    await page.getByRole('button', { name: 'Review' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('Everyone in it was deleted.').waitFor()
    await expectAccessible(visitor)
    await expectNoHorizontalScroll(visitor)
    await sheet.getByRole('button', { name: /^Discard/ }).click()
    await sheet.getByRole('button', { name: /^OK/ }).click()
    await waitUntilSent(page)
    expect(await names()).toEqual(['Moss', 'Wren'])
  })

  test('keeps a refused switch with the reason until it is edited', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    await goOffline(page, proxy)
    // The clock of the device is set forward after the last contact, so the server refuses the time.
    await page.clock.setFixedTime(Date.now() + 3 * DAY_MS)
    await page.reload()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await switchTo(page, 'Moss')
    await goOnline(context, proxy)
    await page.getByText('1 switch couldn’t be saved.').waitFor()
    await page.getByRole('button', { name: 'Review' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('heading', { name: 'Edit switch' }).waitFor()
    const hourAgo = new Date(Date.now() - 3_600_000)
    const local: [string, string] = await page.evaluate(
      `((at) => [at.toLocaleDateString('sv'), at.toLocaleTimeString('sv').slice(0, 5)])
        (new Date(${hourAgo.getTime()}))`,
    )
    await sheet.getByLabel('Date').fill(local[0])
    await sheet.getByLabel('Time').fill(local[1])
    await expectAccessible(visitor)
    await sheet.getByRole('button', { name: 'Save' }).click()
    await waitUntilSent(page)
    const [moss] = await system.history()
    expect(moss?.names).toEqual(['Moss'])
    expect(hourAgo.getTime() - (moss?.at ?? 0)).toBeLessThan(60_000)
  })

  test('sends a status with its switch, and shows it meanwhile', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    await goOffline(page, proxy)
    await page.locator('main').getByRole('button', { name: 'Moss', exact: true }).click()
    const bar = page.locator('.action-bar')
    await bar.getByRole('button', { name: 'Set status' }).click()
    await bar.getByRole('textbox').fill('at the harbour')
    await page.getByRole('button', { name: 'Switch to Moss' }).click()
    await page.locator('.here-now').getByText('at the harbour').waitFor()
    await page.reload()
    await page.locator('.here-now').getByText('at the harbour').waitFor()
    await goOnline(context, proxy)
    await waitUntilSent(page)
    const front = await system.ask<{ fronters: { status: string }[] }>(
      'GET /ext/v1/systems/@me/front',
    )
    expect(front.fronters.map(({ status }) => status)).toEqual(['at the harbour'])
    await page.locator('.here-now').getByText('at the harbour').waitFor()
  })
})

describe('tabs, logins and workers', () => {
  test('other tabs follow, and one of them sends', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(browser, proxy, system)
    const other = await context.newPage()
    await other.goto(`${proxy.address}/`)
    await other.locator('.here-now').getByText('Wren').waitFor()
    await goOffline(page, proxy)
    await goOffline(other, proxy)
    await switchTo(page, 'Moss')
    await other.locator('.here-now').getByText('Moss').waitFor()
    await switchTo(other, 'Juno')
    await page.locator('.here-now').getByText('Juno').waitFor()
    await page.getByText('2 switches are waiting on').waitFor()
    const before = proxy.requests.length
    await goOnline(context, proxy)
    await waitUntilSent(page)
    await page.locator('.banner').getByText('No network.').waitFor({ state: 'hidden' })
    await other.locator('.banner').getByText('No network.').waitFor({ state: 'hidden' })
    const puts = proxy.requests.slice(before).filter((one) => one.startsWith('PUT'))
    expect(puts).toHaveLength(2)
    expect(await names()).toEqual(['Juno', 'Moss', 'Wren'])
    await other.locator('.here-now').getByText('Juno').waitFor()
  })

  test('logging out asks first about switches that another tab has not sent', async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    const other = await context.newPage()
    await other.goto(`${proxy.address}/`)
    await other.locator('.here-now').getByText('Wren').waitFor()
    proxy.decide = (method) => (method === 'PUT' ? { status: 503 } : 'pass')
    await switchTo(other, 'Moss')
    await other.getByText('1 switch is waiting to be sent.').waitFor()
    await other.close()
    await page.goto(`${proxy.address}/#/more`)
    await page.getByRole('button', { name: 'Log out' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 switch hasn’t been sent yet. Logging out deletes it.').waitFor()
    await expectAccessible(visitor)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await readQueue(page)).toHaveLength(1)
    await page.getByRole('button', { name: 'Log out' }).click()
    await dialog.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await readQueue(page)).toEqual([])
    proxy.decide = () => 'pass'
    expect(await names()).toEqual(['Wren'])
  })

  /** Leaves a switch behind in a session that was ended elsewhere. */
  const endWithUnsent = async () => {
    await system.setSwitches([5, 'Wren'])
    const visitor = await openRemembered(browser, proxy, system)
    const { page, context } = visitor
    await goOffline(page, proxy)
    await switchTo(page, 'Moss')
    await system.ask('DELETE /web/sessions')
    await goOnline(context, proxy)
    await page.getByLabel('Token').waitFor()
    await until(async () => !(await readStorage(page)).includes('Wren'))
    expect(await readQueue(page)).toHaveLength(1)
    return visitor
  }

  test.each([true, false])(
    'sends switches after a login as the same system, remembered: %p',
    async (isRemembered) => {
      const { page } = await endWithUnsent()
      await logIn(page, { server: { address: `${proxy.address}/` } }, system.token, isRemembered)
      await page.locator('.here-now').getByText('Moss').waitFor()
      await waitUntilSent(page)
      expect(await names()).toEqual(['Moss', 'Wren'])
    },
  )

  test('asks after a login as another system, and then drops the switches', async () => {
    const visitor = await endWithUnsent()
    const { page } = visitor
    const neighbours = await seedSystem(testServer, 'Neighbours')
    await neighbours.setSwitches([5, 'Iris'])
    await logIn(page, { server: { address: `${proxy.address}/` } }, neighbours.token, true)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 switch of another system is waiting on this device.').waitFor()
    await expectAccessible(visitor)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    // An own switch is sent nevertheless.
    await switchTo(page, 'Juno')
    await until(async () => (await neighbours.history()).length === 2)
    await until(async () => (await readQueue(page)).length === 1)
    await page.getByRole('button', { name: 'Discard' }).click()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await waitUntilSent(page)
    expect((await neighbours.history()).map((one) => one.names)).toEqual([['Juno'], ['Iris']])
    expect(await names()).toEqual(['Wren'])
  })

  test('the service worker sends switches after the page was closed', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, context } = await openRemembered(full, proxy, system)
    proxy.decide = (method) => (method === 'PUT' ? 'cut before' : 'pass')
    await switchTo(page, 'Moss')
    await page.getByText('1 switch is waiting to be sent.').waitFor()
    const tags = `navigator.serviceWorker.ready.then((worker) => worker.sync.getTags())`
    await until(async () => (await page.evaluate<string[]>(tags)).length === 1)
    const [tag = ''] = await page.evaluate<string[]>(tags)
    // The page gives the queue up to the worker.
    await page.goto(`${proxy.address}/health/live`)
    proxy.decide = () => 'pass'
    // The debugger's command for this does not say whether the event arrived.
    const [worker] = context.serviceWorkers()
    await worker?.evaluate(`dispatchEvent(new SyncEvent('sync', { tag: ${JSON.stringify(tag)} }))`)
    await until(async () => (await names()).length === 2)
    expect(await names()).toEqual(['Moss', 'Wren'])
    // The copy has the switch, also if the next visit is without network.
    await until(async () => (await readQueue(page)).length === 0)
    await setOffline(context, proxy)
    await page.goto(`${proxy.address}/`)
    await page.locator('.here-now').getByText('Moss').waitFor()
  })

  test('a new build replaces the files of the old one within one visit', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page, consoleMessages } = await openRemembered(browser, proxy, system)
    const caches = () => page.evaluate<string[]>('caches.keys()')
    const [old = ''] = await caches()
    const hash = old.split(' ').at(-1) ?? ''
    expect(hash).toMatch(/^[0-9a-f]{16}$/)
    proxy.rewrite = (path, body) =>
      path === '/sw.js' ? body.replaceAll(hash, '00000000deadbeef') : body
    await page.reload()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await until(async () => {
      const now = await caches()
      return now.length === 1 && now[0] === old.replace(hash, '00000000deadbeef')
    })
    proxy.rewrite = (_, body) => body
    await setOffline(page.context(), proxy)
    await page.reload()
    await page.locator('.here-now').getByText('Wren').waitFor()
    expect(consoleMessages.filter((text) => !text.includes('ERR_INTERNET'))).toEqual([])
  })

  test('a worker does not store the page of another build', async () => {
    await system.setSwitches([5, 'Wren'])
    // As while a server is upgraded: the script is new, the page is old.
    proxy.rewrite = (path, body) =>
      path === '/sw.js' ? body.replaceAll(/\/index-\w+\.js/g, '/index-0.js') : body
    const { page } = await visit(browser)
    const pages = () => proxy.requests.filter((one) => one === 'GET /').length
    const before = pages()
    await logIn(page, { server: { address: `${proxy.address}/` } }, system.token, true)
    // By the browser, and then by the worker.
    await until(async () => pages() === before + 2)
    const installed = `navigator.serviceWorker.getRegistrations().then((all) => all.length)`
    await until(async () => (await page.evaluate(installed)) === 0)
    proxy.rewrite = (_, body) => body
    await page.reload()
    await waitUntilKept(page)
  })

  test('works with service workers disabled', async () => {
    await system.setSwitches([5, 'Wren'])
    const context = await browser.newContext({ serviceWorkers: 'block' })
    context.setDefaultTimeout(100_000)
    const page = await context.newPage()
    try {
      await logIn(page, { server: { address: `${proxy.address}/` } }, system.token, true)
      await page.getByRole('heading', { name: 'Here now' }).waitFor()
      await until(async () => (await readStorage(page)).includes('"copy"'))
      await goOffline(page, proxy)
      await switchTo(page, 'Moss')
      await page.getByText('No network. 1 switch is waiting').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.here-now').getByText('Wren').waitFor()
      await switchTo(page, 'Juno')
      await goOnline(context, proxy)
      await waitUntilSent(page)
      expect(await names()).toEqual(['Juno', 'Wren'])
    } finally {
      await context.close()
    }
  })

  test('works in a folder behind a proxy, and touches nothing beside it', async () => {
    await system.setSwitches([5, 'Wren'])
    const inFolder = await startCutProxy('/plural')
    inFolder.forwardTo(testServer.server.address)
    const { page, context } = await openRemembered(browser, inFolder, system)
    const scope = await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')
    expect(scope).toBe(`${inFolder.address}/`)
    await page.evaluate(`caches.open('of another program').then(() => {})`)
    await setOffline(page.context(), inFolder)
    await page.reload()
    await page.locator('.here-now').getByText('Wren').waitFor()
    await switchTo(page, 'Moss')
    await goOnline(context, inFolder)
    await waitUntilSent(page)
    expect(await names()).toEqual(['Moss', 'Wren'])
    expect(await page.evaluate(`caches.has('of another program')`)).toBe(true)
  })

  test('the page may register no other worker', async () => {
    await system.setSwitches([5, 'Wren'])
    const { page } = await openRemembered(browser, proxy, system)
    const attempts = await page.evaluate(`Promise.all([
      navigator.serviceWorker.register('sw.js').then(() => 'registered', ({ name }) => name),
      (async () => trustedTypes.createPolicy('other', {}))().then(() => 'created', ({ name }) => name),
      (async () => trustedTypes.createPolicy('worker', {}))().then(() => 'created', ({ name }) => name),
    ])`)
    expect(attempts).toEqual(['TypeError', 'TypeError', 'TypeError'])
  })
})
