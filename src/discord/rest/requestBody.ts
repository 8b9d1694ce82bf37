/** A file of a message, with the fields of its entry in `attachments`. */
export interface Upload {
  readonly data: Blob
  readonly attachment: {
    readonly filename: string
    readonly description?: string
    readonly duration_secs?: number
    readonly waveform?: string
  }
}

interface Encoded {
  readonly body?: string | FormData
  readonly headers: Readonly<Record<string, string>>
}

/** Encodes a body as JSON, or as multipart if it has files. `attachments` of the body lists files to keep. */
export function encodeBody(body: object | undefined, uploads: readonly Upload[] = []): Encoded {
  if (uploads.length === 0) {
    if (body === undefined) return { headers: {} }
    // Without a charset, which Discord's own examples do not have.
    return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  }
  const kept: readonly unknown[] =
    body && 'attachments' in body && Array.isArray(body.attachments) ? body.attachments : []
  const added = uploads.map(({ attachment }, id) => ({ id, ...attachment }))
  const form = new FormData()
  form.set('payload_json', JSON.stringify({ ...body, attachments: [...kept, ...added] }))
  for (const [id, { data, attachment }] of uploads.entries())
    form.set(`files[${id}]`, data, attachment.filename)
  return { body: form, headers: {} }
}
