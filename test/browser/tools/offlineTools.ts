import type { Browser, BrowserContext, Page } from 'playwright-core'
import { until } from '../../tools/until'
import { cutNetwork, restoreNetwork, type Size, type Visitor, visit } from './browser'
import type { CutProxy } from './cutProxy'
import { logIn, type SeededSystem } from './testSystem'

/** Logs in through a proxy and waits until the device can keep switches. */
export async function openRemembered(
  browser: Browser,
  proxy: CutProxy,
  system: SeededSystem,
  size: Size = 'phone',
): Promise<Visitor> {
  const visitor = await visit(browser, size)
  await logIn(visitor.page, { server: { address: `${proxy.address}/` } }, system.token, true)
  await waitUntilKept(visitor.page)
  return visitor
}

/** Waits until the copy is written and the files of the build are stored. */
export async function waitUntilKept(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Here now' }).waitFor()
  await until(async () => (await readStorage(page)).includes('"copy"'))
  await page.evaluate(
    `'serviceWorker' in navigator && navigator.serviceWorker.ready.then(() => {})`,
  )
}

/** Returns everything that IndexedDB and the caches of the origin hold, as text. */
export async function readStorage(page: Page): Promise<string> {
  return await page.evaluate<string>(`(async () => {
    const result = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const found = []
    for (const { name } of await indexedDB.databases()) {
      const database = await result(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        const tx = database.transaction(store).objectStore(store)
        found.push({ name, store, keys: await result(tx.getAllKeys()) })
        const tx2 = database.transaction(store).objectStore(store)
        found.push(await result(tx2.getAll()))
      }
      database.close()
    }
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) {
        const response = await (await caches.open(name)).match(request)
        const isText = /html|json|manifest/.test(response.headers.get('content-type') ?? '')
        found.push({ name, url: request.url, text: isText ? await response.text() : '' })
      }
    return JSON.stringify(found)
  })()`)
}

/** Returns the switches that wait on the device. */
export async function readQueue(
  page: Page,
): Promise<{ uuid: string; kind: string; timestamp: number }[]> {
  return await page.evaluate(`(async () => {
    const result = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const found = []
    for (const { name } of await indexedDB.databases()) {
      const database = await result(indexedDB.open(name))
      found.push(...await result(database.transaction('queue').objectStore('queue').getAll()))
      database.close()
    }
    return found
  })()`)
}

/**
 * Disconnects the browser, including its service worker. The proxy refuses the requests that the
 * browser lets pass nevertheless while it loads a page.
 */
export async function setOffline(context: BrowserContext, proxy: CutProxy): Promise<void> {
  proxy.cut()
  await context.setOffline(true)
}

/** Disconnects the browser, and waits until the page shows that. */
export async function goOffline(page: Page, proxy: CutProxy): Promise<void> {
  await setOffline(page.context(), proxy)
  await cutNetwork(page)
  await page.locator('.banner').getByText('No network.').waitFor()
}

export async function goOnline(context: BrowserContext, proxy: CutProxy): Promise<void> {
  proxy.restore()
  await restoreNetwork(context)
}

/**
 * Waits until nothing waits on the device any more. Meanwhile the page may load itself again,
 * because a part of it could not be loaded without network.
 */
export async function waitUntilSent(page: Page): Promise<void> {
  await until(async () => (await readQueue(page).catch(() => null))?.length === 0)
}

/**
 * Switches to members by their names, as a person does, and waits until the page has stored that,
 * which it shows before.
 */
export async function switchTo(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) {
    const chip = page.locator('main').getByRole('button', { name, exact: true })
    if (!(await chip.isVisible())) await page.getByRole('button', { name: /^Everyone/ }).click()
    await chip.click()
  }
  await page.getByRole('button', { name: /^Switch to/ }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
}
