import type { Context } from './context'
import { type FieldError, invalidBody, invalidField, isObject, refusal } from './errors'
import type { Channel, JsonObject } from './types'

/** Bits of "Message Resource, Message Flags". */
export const MessageFlag = {
  crossposted: 1 << 0,
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  isVoiceMessage: 1 << 13,
  hasSnapshot: 1 << 14,
  isComponentsV2: 1 << 15,
} as const

/** A file of a multipart request: `files[n]`, or one with its metadata. */
export interface UploadedFile {
  index: string
  filename: string
  type: string
  bytes: Uint8Array
}

const CONTENT_LIMIT = 2000
const NITRO_CONTENT_LIMIT = 4000
const EMBED_TEXT_LIMIT = 6000

/** Refuses content and embeds beyond the limits of "Message Resource, Embed Limits". */
export function rejectTooLong(body: JsonObject, hasNitro = false): void {
  const errors: FieldError[] = []
  const limit = hasNitro ? NITRO_CONTENT_LIMIT : CONTENT_LIMIT
  if (typeof body.content === 'string' && body.content.length > limit)
    errors.push({
      path: ['content'],
      code: 'BASE_TYPE_MAX_LENGTH',
      message: `Must be ${limit} or fewer in length.`,
    })
  const embeds = listOf(body.embeds)
  if (embeds.reduce((sum, embed) => sum + embedLength(embed), 0) > EMBED_TEXT_LIMIT)
    errors.push({
      path: ['embeds'],
      code: 'MAX_EMBED_SIZE_EXCEEDED',
      message: `Embed size exceeds maximum size of ${EMBED_TEXT_LIMIT}`,
    })
  embeds.forEach((embed, index) => {
    if (isEmptyEmbed(embed))
      errors.push({
        path: ['embeds', index],
        code: 'BASE_TYPE_REQUIRED',
        message: 'This field is required',
      })
  })
  if (errors.length > 0) throw invalidBody(errors)
}

function embedLength(embed: JsonObject): number {
  const fields = listOf(embed.fields).flatMap(({ name, value }) => [name, value])
  const footer = isObject(embed.footer) ? embed.footer.text : ''
  const author = isObject(embed.author) ? embed.author.name : ''
  return [embed.title, embed.description, footer, author, ...fields].reduce(
    (sum: number, text) => sum + (typeof text === 'string' ? text.trim().length : 0),
    0,
  )
}

function isEmptyEmbed(embed: JsonObject): boolean {
  const parts = [
    'title',
    'description',
    'author',
    'footer',
    'image',
    'thumbnail',
    'fields',
    'video',
  ]
  return parts.every((part) => {
    const value = embed[part]
    return (
      value === undefined ||
      value === null ||
      value === '' ||
      (Array.isArray(value) && value.length === 0)
    )
  })
}

/** Refuses a message without any of content, embeds, files, components and poll. */
export function rejectEmpty(body: JsonObject, files: readonly unknown[]): void {
  const hasContent = typeof body.content === 'string' && body.content.trim() !== ''
  const lists = ['embeds', 'components', 'sticker_ids']
  if (hasContent || files.length > 0 || isObject(body.poll)) return
  if (lists.some((name) => listOf(body[name]).length > 0 || hasStrings(body[name]))) return
  throw refusal(50006)
}

/** Allowed flags of webhook messages ("Webhook Resource, Execute Webhook"). */
export function rejectFlags(flags: number, allowed: number, reason: string): void {
  if (flags & ~allowed) throw invalidField(['flags'], 'BASE_TYPE_CHOICES', reason)
}

/** Refuses voice messages that are not one audio file with metadata (codes 50160 to 50162, 50173). */
export function rejectVoice(context: Context, body: JsonObject, files: UploadedFile[]): void {
  if (context.options.voiceMessages === 'refuse') throw refusal(50173, 400)
  if (body.content || listOf(body.embeds).length > 0 || body.poll) throw refusal(50160)
  const [file] = files
  if (!file || files.length !== 1 || !file.type.startsWith('audio/')) throw refusal(50161)
  const [metadata] = listOf(body.attachments)
  if (typeof metadata?.waveform !== 'string' || typeof metadata.duration_secs !== 'number')
    throw refusal(50162)
}

