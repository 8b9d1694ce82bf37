import { SYNC_TAG } from '../offline/database'
import { deleteDeviceOf, readDevice } from '../offline/device'
import { sendQueue } from '../offline/send'
import type { FetchEvent, WorkerScope } from './events'
import { openFromNotification, showPush } from './push'

/**
 * Service worker: keeps the files of one build, sends waiting switches, and handles push messages.
 * It stores nothing that the API answers.
 */

declare const self: WorkerScope
/** Hash of the files, and their paths relative to this script. The build fills in both. */
declare const BUILD_HASH: string
declare const BUILD_FILES: readonly string[]

const { scope } = self.registration
/** Other programs may have caches on the same origin, so the name begins with the folder. */
const PREFIX = `multitude ${new URL(scope).pathname} `
const CACHE = PREFIX + BUILD_HASH
const files = BUILD_FILES.map((path) => new URL(path, scope).href)

/** A page that takes longer than this comes from the cache. */
const PAGE_TIMEOUT_MS = 4000

/** Fonts that few people choose are kept when they are first used. */
const isOptional = (path: string) => path.includes('opendyslexic')

self.addEventListener('install', (event) => {
  event.waitUntil(storeFiles().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(removeOtherBuilds().then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const address = new URL(url)
  const bare = address.origin + address.pathname
  if (method !== 'GET' || !files.includes(bare)) return
  if (bare !== scope) return event.respondWith(findFile(event.request))
  if (mode === 'navigate') event.respondWith(findPage(event))
})

self.addEventListener('sync', (event) => {
  if (Object(event).tag === SYNC_TAG) event.waitUntil(sendAll())
})

self.addEventListener('push', (event) => event.waitUntil(showPush(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(openFromNotification(event)))

async function storeFiles(): Promise<void> {
  const cache = await caches.open(CACHE)
  const page = await fetch(scope, { cache: 'no-cache', redirect: 'error' })
  const html = await page.clone().text()
  // While a server is upgraded, the page may be of another build than this script.
  const scripts = [...html.matchAll(/src="(?:\.\/)?(assets\/[^"]+)"/g)].map(
    ([, path]) => `./${path}`,
  )
  if (!page.ok || scripts.length === 0 || scripts.some((path) => !BUILD_FILES.includes(path)))
    throw new Error('the page is of another build')
  await cache.put(scope, page)
  const others = BUILD_FILES.filter((path) => path !== './' && !isOptional(path))
  await cache.addAll(others.map((path) => new URL(path, scope).href))
}

async function removeOtherBuilds(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(old.map((name) => caches.delete(name)))
}

/** Names of files contain a hash of their content, so a kept one is never stale. */
async function findFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request, { ignoreSearch: true })
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** The server's page comes first, so that a new build is used at once. */
async function findPage({ request }: FetchEvent): Promise<Response> {
  const keptPage = async () => (await (await caches.open(CACHE)).match(scope)) ?? null
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), PAGE_TIMEOUT_MS)
  try {
    const response = await fetch(request, { signal: timeout.signal })
    // The person may have to log in to the network first, so redirects are passed on.
    return response.status < 500 ? response : ((await keptPage()) ?? response)
  } catch {
    return (await keptPage()) ?? Response.error()
  } finally {
    clearTimeout(timer)
  }
}

/** Fails if switches are left, so that the browser tries again later. */
async function sendAll(): Promise<void> {
  const before = await readDevice()
  const { state } = await sendQueue()
  if (state === 'loggedOut' && before) await deleteDeviceOf(before.session)
  if (state === 'paused') throw new Error('switches are waiting')
}
