import { open, Refused } from './client'

const PAUSES = [1, 2, 5, 15, 30]

/** Reads a stream of events and comes again when it ends, until told to stop or refused. */
export function follow(
  path: string,
  token: string,
  told: (event: { name: string; data: string }) => void,
  changed: (state: 'live' | 'connecting' | 'refused') => void,
): () => void {
  const ending = new AbortController()
  let failures = 0

  const read = async () => {
    const response = await open(path, { token, signal: ending.signal })
    changed('live')
    failures = 0
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) return
      text += value
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const [, name] = /^event: (.*)$/m.exec(message) ?? []
        const [, data] = /^data: (.*)$/m.exec(message) ?? []
        if (name !== undefined && data !== undefined) told({ name, data })
      }
    }
  }

  const goOn = async () => {
    while (!ending.signal.aborted) {
      try {
        await read()
      } catch (cause) {
        if (ending.signal.aborted) return
        if (cause instanceof Refused && (cause.status === 401 || cause.status === 403))
          return changed('refused')
      }
      changed('connecting')
      const pause = PAUSES[Math.min(failures++, PAUSES.length - 1)] ?? 1
      await new Promise((resolve) => setTimeout(resolve, pause * 1000))
    }
  }
  goOn()
  return () => ending.abort()
}
