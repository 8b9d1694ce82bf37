/** One message of a stream. */
export interface Message {
  id: string
  event: string
  data: unknown
}

export interface Reading {
  readonly status: number
  readonly headers: Headers
  readonly messages: Message[]
  /** Number of heartbeats, including the first one. */
  readonly heartbeats: number
  /** How the stream ended: closed by the server, aborted, or closed by the client. */
  readonly ended: Promise<'ended' | 'cut off' | 'left'>
  readonly isOpen: boolean
  leave(): Promise<void>
}

/** Reads Server-Sent Events like an EventSource, but never reconnects. */
export async function readStream(
  url: string,
  { token, since, ...more }: { token?: string; since?: number | string } & Headed = {},
): Promise<Reading> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    signal: leaving.signal,
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(since !== undefined && { 'last-event-id': String(since) }),
      ...more.headers,
    },
  })
  const messages: Message[] = []
  let heartbeats = 0
  let isOpen = true
  const parseBlock = (block: string) => {
    if (block.startsWith(':')) return void heartbeats++
    const lines = block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [])
    const { id = '', event = '', data = '' } = Object.fromEntries(lines)
    messages.push({ id, event, data: JSON.parse(data) })
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body ?? []) {
        const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) parseBlock(block)
      }
      return text === '' ? 'ended' : 'cut off'
    } catch {
      return leaving.signal.aborted ? 'left' : 'cut off'
    } finally {
      isOpen = false
    }
  }
  const ended = read()
  return {
    status: response.status,
    headers: response.headers,
    messages,
    get heartbeats() {
      return heartbeats
    },
    get isOpen() {
      return isOpen
    },
    ended,
    async leave() {
      leaving.abort()
      await ended
    },
  }
}

interface Headed {
  headers?: Record<string, string>
}
