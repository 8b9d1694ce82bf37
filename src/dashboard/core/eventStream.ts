import { ApiError, fetchOk } from '../api/client'

/** Seconds before each further attempt to connect. */
const RETRY_SECONDS = [1, 2, 5, 15, 30]

/** Time after which an open connection counts as stable, and failures before it do not matter. */
const STABLE_AFTER_MS = 10_000

/** The server sends something every 15 seconds, so a longer silence means a dead connection. */
const SILENCE_TIMEOUT_MS = 45_000

export type LiveState = 'live' | 'connecting' | 'away' | 'refused'

interface SubscribeOptions {
  path: string
  token?: string
  isAnonymous?: boolean
  /** ID of the last event received before a pause. */
  lastEventId?: string | undefined
  onEvent: (event: StreamEvent) => void
  onStateChange: (state: LiveState) => void
}

export interface StreamEvent {
  readonly name: string
  readonly data: string
  readonly id: string
}

export interface Subscription {
  stop(): void
  /** Reconnects at once, or after the present attempt, instead of waiting for the next one. */
  reconnectNow(): void
  readonly lastEventId: string | undefined
}

/** Reads an event stream and reconnects when it ends, until stopped or refused. */
export function subscribe({
  path,
  token,
  isAnonymous,
  onEvent,
  onStateChange,
  ...rest
}: SubscribeOptions): Subscription {
  const stopping = new AbortController()
  let { lastEventId } = rest
  let failures = 0
  let retryNow = () => {}

  const read = async () => {
    const timeout = new AbortController()
    let openedAt = Infinity
    let timer = setTimeout(() => timeout.abort(), SILENCE_TIMEOUT_MS)
    try {
      const signal = AbortSignal.any([stopping.signal, timeout.signal])
      const options = {
        signal,
        ...(token !== undefined && { token }),
        ...(isAnonymous && { isAnonymous }),
      }
      const response = await fetchOk(path, lastEventId ? { ...options, lastEventId } : options)
      onStateChange('live')
      openedAt = Date.now()
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return
        clearTimeout(timer)
        timer = setTimeout(() => timeout.abort(), SILENCE_TIMEOUT_MS)
        text += value
        const messages = text.split('\n\n')
        text = messages.pop() ?? ''
        for (const message of messages) handleMessage(message)
      }
    } finally {
      clearTimeout(timer)
      if (Date.now() - openedAt >= STABLE_AFTER_MS) failures = 0
    }
  }

  const handleMessage = (message: string) => {
    const [, name] = /^event: (.*)$/m.exec(message) ?? []
    const [, data] = /^data: (.*)$/m.exec(message) ?? []
    const [, id = ''] = /^id: (.*)$/m.exec(message) ?? []
    if (id !== '') lastEventId = id
    if (name !== undefined && data !== undefined) onEvent({ name, data, id })
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      let hasFailed = false
      let isAsked = false
      retryNow = () => {
        isAsked = true
      }
      try {
        await read()
      } catch (cause) {
        if (stopping.signal.aborted) return
        if (cause instanceof ApiError && (cause.status === 401 || cause.status === 403))
          return onStateChange('refused')
        hasFailed = true
      }
      // A stream that ended normally is reopened at once, without showing an interruption.
      onStateChange(hasFailed ? 'away' : 'connecting')
      const seconds = RETRY_SECONDS[Math.min(failures++, RETRY_SECONDS.length - 1)] ?? 1
      if (isAsked || (!hasFailed && failures === 1)) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000)
        retryNow = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  run()
  return {
    stop: () => {
      stopping.abort()
      retryNow()
    },
    reconnectNow: () => retryNow(),
    get lastEventId() {
      return lastEventId
    },
  }
}
