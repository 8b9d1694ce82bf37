import type { Socket } from 'bun'
import { afterAll } from '../tools/test'
import { waitFor } from './ngircd'

const IRCV3 = 'account-tag batch draft/message-redaction draft/relaymsg=/ echo-message message-tags'

/**
 * Starts an IRC server with the capabilities that ngircd lacks, for one client: the bot. Every
 * channel contains robin and otter.
 */
export function startIrcv3(capabilities = IRCV3) {
  const received: string[] = []
  let isRelaying = true
  let client: Socket | null = null
  let messages = 0
  let isJoined = false
  const send = (line: string) => client?.write(`${line}\r\n`)

  const handlers: Record<string, (words: string[], text: string) => void> = {
    CAP: ([kind], text) => {
      if (kind === 'LS') send(`:server CAP * LS :${capabilities}`)
      if (kind === 'REQ') send(`:server CAP * ACK :${text}`)
      if (kind === 'END') {
        send(':server 001 multitude :Welcome')
        send(':server 005 multitude STATUSMSG=@+ CHANTYPES=# :are supported')
      }
    },
    JOIN: ([channel]) => {
      isJoined = true
      send(`:multitude!m@host JOIN ${channel}`)
      send(`:server 353 multitude = ${channel} :multitude robin otter`)
      send(`:server 366 multitude ${channel} :End of NAMES`)
    },
    PING: (_, text) => send(`:server PONG server :${text}`),
    PRIVMSG: ([channel], text) =>
      send(`@msgid=m${++messages} :multitude!m@host PRIVMSG ${channel} :${text}`),
    RELAYMSG: ([channel, name], text) => {
      const tags = `@msgid=m${++messages};draft/relaymsg=multitude`
      if (isRelaying) send(`${tags} :${name}!r@host PRIVMSG ${channel} :${text}`)
      else send('FAIL RELAYMSG PRIVS_NEEDED :Not here')
    },
  }

  let rest = ''
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        client = socket
      },
      data: (_, data) => {
        const lines = (rest + data.toString()).split('\r\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const [command = '', ...words] = line.split(' :')[0]?.split(' ') ?? []
          if (!['CAP', 'NICK', 'USER', 'JOIN', 'PING'].includes(command)) received.push(line)
          const [, text = words.at(-1) ?? ''] = / :(.*)$/.exec(line) ?? []
          handlers[command]?.(words, text)
        }
      },
    },
  })
  afterAll(() => server.stop(true))

  return {
    port: server.port,
    isJoinedByBot: () => waitFor(() => isJoined),
    /** Lines of the bot, without those of the connection setup. */
    received,
    allowRelaying: (value: boolean) => {
      isRelaying = value
    },
    /** Sends a line to the bot. */
    send,
    /** Waits for a line of the bot that begins so, removes it from the list and returns it. */
    async waitForLine(beginning: string): Promise<string> {
      await waitFor(() => received.some((line) => line.startsWith(beginning)))
      const at = received.findIndex((line) => line.startsWith(beginning))
      return received.splice(at, 1)[0] ?? ''
    },
  }
}
