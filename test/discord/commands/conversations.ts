import { expect, test } from '../../test'
import type { Chat, Reply, SayOptions, Speaker } from './chat'

/** One exchange: what the owner (or another account) does, and what the bot answers. */
export interface Line {
  readonly say?: string
  /** Label of a button of the previous answer. */
  readonly press?: string
  readonly fields?: Record<string, string>
  readonly by?: 'owner' | 'other'
  readonly options?: SayOptions
  /** Parts that the answer in the channel must contain; null if the bot stays silent. */
  readonly answer?: string | RegExp | readonly (string | RegExp)[] | null | undefined
  readonly direct?: string | RegExp
  /** Parts that neither the answer nor a direct message may contain. */
  readonly lacks?: readonly string[]
  readonly after?: (reply: Reply) => unknown
}

export type Conversation = readonly (Line | readonly [say: string, answer: Line['answer']])[]

/** Creates one test for each conversation, each with a system of its own that has the member Wren. */
export function runConversations(
  chat: Chat,
  conversations: Readonly<Record<string, Conversation>>,
): void {
  for (const [title, lines] of Object.entries(conversations))
    test(title, async () => {
      const owner = await chat.newSystem('Lantern Hill')
      await owner.say('pk;member new Wren')
      const other = await chat.newSystem('Harbour')
      const ids: Record<string, string> = {
        owner: owner.account,
        other: other.account,
        system: owner.system.hid,
        harbour: other.system.hid,
      }
      let last: Reply | null = null
      for (const given of lines) {
        const line: Line = 'length' in given ? { say: given[0], answer: given[1] } : given
        const speaker: Speaker = line.by === 'other' ? other : owner
        last = await exchange(speaker, line, last, (text) => fill(text, ids))
        const [, id] = /ID is ``?([a-z]{5,6})``?/.exec(last.text) ?? []
        if (id !== undefined) ids.last = id
        const [, name] = /(?:Member|Group) (\w+) was created/.exec(last.text) ?? []
        if (id !== undefined && name !== undefined) ids[name.toLowerCase()] = id
      }
    })
}

async function exchange(
  speaker: Speaker,
  line: Line,
  last: Reply | null,
  fillIn: (text: string) => string,
): Promise<Reply> {
  const fields =
    line.fields &&
    Object.fromEntries(Object.entries(line.fields).map(([key, value]) => [key, fillIn(value)]))
  const reply =
    line.say === undefined
      ? await speaker.press(line.press ?? '', last?.answer ?? null, fields)
      : await speaker.say(fillIn(line.say), line.options)
  const what = `${line.say ?? line.press}\n→ ${reply.text}`
  if (line.answer === null) expect(reply.text, what).toBe('')
  else
    for (const part of [line.answer ?? []].flat())
      if (part instanceof RegExp) expect(reply.text, what).toMatch(part)
      else expect(reply.text, what).toContain(fillIn(part))
  if (line.direct instanceof RegExp) expect(reply.direct, what).toMatch(line.direct)
  else if (line.direct !== undefined) expect(reply.direct, what).toContain(fillIn(line.direct))
  for (const text of line.lacks ?? [])
    expect(`${reply.text}\n${reply.direct}`, what).not.toContain(fillIn(text))
  line.after?.(reply)
  return reply
}

/** Replaces `<owner>`, `<system>`, `<last>` and the like by IDs. */
function fill(text: string, ids: Readonly<Record<string, string>>): string {
  return text.replace(/<(\w+)>/g, (found, name) => ids[name] ?? found)
}
