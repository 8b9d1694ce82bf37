import { createHmac } from 'node:crypto'
import { SECOND } from '../model/core/time'

/** Returns headers that prove origin and integrity, and let the receiver detect replays. */
export function sign(token: string, id: number, at: number, body: string): Record<string, string> {
  const timestamp = Math.floor(at / SECOND)
  const hmac = createHmac('sha256', token).update(`${id}.${timestamp}.${body}`).digest('hex')
  return {
    'x-event-id': String(id),
    'x-event-timestamp': String(timestamp),
    'x-event-signature': `sha256=${hmac}`,
  }
}
