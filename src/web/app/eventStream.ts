import { ApiError, fetchOk } from './api'

/** Seconds until it is tried again. */
const PAUSES = [1, 2, 5, 15, 30]

/** The server says something every 15 seconds; a line that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000

export type LiveState = 'live' | 'connecting' | 'away' | 'refused'

interface SubscribeOptions {
  path: string
  token?: string
  isAnonymous?: boolean
  /** The last event that was heard before a pause. */
  lastEventId?: string | undefined
  onEvent: (event: { name: string; data: string; id: string }) => void
  onStateChange: (state: LiveState) => void
}

export interface Subscription {
  stop(): void
  /** Tries at once instead of waiting out the pause. */
  reconnectNow(): void
  readonly lastEventId: string | undefined
}

/** Reads a stream of events and comes again when it ends, until told to stop or refused. */
export function subscribe({
  path,
  token,
  isAnonymous,
  onEvent,
  onStateChange,
  ...before
}: SubscribeOptions): Subscription {
  const ending = new AbortController()
  let { lastEventId } = before
  let failures = 0
  let wake = () => {}

  const read = async () => {
    const dead = new AbortController()
    let silence = setTimeout(() => dead.abort(), LONGEST_SILENCE_MS)
    try {
      const signal = AbortSignal.any([ending.signal, dead.signal])
      const asking = {
        signal,
        ...(token !== undefined && { token }),
        ...(isAnonymous && { isAnonymous }),
      }
      const response = await fetchOk(path, lastEventId ? { ...asking, lastEventId } : asking)
      onStateChange('live')
      failures = 0
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return
        clearTimeout(silence)
        silence = setTimeout(() => dead.abort(), LONGEST_SILENCE_MS)
        text += value
        const messages = text.split('\n\n')
        text = messages.pop() ?? ''
        for (const message of messages) hear(message)
      }
    } finally {
      clearTimeout(silence)
    }
  }

  const hear = (message: string) => {
    const [, name] = /^event: (.*)$/m.exec(message) ?? []
    const [, data] = /^data: (.*)$/m.exec(message) ?? []
    const [, id = ''] = /^id: (.*)$/m.exec(message) ?? []
    if (id !== '') lastEventId = id
    if (name !== undefined && data !== undefined) onEvent({ name, data, id })
  }

  const goOn = async () => {
    while (!ending.signal.aborted) {
      let isAway = false
      try {
        await read()
      } catch (cause) {
        if (ending.signal.aborted) return
        if (cause instanceof ApiError && (cause.status === 401 || cause.status === 403))
          return onStateChange('refused')
        isAway = true
      }
      // A stream that ends in order is opened again at once, and nobody needs to know.
      onStateChange(isAway ? 'away' : 'connecting')
      if (!isAway && failures++ === 0) continue
      const pause = PAUSES[Math.min(failures++, PAUSES.length - 1)] ?? 1
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause * 1000)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  goOn()
  return {
    stop: () => {
      ending.abort()
      wake()
    },
    reconnectNow: () => wake(),
    get lastEventId() {
      return lastEventId
    },
  }
}
