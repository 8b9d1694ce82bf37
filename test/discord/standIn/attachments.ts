import { createHmac } from 'node:crypto'
import type { Context } from './context'
import type { Attachment, JsonObject } from './types'

export interface NewAttachment {
  filename: string
  bytes: Uint8Array
  contentType?: string
  description?: string | null
  durationSeconds?: number | null
  waveform?: string | null
  title?: string | null
  isSpoiler?: boolean
  foreignUrl?: string | null
}

export function createAttachment(
  context: Context,
  channelId: string,
  file: NewAttachment,
): Attachment {
  const attachment: Attachment = {
    id: context.ids.next(),
    channelId,
    filename: sanitizeFilename(file.filename),
    bytes: file.bytes,
    contentType: file.contentType || typeByName(file.filename),
    description: file.description ?? null,
    durationSeconds: file.durationSeconds ?? null,
    waveform: file.waveform ?? null,
    title: file.title ?? null,
    isSpoiler: file.isSpoiler ?? file.filename.startsWith('SPOILER_'),
    foreignUrl: file.foreignUrl ?? null,
  }
  context.world.attachments.set(attachment.id, attachment)
  return attachment
}

/** Serializes an attachment with a freshly signed address ("Reference, Signed Attachment CDN URLs"). */
export function serializeAttachment(context: Context, attachment: Attachment): JsonObject {
  const url = attachment.foreignUrl ?? signedUrl(context, attachment)
  const image = attachment.contentType.startsWith('image/')
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.bytes.length,
    url,
    proxy_url: url,
    content_type: attachment.contentType,
    ...(image ? { width: 64, height: 64 } : {}),
    ...(attachment.description === null ? {} : { description: attachment.description }),
    ...(attachment.durationSeconds === null ? {} : { duration_secs: attachment.durationSeconds }),
    ...(attachment.waveform === null ? {} : { waveform: attachment.waveform }),
    ...(attachment.title === null ? {} : { title: attachment.title }),
    ...(attachment.isSpoiler ? { flags: 8 } : {}),
  }
}

function signedUrl(context: Context, { id, channelId, filename }: Attachment): string {
  const issued = Math.floor(context.clock.now() / 1000)
  const expires = issued + Math.ceil(context.options.attachmentTtlMs / 1000)
  const path = `/attachments/${channelId}/${id}/${encodeURIComponent(filename)}`
  const [ex, is] = [expires.toString(16), issued.toString(16)]
  return `${context.addresses.cdn}${path}?ex=${ex}&is=${is}&hm=${sign(context, path, ex, is)}&`
}

function sign(context: Context, path: string, ex: string, is: string): string {
  return createHmac('sha256', context.application.id).update(`${path} ${ex} ${is}`).digest('hex')
}

export interface CdnFile {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** A picture of one point. */
const point = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64')

/**
 * File at a CDN address; null if it does not exist. Pictures are scaled by `width`, `height` and
 * `format` (media host) or `size` ("Image Formatting").
 */
export function findFile(context: Context, url: URL): CdnFile | null {
  const file = url.pathname.startsWith('/avatars/')
    ? findAvatar(context, url)
    : findAttachment(context, url)
  const { searchParams } = url
  const isScaled = searchParams.has('size') || searchParams.get('format') === 'webp'
  if (!file?.contentType.startsWith('image/') || !isScaled) return file
  const { scaledPictureBytes } = context.options
  const bytes = Buffer.concat([point, Buffer.alloc(Math.max(0, scaledPictureBytes - point.length))])
  return { bytes, contentType: 'image/webp' }
}

/** Avatar of an account, which needs no signature. */
function findAvatar(context: Context, url: URL): CdnFile | null {
  const [, , userId = '', name = ''] = url.pathname.split('/')
  const [hash, ending] = name.split('.')
  const user = context.world.users.get(userId)
  if (!user?.avatar || user.avatar !== hash || context.faults.isCdnBroken) return null
  return { bytes: point, contentType: typeByName(`avatar.${ending}`) }
}

/** Attachment at an address, or null if the signature is wrong or has expired. */
function findAttachment(context: Context, url: URL): Attachment | null {
  const [, kind, , id = ''] = url.pathname.split('/')
  const attachment = context.world.attachments.get(id)
  if (kind !== 'attachments' || !attachment || context.faults.isCdnBroken) return null
  const [ex = '', is = '', hm] = ['ex', 'is', 'hm'].map((name) => url.searchParams.get(name) ?? '')
  const isSigned = hm === sign(context, url.pathname, ex, is)
  return isSigned && Number.parseInt(ex, 16) * 1000 > context.clock.now() ? attachment : null
}

function sanitizeFilename(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '_') || 'unknown'
}

const types: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
}

function typeByName(name: string): string {
  return types[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'
}
