import type { WorkerScope } from './events'
import { openFromNotification, showPush } from './push'

/** Service worker: handles push messages. */

declare const self: WorkerScope

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => event.waitUntil(showPush(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(openFromNotification(event)))
