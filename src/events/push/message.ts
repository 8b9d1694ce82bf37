import { createHash } from 'node:crypto'
import type { Viewer } from '../../model/core/privacy'
import type { PushKind } from '../../model/push/pushTarget'

/** Body of a push message, which the service worker of the dashboard shows. */
export interface PushMessage {
  readonly kind: PushKind | 'test'
  readonly title: string
  readonly text: string
  /** Page that a click opens, relative to the dashboard. */
  readonly url: string
  /** Notifications with the same tag replace each other. */
  readonly tag: string
}

/** Subjects of messages, read as visible to the receiver when the message is sent. */
export interface PushSources {
  /** Name of the system, fronters that the viewer may see, and the number of further ones. */
  front(viewer: Viewer): Promise<VisibleFront>
  /** Newest unread post on the board of a member; null if there is none. */
  unreadPost(viewer: Viewer, member: string): Promise<UnreadPost | null>
  /** Reminder with this UUID; null if it was deleted. */
  reminder(viewer: Viewer, reminder: string): Promise<{ name: string; text: string | null } | null>
  /** Announced fronters of a friend that the viewer may see; null if nothing is shared any more. */
  friendFront(
    viewer: Viewer,
    friendship: string,
  ): Promise<{ name: string | null; names: readonly string[] } | null>
}

export interface VisibleFront {
  readonly system: string | null
  readonly names: readonly string[]
  readonly hidden: number
}

export interface UnreadPost {
  readonly recipient: string
  readonly author: string | null
  readonly text: string
}

/** A queued message, and how its receiver wants it. */
export interface MessageRequest {
  readonly kind: PushKind
  readonly subject: string
  readonly shows_names: boolean
}

/** Builds a message from what the receiver may see now; null if there is nothing left to say. */
export async function buildMessage(
  sources: PushSources,
  viewer: Viewer,
  { kind, subject, shows_names }: MessageRequest,
): Promise<PushMessage | null> {
  const text = await describers[kind](sources, viewer, subject, shows_names)
  return text && { kind, ...text, tag: topicOf(kind, subject) }
}

export const testMessage: PushMessage = {
  kind: 'test',
  title: 'Multitude',
  text: 'Notifications work on this device.',
  url: '#/devices',
  tag: 'test',
}

type Described = Pick<PushMessage, 'title' | 'text' | 'url'>

type Describe = (
  sources: PushSources,
  viewer: Viewer,
  subject: string,
  showsNames: boolean,
) => Promise<Described | null>

const NOBODY = 'Nobody is fronting.'

const describers: Record<PushKind, Describe> = {
  async reminders({ reminder }, viewer, subject, showsNames) {
    const row = await reminder(viewer, subject)
    if (!row) return null
    const url = '#/reminders'
    if (!showsNames) return { title: 'Reminder', text: '', url }
    return { title: row.name, text: row.text ?? '', url }
  },
  async posts({ unreadPost }, viewer, subject, showsNames) {
    const post = await unreadPost(viewer, subject)
    if (!post) return null
    const url = `#/members/${subject}/board`
    if (!showsNames) return { title: 'New post', text: '', url }
    const { recipient, author, text } = post
    const title = author === null ? `Post for ${recipient}` : `${author} wrote to ${recipient}`
    return { title, text, url }
  },
  async own_front({ front }, viewer, _, showsNames) {
    const { names, hidden } = await front(viewer)
    const url = '#/'
    if (!showsNames) return { title: namelessTitle(names, hidden), text: '', url }
    return { title: 'Fronting now', text: listNames(names, hidden), url }
  },
  async friends({ friendFront }, viewer, subject, showsNames) {
    const friend = await friendFront(viewer, subject)
    if (!friend || friend.names.length === 0) return null
    const url = '#/friends'
    if (!showsNames) return { title: namelessTitle(friend.names, 0), text: '', url }
    return { title: friend.name ?? 'Fronting now', text: listNames(friend.names, 0), url }
  },
  async front({ front }, viewer, _, showsNames) {
    const { system, names, hidden } = await front(viewer)
    const url = '#/watch'
    if (!showsNames) return { title: namelessTitle(names, hidden), text: '', url }
    return { title: system ?? 'Fronting now', text: listNames(names, hidden), url }
  },
}

function namelessTitle(visible: readonly string[], hidden: number): string {
  return visible.length + hidden === 0 ? NOBODY : 'Someone came to the front'
}

const names = new Intl.ListFormat('en')

function listNames(visible: readonly string[], hidden: number): string {
  const more = visible.length === 0 ? 'someone' : `${hidden} more`
  const all = hidden > 0 ? [...visible, more] : visible
  if (all.length === 0) return NOBODY
  const text = names.format(all)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const MAX_BYTES = 2_000
const BLOCK = 256
const MAX_TITLE = 100

const encoder = new TextEncoder()

/** Serializes a message, cut to 2,000 bytes and padded, so that its length reveals little. */
export function encodeMessage(message: PushMessage): Uint8Array {
  let { title, text } = message
  title = cut(title, MAX_TITLE)
  for (;;) {
    const bytes = encoder.encode(JSON.stringify({ ...message, title, text }))
    const excess = bytes.length - MAX_BYTES
    if (excess <= 0) return pad(bytes)
    // One character of JSON takes at most six bytes.
    text = cut(text, Math.max(0, text.length - Math.ceil(excess / 6) - 1))
  }
}

/** JSON ignores spaces at its end. */
function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK).fill(0x20)
  padded.set(bytes)
  return padded
}

/** Cuts a text, but not between the two halves of a character. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const head = text.slice(0, Math.max(0, max - 1))
  return max === 0 ? '' : `${head.isWellFormed() ? head : head.slice(0, -1)}…`
}

const TOPIC_LENGTH = 32

/** Name under which a push service keeps only the newest of several messages. */
export function topicOf(kind: PushMessage['kind'], subject: string): string {
  const hash = createHash('sha256').update(`${kind} ${subject}`).digest('base64url')
  return hash.slice(0, TOPIC_LENGTH)
}

/** Seconds for which a push service keeps a message, and how urgent it is. */
export function deliveryOf(kind: PushMessage['kind']): { ttl: number; urgency: string } {
  return {
    ttl: kind === 'reminders' ? 3_600 : 14_400,
    urgency: kind === 'reminders' ? 'high' : kind === 'own_front' ? 'low' : 'normal',
  }
}
