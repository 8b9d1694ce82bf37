/** Sends messages to IRC: in short lines, under a relayed name if the server allows it. */
import type { Client } from 'irc-framework'

/** An IRC line has 512 bytes, which include the nick, user and host of the bot. */
const LINE_BYTES = 400
const TIMEOUT_MS = 10_000
const REFUSALS = ['cannot_send_to_channel', 'chanop_privs_needed']

/** Line that was sent and not yet confirmed. */
interface PendingLine {
  ping: string
  /** ID that the server assigned, if any. */
  msgid: string | null
  isRefused: boolean
  settle(): void
}
type Sent = Pick<PendingLine, 'msgid' | 'isRefused'>

/** Removes line breaks, which would make the rest of a member's name a command to the server. */
export const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ')

/** Returns functions that send messages. Only one may run at a time. */
export function createMessenger(irc: Client) {
  const { cap } = irc.network
  let pending: PendingLine | null = null
  let pings = 0

  // A server that echoes messages includes the ID in the echo.
  irc.on('privmsg', ({ nick, tags }) => {
    const isOwn = irc.caseCompare(nick, irc.user.nick) || tags['draft/relaymsg'] === irc.user.nick
    if (isOwn && pending) pending.msgid ??= tags.msgid ?? null
  })
  irc.on('irc error', ({ error }) => {
    if (pending && REFUSALS.includes(error)) pending.isRefused = true
  })
  irc.on('unknown command', ({ command, params }) => {
    if (pending && command === 'FAIL' && params[0] === 'RELAYMSG') pending.isRefused = true
  })
  irc.on('pong', ({ message }) => {
    if (message === pending?.ping) pending.settle()
  })

  /** Sends a line and a ping. IRC does not confirm lines, but answers a ping after earlier lines. */
  async function send(command: string[], text: string): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ping = `line-${++pings}`
    const line: PendingLine = { ping, msgid: null, isRefused: false, settle: resolve }
    pending = line
    irc.raw([...command, text])
    irc.raw(['PING', ping])
    const timer = setTimeout(() => {
      line.isRefused = true
      resolve()
    }, TIMEOUT_MS)
    await promise
    clearTimeout(timer)
    pending = null
    return line
  }

  /** Sends a text in as many lines as needed, and returns the result of the first. */
  async function sendAll(command: string[], prefix: string, content: string): Promise<Sent> {
    const maxBytes = LINE_BYTES - Buffer.byteLength(command.join(' ') + prefix)
    const [first = '', ...more] = splitText(oneLine(content), maxBytes)
    const sent = await send(command, prefix + first)
    if (!sent.isRefused) for (const part of more) await send(command, prefix + part)
    return sent
  }

  return {
    /** Sends a message under a name: relayed if the server allows it, else as a prefix. */
    async sendAs(name: string, channel: string, content: string, nick: string): Promise<Sent> {
      if (cap.isEnabled('draft/relaymsg')) {
        const relayed = relayedName(name, nick, cap.available.get('draft/relaymsg') ?? '')
        const sent = await sendAll(['RELAYMSG', channel, relayed], '', content)
        // Most servers allow relaying to channel operators only.
        if (!sent.isRefused) return sent
      }
      return sendAll(['PRIVMSG', channel], `<${oneLine(name)}> `, content)
    },

    /** Asks the server to redact a message, and returns whether it supports that. */
    redact(channel: string, msgid: string | null): boolean {
      if (msgid === null || !cap.isEnabled('draft/message-redaction')) return false
      irc.raw(['REDACT', channel, msgid])
      return true
    },
  }
}

/** Builds a relayed name. Servers that list separators require one, so that it cannot equal a nick. */
function relayedName(name: string, nick: string, separators: string): string {
  const word = oneLine(name).replaceAll(/[\s!+%@&#$:'"?*,./~<>]+/g, '_')
  return separators === '' ? word : `${word}${separators[0]}${nick}`
}

function* splitText(text: string, bytes: number): Generator<string> {
  let part = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (part !== '' && Buffer.byteLength(part + segment) > bytes) {
      yield part
      part = ''
    }
    part += segment
  }
  yield part
}