/** Names that webhooks cannot have ("Webhook Resource, Create Webhook" and "Usernames and Nicknames"). */
export function rejectUsername(context: Context, name: unknown, field: string): void {
  if (typeof name !== 'string') return
  const trimmed = name.trim()
  if (trimmed.length < 1 || trimmed.length > 80)
    throw invalidField([field], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.')
  const lower = trimmed.toLowerCase()
  for (const word of ['clyde', 'discord', '```', ...context.options.forbiddenNames])
    if (lower.includes(word.toLowerCase()))
      throw invalidField([field], 'USERNAME_INVALID_CONTAINS', `Username cannot contain "${word}"`)
  if (['everyone', 'here'].includes(lower))
    throw invalidField([field], 'USERNAME_INVALID', `Username cannot be "${lower}"`)
}

/** Refuses files over the guild's limit and requests over the total. */
export function rejectFiles(context: Context, channel: Channel, files: UploadedFile[]): void {
  const { tiers, request } = context.options.fileLimits
  const guild = channel.guildId === null ? null : context.world.getGuild(channel.guildId)
  const tier = guild?.premiumTier ?? 0
  const limit = tiers[tier]
  const total = Math.max(request, tier >= 2 ? limit : 0)
  const sizes = files.map(({ bytes }) => bytes.length)
  const isTooLarge = sizes.some((size) => size > limit)
  if (isTooLarge || sizes.reduce((sum, size) => sum + size, 0) > total) throw refusal(40005)
}

/** Refuses content that AutoMod blocks in this guild. */
export function rejectBlockedWords(context: Context, channel: Channel, content: unknown): void {
  if (channel.guildId === null || typeof content !== 'string') return
  const { blockedWords } = context.world.getGuild(channel.guildId)
  const lower = content.toLowerCase()
  if (blockedWords.some((word) => lower.includes(word.toLowerCase()))) throw refusal(200000)
}

/** Matches `files[n]` with `attachments[].id` ("Reference, Uploading Files"). */
export function rejectUnmatchedFiles(body: JsonObject, files: UploadedFile[]): void {
  const listed = listOf(body.attachments).map(({ id }) => String(id))
  const fresh = listed.filter((id) => /^\d{1,3}$/.test(id))
  const missing = fresh.filter((id) => !files.some(({ index }) => index === id))
  const unlisted = listed.length > 0 ? files.filter(({ index }) => !listed.includes(index)) : []
  if (missing.length === 0 && unlisted.length === 0) return
  throw invalidField(
    ['attachments'],
    'MESSAGE_ATTACHMENT_NOT_FOUND',
    'Attachment data was not provided.',
  )
}

/** Refuses duplicate and missing custom IDs ("Component Reference, Custom ID"). */
export function rejectComponents(body: JsonObject): void {
  const seen = new Set<string>()
  for (const component of nested(listOf(body.components))) {
    const { custom_id: id, type, style } = component
    const isLink = type === 2 && (style === 5 || style === 6)
    if (type === 2 && !isLink && typeof id !== 'string')
      throw invalidField(
        ['components'],
        'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED',
        'A custom id is required',
      )
    if (typeof id !== 'string') continue
    if (seen.has(id))
      throw invalidField(
        ['components'],
        'COMPONENT_CUSTOM_ID_DUPLICATED',
        'Component custom id cannot be duplicated',
      )
    seen.add(id)
  }
}

/** Components with all components inside them. */
export function nested(components: JsonObject[]): JsonObject[] {
  return components.flatMap((component) => [
    component,
    ...nested(listOf(component.components)),
    ...nested(isObject(component.component) ? [component.component] : []),
    ...nested(isObject(component.accessory) ? [component.accessory] : []),
  ])
}

export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function hasStrings(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === 'string')
}
