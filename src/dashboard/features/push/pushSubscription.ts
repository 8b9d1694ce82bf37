import { nameBrowser } from '../../../model/access/browser'
import type { PushKind } from '../../../model/push/pushTarget'
import { request, requestOnce } from '../../api/client'
import { pushPath } from '../../api/resources'
import { registerWorker } from '../../core/registerWorker'

/** Push notifications of this browser, for the logged-in system or for a friend with a link. */

/** A browser that receives push notifications. */
export interface PushTarget {
  readonly id: string
  readonly wants: readonly PushKind[]
  readonly shows_names: boolean
  readonly is_this: boolean
}

/** Kinds that the owner can choose. */
export const ownKinds = ['reminders', 'posts', 'friends', 'own_front'] as const

/** Support for push in this browser: missing, only for the page as an app, forbidden, or there. */
export type PushSupport = 'none' | 'install' | 'denied' | 'ready'

/** Push notifications as seen from this browser. */
export interface PushStatus {
  readonly support: PushSupport
  /** Public key of the server; null if push is off there. */
  readonly key: string | null
  /** Target of this browser; null if notifications are off here. */
  readonly target: PushTarget | null
}

/** Sends requests about push targets as the session, or with the token of a friend's link. */
export interface PushClient {
  readonly send: <T>(path: string, method: string, body?: unknown) => Promise<T | null>
  /** Token of a friend's link; undefined for the session. */
  readonly token: string | undefined
}

export function createPushClient(token?: string): PushClient {
  return {
    token,
    send: (path, method, body) =>
      token === undefined
        ? request(`${pushPath}${path}`, { method, body })
        : requestOnce(`${pushPath}${path}`, { method, body, token }),
  }
}

export function findSupport(): PushSupport {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return isAppleTouchDevice() ? 'install' : 'none'
  return Notification.permission === 'denied' ? 'denied' : 'ready'
}

/** iPhones and iPads have push only for pages on the home screen. iPads say that they are Macs. */
function isAppleTouchDevice(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  return /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
}

export async function loadPushStatus({ send, token }: PushClient): Promise<PushStatus> {
  const status = await send<{ key: string | null; targets: PushTarget[] }>('', 'GET')
  const { key = null, targets = [] } = status ?? {}
  const support = findSupport()
  const target = targets.find((target) =>
    token === undefined ? target.is_this : target.id === localStorage.getItem(WATCH_TARGET),
  )
  const isOn = target !== undefined && support === 'ready' && (await findSubscription()) !== null
  return { support, key, target: isOn ? target : null }
}

/** ID of this browser's target of a friend's link, because several browsers share its token. */
const WATCH_TARGET = 'multitude-watch-push'

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('./')
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Asks for permission and registers this browser. Returns false if permission was not given. */
export async function turnOnPush(
  { send, token }: PushClient,
  key: string,
  wants: readonly PushKind[],
  shows_names: boolean,
): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  if (!(await registerWorker())) throw new Error('there is no service worker')
  const { pushManager } = await navigator.serviceWorker.ready
  const before = await pushManager.getSubscription()
  if (before && !hasKey(before, key)) await before.unsubscribe()
  const applicationServerKey = decodeKey(key)
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey })
    // Browsers report an unreachable push service as an aborted action.
    .catch((cause) => Promise.reject(new Error('no subscription', { cause })))
  const { endpoint, keys } = subscription.toJSON()
  const label = nameBrowser(navigator.userAgent)
  const body = { endpoint, keys, label, wants, shows_names }
  const target = await send<PushTarget>('', 'PUT', body)
  if (token !== undefined && target) localStorage.setItem(WATCH_TARGET, target.id)
  return true
}

/** Deletes the target, and ends the subscription of the browser. */
export async function turnOffPush({ send, token }: PushClient, target: PushTarget): Promise<void> {
  await send(`/${target.id}`, 'DELETE')
  if (token !== undefined) localStorage.removeItem(WATCH_TARGET)
  await (await findSubscription())?.unsubscribe()
}

/** A new key of the server needs a new subscription. */
function hasKey({ options }: PushSubscription, key: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return String(bytes) === String(decodeKey(key))
}

function decodeKey(key: string): Uint8Array<ArrayBuffer> {
  const binary = atob(key.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
