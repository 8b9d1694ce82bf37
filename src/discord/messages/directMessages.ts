import type { APIDMChannel } from 'discord-api-types/v10'
import type { BotCore } from '../bot/core'
import { hasCode } from '../rest/errors'
import type { Upload } from '../rest/requestBody'

/** The account accepts no direct messages of the bot, or shares no guild with it. */
const REFUSED = [50007, 50278]

/** Sends a direct message. Returns false if the account accepts none. */
export async function sendDirectMessage(
  { rest }: Pick<BotCore, 'rest'>,
  recipient_id: string,
  body: { readonly allowed_mentions: object },
  files: readonly Upload[] = [],
): Promise<boolean> {
  try {
    const { id } = await rest.request<APIDMChannel>('POST', '/users/@me/channels', {
      body: { recipient_id },
    })
    await rest.request('POST', '/channels/{channel_id}/messages', {
      params: { channel_id: id },
      body,
      files,
    })
    return true
  } catch (cause) {
    if (hasCode(cause, ...REFUSED)) return false
    throw cause
  }
}
