/** One message of a stream as it came. */
export interface Message {
  id: string
  event: string
  data: unknown
  at: number
}

export interface Reading {
  readonly status: number
  readonly headers: Headers
  readonly messages: Message[]
  /** How often the heart was heard to beat, the greeting included. */
  readonly beats: number
  /** How it ended: by the server's word, cut off, or by the reader itself. */
  readonly ended: Promise<'ended' | 'cut off' | 'left'>
  readonly isOpen: boolean
  leave(): Promise<void>
}

/** Reads a stream of Server-Sent Events, as an EventSource would, but comes back for nothing. */
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
  let beats = 0
  let isOpen = true
  const take = (block: string) => {
    if (block.startsWith(':')) return void beats++
    const lines = block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [])
    const { id = '', event = '', data = '' } = Object.fromEntries(lines)
    messages.push({ id, event, data: JSON.parse(data), at: performance.now() })
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body ?? []) {
        const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) take(block)
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
    get beats() {
      return beats
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
