import type { NotificationEvent, PushEvent, WorkerScope } from './events'

declare const self: WorkerScope

/** Message of the server, as `events/push/message.ts` builds it. */
interface PushMessage {
  readonly kind: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly tag: string
}

/** Options that the library of DOM types does not contain. */
interface ShownOptions extends NotificationOptions {
  readonly renotify?: boolean
}

/** Kind that is a lasting sign: it is replaced without a sound. */
const SILENT = 'own_front'

/** Shows the notification of a push message. Browsers require one for each message. */
export async function showPush(event: PushEvent): Promise<void> {
  const { kind, title, text, tag, url } = parseMessage(event)
  const isSilent = kind === SILENT
  const options: ShownOptions = {
    body: text,
    tag,
    data: { url },
    silent: isSilent,
    // Otherwise a notification that replaces another one of its tag would not be noticed.
    renotify: !isSilent && tag !== '',
  }
  await self.registration.showNotification(title, options)
}

function parseMessage({ data }: PushEvent): PushMessage {
  const { kind, title, text, url, tag } = readJson(data)
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    kind: textOf(kind),
    title: textOf(title) || 'Multitude',
    text: textOf(text),
    url: textOf(url),
    tag: textOf(tag),
  }
}

/** Returns an empty object for a message that this build does not understand. */
function readJson(data: PushEvent['data']): Partial<Record<keyof PushMessage, unknown>> {
  try {
    return Object(data?.json())
  } catch {
    return {}
  }
}

/** Opens the page of a notification: in a window of the dashboard if there is one. */
export async function openFromNotification({ notification }: NotificationEvent): Promise<void> {
  notification.close()
  const { scope } = self.registration
  const { hash } = new URL(String(Object(notification.data).url ?? ''), scope)
  // Only the fragment is used, so that a message can open nothing but the dashboard.
  const url = `${scope}${hash}`
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find((client) => client.url.startsWith(scope))
  if (!open) return void (await self.clients.openWindow(url))
  // A watching page has its token in the address, so it is shown as it is.
  const isThere = hash === '#/watch' && open.url.includes('#/watch')
  try {
    if (!isThere) await open.navigate(url)
    await open.focus()
  } catch {
    // Browsers let a worker navigate only the windows that it controls.
    await self.clients.openWindow(url)
  }
}
