import { randomBytes } from 'node:crypto'
import type { Prompt, Prompts } from './context'

interface OpenPrompt {
  readonly prompt: Prompt
  readonly channel: string
  readonly until: number
}

const MAX_PROMPTS = 5_000
const MINUTE_MS = 60_000
const ID = /^q:([\w-]{16,}):([\w-]+)$/

/** Keeps prompts in memory. After a restart their buttons answer that they have expired. */
export function createPrompts(nowMs: () => number): Prompts {
  const open = new Map<string, OpenPrompt>()
  const find = (key: string) => {
    const found = open.get(key)
    if (!found || found.until > nowMs()) return found
    open.delete(key)
    return undefined
  }
  return {
    open(prompt, channel) {
      const key = randomBytes(12).toString('base64url')
      open.set(key, { prompt, channel, until: nowMs() + prompt.minutes * MINUTE_MS })
      for (const oldest of open.keys()) {
        if (open.size <= MAX_PROMPTS) break
        open.delete(oldest)
      }
      return (action) => `q:${key}:${action}`
    },
    async press(context, id, fields = {}) {
      const [, key, action] = ID.exec(id) ?? []
      if (key === undefined || action === undefined) return null
      const { texts } = context
      const found = find(key)
      if (!found) return { content: texts.promptExpired, isPrivate: true, isRefusal: true }
      if (found.prompt.account !== context.account)
        return { content: texts.promptOfAnother, isPrivate: true, isRefusal: true }
      // Removed first, so that a second press finds nothing to do.
      open.delete(key)
      const { answer, staysOpen } = await found.prompt.onPress(context, action, fields)
      if (staysOpen) open.set(key, found)
      return answer
    },
    async type(context, text) {
      for (const [key, { prompt, channel }] of [...open].toReversed()) {
        if (prompt.account !== context.account || channel !== context.channel) continue
        if (!prompt.onText || !find(key)) continue
        const result = await prompt.onText(context, text)
        if (!result) return null
        if (!result.staysOpen) open.delete(key)
        return result.answer
      }
      return null
    },
  }
}
