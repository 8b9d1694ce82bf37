import { invalidField, isObject, refusal } from './errors'
import type { UploadedFile } from './messageRules'
import type { RecordedRequest } from './record'
import type { JsonObject } from './types'

export interface RestBody {
  body: JsonObject
  list: JsonObject[] | null
  files: UploadedFile[]
}

/** Parses JSON, form and multipart bodies ("Reference, Uploading Files") and records them. */
export async function parseRestBody(entry: RecordedRequest, bytes: Uint8Array): Promise<RestBody> {
  const type = entry.headers['content-type'] ?? ''
  if (bytes.length === 0) return { body: {}, list: null, files: [] }
  if (type.startsWith('multipart/form-data')) return parseMultipart(entry, type, bytes)
  const text = new TextDecoder().decode(bytes)
  if (type.startsWith('application/x-www-form-urlencoded'))
    return withBody(entry, Object.fromEntries(new URLSearchParams(text)), [])
  if (!type.startsWith('application/json'))
    throw invalidField(
      ['_'],
      'CONTENT_TYPE_INVALID',
      'Expected "Content-Type" header to be one of application/json, application/x-www-form-urlencoded, multipart/form-data.',
    )
  return withBody(entry, parseJson(text), [])
}

async function parseMultipart(
  entry: RecordedRequest,
  type: string,
  bytes: Uint8Array,
): Promise<RestBody> {
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null)
  if (!form) throw refusal(50035)
  const files: UploadedFile[] = []
  let payload: unknown = {}
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') {
      if (field === 'payload_json') payload = parseJson(value)
      else if (isObject(payload)) payload[field] = value
      continue
    }
    const [, index] = /^files\[(\d+)\]$/.exec(field) ?? []
    if (index === undefined)
      throw invalidField([field], 'BASE_TYPE_INVALID', 'Files are sent as files[n].')
    const content = new Uint8Array(await value.arrayBuffer())
    files.push({ index, filename: value.name, type: value.type, bytes: content })
    entry.files.push({ field, filename: value.name, type: value.type, size: content.length })
  }
  return withBody(entry, payload, files)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal(50109)
  }
}

function withBody(entry: RecordedRequest, payload: unknown, files: UploadedFile[]): RestBody {
  entry.body = payload
  if (Array.isArray(payload)) return { body: {}, list: payload.map(normalize), files }
  if (!isObject(payload)) throw refusal(50109)
  return { body: normalize(payload), list: null, files }
}

/** Accepts what Discord's parser accepts and its document does not: IDs as numbers, bits as text. */
function normalize(payload: JsonObject): JsonObject {
  const body = { ...payload }
  if (Array.isArray(body.attachments))
    body.attachments = body.attachments.map((attachment) =>
      isObject(attachment) && typeof attachment.id === 'number'
        ? { ...attachment, id: String(attachment.id) }
        : attachment,
    )
  if (isObject(body.data)) body.data = normalize(body.data)
  const { default_member_permissions: permissions } = body
  if (typeof permissions === 'string') body.default_member_permissions = Number(permissions)
  return body
}
