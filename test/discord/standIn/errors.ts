import type { JsonObject } from './types'

/** Codes and messages of "Opcodes and Status Codes, JSON Error Codes", with their HTTP status. */
const known = {
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10011: [404, 'Unknown Role'],
  10013: [404, 'Unknown User'],
  10014: [400, 'Unknown Emoji'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  20009: [403, 'Explicit content cannot be sent to the desired recipient(s)'],
  30003: [400, 'Maximum number of pins reached for the channel (50)'],
  30007: [400, 'Maximum number of webhooks reached (15)'],
  30010: [400, 'Maximum number of reactions reached (20)'],
  30032: [400, 'Maximum number of application commands reached'],
  30034: [400, 'Maximum number of daily application command creates has been reached (200)'],
  30058: [400, 'Maximum number of webhooks per guild reached (1000)'],
  40005: [413, 'Request entity too large. Try sending something smaller in size'],
  40060: [400, 'Interaction has already been acknowledged'],
  50001: [403, 'Missing Access'],
  50003: [403, 'Cannot execute action on a DM channel'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50016: [
    400,
    'Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete',
  ],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50034: [400, 'You can only bulk delete messages that are under 14 days old'],
  50035: [400, 'Invalid Form Body'],
  50083: [400, 'Thread is archived'],
  50109: [400, 'The request body contains invalid JSON'],
  50160: [400, 'Voice messages do not support additional content'],
  50161: [400, 'Voice messages must have a single audio attachment'],
  50162: [400, 'Voice messages must have supporting metadata'],
  50163: [400, 'Voice messages cannot be edited'],
  50173: [403, 'You cannot send voice messages in this channel'],
  50278: [403, 'Cannot send messages to this user due to having no mutual guilds'],
  160002: [400, 'Cannot reply without permission to read message history'],
  200000: [400, 'Message was blocked by automatic moderation'],
  220001: [400, 'Webhooks posted to forum channels must have a thread_name or thread_id'],
  220002: [400, 'Webhooks posted to forum channels cannot have both a thread_name and thread_id'],
  220003: [400, 'Webhooks can only create threads in forum channels'],
} as const

export type ErrorCode = keyof typeof known

/** An answer that refuses a request. */
export class DiscordError extends Error {
  constructor(
    readonly status: number,
    readonly body: JsonObject | string,
    readonly headers: Record<string, string> = {},
  ) {
    super(typeof body === 'string' ? body : String(body.message))
  }
}

export function refusal(code: ErrorCode, status?: number): DiscordError {
  const [usual, message] = known[code]
  return new DiscordError(status ?? usual, { message, code })
}

export interface FieldError {
  path: (string | number)[]
  code: string
  message: string
}

/** Refuses a body with the tree of "Reference, Error Messages". */
export function invalidBody(errors: FieldError[]): DiscordError {
  const tree: JsonObject = {}
  for (const { path, code, message } of errors) {
    let node = tree
    for (const step of path) {
      const next = node[step]
      if (isObject(next)) node = next
      else {
        const child: JsonObject = {}
        node[step] = child
        node = child
      }
    }
    const list = Array.isArray(node._errors) ? node._errors : []
    node._errors = [...list, { code, message }]
  }
  const [status, message] = known[50035]
  return new DiscordError(status, { message, code: 50035, errors: tree })
}

export function invalidField(path: (string | number)[], code: string, message: string) {
  return invalidBody([{ path, code, message }])
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
