/** Types of a service worker that the library of DOM types does not contain. */

export interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

export interface PushEvent extends ExtendableEvent {
  readonly data: { json(): unknown; text(): string } | null
}

export interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification
}

interface WindowClient {
  readonly url: string
  focus(): Promise<unknown>
  navigate(url: string): Promise<unknown>
}

/** Global object of a service worker. */
export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    claim(): Promise<void>
    matchAll(options: {
      type: 'window'
      includeUncontrolled: boolean
    }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(
    type: 'install' | 'activate' | 'sync',
    on: (event: ExtendableEvent) => void,
  ): void
  addEventListener(type: 'fetch', on: (event: FetchEvent) => void): void
  addEventListener(type: 'push', on: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', on: (event: NotificationEvent) => void): void
}
