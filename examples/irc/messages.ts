/** Saying things on IRC: in lines of few bytes, under a relayed name where the server allows it. */
import type { Client } from 'irc-framework'

/** A line has 512 bytes, of which other clients see some as the bot's nick, user and host. */
const LINE_BYTES = 400
const PATIENCE_MS = 10_000
const REFUSALS = ['cannot_send_to_channel', 'chanop_privs_needed']

/** A line that is on its way. */
interface Waiting {
  ping: string
  /** The server's ID of it, where it tells one. */
  msgid: string | null
  isRefused: boolean
  settle(): void
}
type Sent = Pick<Waiting, 'msgid' | 'isRefused'>

/** A line break in a member's name would be a command of the bot itself to the server. */
export const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ')

/** Lines must be sent one after the other. */
export function createSpeaker(irc: Client) {
  const { cap } = irc.network
  let waiting: Waiting | null = null
  let pings = 0

  // A server that echoes what was sent tells its ID by that.
  irc.on('privmsg', ({ nick, tags }) => {
    const isOwn = irc.caseCompare(nick, irc.user.nick) || tags['draft/relaymsg'] === irc.user.nick
    if (isOwn && waiting) waiting.msgid ??= tags.msgid ?? null
  })
  irc.on('irc error', ({ error }) => {
    if (waiting && REFUSALS.includes(error)) waiting.isRefused = true
  })
  irc.on('unknown command', ({ command, params }) => {
    if (waiting && command === 'FAIL' && params[0] === 'RELAYMSG') waiting.isRefused = true
  })
  irc.on('pong', ({ message }) => {
    if (message === waiting?.ping) waiting.settle()
  })

  /** IRC confirms no line, but answers a ping after everything that came before it. */
  async function send(words: string[], text: string): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ping = `line-${++pings}`
    const line: Waiting = { ping, msgid: null, isRefused: false, settle: resolve }
    waiting = line
    irc.raw([...words, text])
    irc.raw(['PING', ping])
    const timer = setTimeout(() => {
      line.isRefused = true
      resolve()
    }, PATIENCE_MS)
    await promise
    clearTimeout(timer)
    waiting = null
    return line
  }

  /** Says all of it; what counts is the first line. */
  async function sendAll(words: string[], before: string, content: string): Promise<Sent> {
    const room = LINE_BYTES - Buffer.byteLength(words.join(' ') + before)
    const [first = '', ...more] = cutText(oneLine(content), room)
    const sent = await send(words, before + first)
    if (!sent.isRefused) for (const piece of more) await send(words, before + piece)
    return sent
  }

  return {
    /** Says it in the channel as somebody else, unless the server does not let the bot. */
    async sayAs(name: string, channel: string, content: string, nick: string): Promise<Sent> {
      if (cap.isEnabled('draft/relaymsg')) {
        const relayed = relayedName(name, nick, cap.available.get('draft/relaymsg') ?? '')
        const sent = await sendAll(['RELAYMSG', channel, relayed], '', content)
        // Most servers let only a channel's operators relay.
        if (!sent.isRefused) return sent
      }
      return sendAll(['PRIVMSG', channel], `<${oneLine(name)}> `, content)
    },

    /** Takes a message back where the server can, and says whether it was asked to. */
    unsay(channel: string, msgid: string | null): boolean {
      if (msgid === null || !cap.isEnabled('draft/message-redaction')) return false
      irc.raw(['REDACT', channel, msgid])
      return true
    },
  }
}

/** Servers that name separators want one in it, so that no nick can look the same. */
function relayedName(name: string, nick: string, separators: string): string {
  const word = oneLine(name).replaceAll(/[\s!+%@&#$:'"?*,./~<>]+/g, '_')
  return separators === '' ? word : `${word}${separators[0]}${nick}`
}

function* cutText(text: string, bytes: number): Generator<string> {
  let piece = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (piece !== '' && Buffer.byteLength(piece + segment) > bytes) {
      yield piece
      piece = ''
    }
    piece += segment
  }
  yield piece
}
