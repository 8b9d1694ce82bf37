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
    const openPrompt = open.get(key)
    if (!openPrompt || openPrompt.until > nowMs()) return openPrompt
    open.delete(key)
    return undefined
  }
  /** Returns the latest prompt that a message of the account in the channel answers. */
  const findTyped = (account: string, channel: string, text: string): string | null => {
    let latest: string | null = null
    for (const [key, { prompt, channel: asked }] of open)
      if (prompt.account === account && asked === channel && prompt.typed?.accepts(text))
        if (find(key)) latest = key
    return latest
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
      const openPrompt = find(key)
      if (!openPrompt) return { content: texts.promptExpired, isPrivate: true, isRefusal: true }
      if (openPrompt.prompt.account !== context.account)
        return { content: texts.promptOfAnother, isPrivate: true, isRefusal: true }
      // Removed first, so that a second press finds nothing to do.
      open.delete(key)
      const { answer, staysOpen } = await openPrompt.prompt.onPress(context, action, fields)
      if (staysOpen) open.set(key, openPrompt)
      return answer
    },
    isAnswer: (account, channel, text) => findTyped(account, channel, text) !== null,
    async type(context, text) {
      const key = findTyped(context.account, context.channel, text)
      const typed = key === null ? undefined : open.get(key)?.prompt.typed
      if (key === null || !typed) return null
      // Removed first, so that a second message finds nothing to answer.
      open.delete(key)
      return (await typed.run(context, text)).answer
    },
  }
}
