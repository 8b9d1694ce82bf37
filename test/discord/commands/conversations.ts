import { expect, test } from '../../tools/test'
import type { Chat, Reply, SayOptions, Scene, SlashOptions, Speaker } from './discordChat'

/** One exchange: what the owner (or another account) does, and what the bot answers. */
export interface Line {
  readonly say?: string
  /** Slash command with its subcommand, or a menu of an account. */
  readonly use?: string
  readonly with?: SlashOptions
  /** Label of a button of the previous answer. */
  readonly press?: string
  /** Values of the form that the previous answer opened. */
  readonly submit?: Record<string, string>
  readonly by?: 'owner' | 'other' | 'guest' | 'manager'
  readonly options?: SayOptions
  /** Parts that the answer must contain; null if the bot stays silent. */
  readonly answer?: string | RegExp | readonly (string | RegExp)[] | null | undefined
  readonly direct?: string | RegExp
  /** Parts that neither the answer nor a direct message may contain. */
  readonly lacks?: readonly string[]
  /** The whole channel sees the answer to the slash command. */
  readonly isPublic?: boolean
  /** The bot deletes the message with the command. */
  readonly deletesCommand?: boolean
  readonly after?: (reply: Reply) => unknown
}

export type Conversation = readonly (Line | readonly [say: string, answer: Line['answer']])[]
export type Conversations = Readonly<Record<string, Conversation>>

/** Creates one test for each conversation, each in a guild and with systems of its own. */
export function runConversations(chat: Chat, conversations: Conversations): void {
  for (const [title, lines] of Object.entries(conversations))
    test(title, async () => {
      const scene = await chat.newScene()
      const { owner, other, guest, guild, system, harbour } = scene
      const ids: Record<string, string> = {
        owner: owner.id,
        other: other.id,
        guest: guest.id,
        system: system.hid,
        harbour: harbour.hid,
        guild: guild.id,
        channel: guild.channelId,
        hidden: guild.hidden,
        category: guild.category,
        channel2: guild.other,
        bot: chat.discord.botId,
      }
      let last: Reply | null = null
      for (const given of lines) {
        last = await exchange(scene, lineOf(given), last, ids)
        const [, id] = /ID is ``?([a-z]{5,6})``?/.exec(last.text) ?? []
        if (id !== undefined) ids.last = id
        const [, name] = /(?:Member|Group) (\w+) was created/.exec(last.text) ?? []
        if (id !== undefined && name !== undefined) ids[name.toLowerCase()] = id
      }
    })
}

export function lineOf(given: Conversation[number]): Line {
  return 'length' in given ? { say: given[0], answer: given[1] } : given
}

async function exchange(
  scene: Scene,
  line: Line,
  last: Reply | null,
  ids: Readonly<Record<string, string>>,
): Promise<Reply> {
  const fillIn = (text: string) => fill(text, ids)
  const speaker = scene[line.by ?? 'owner']
  const reply = await act(speaker, line, last, fillIn)
  const what = `${line.say ?? line.use ?? line.press}\n→ ${reply.text}`
  if (line.answer === null) expect(reply.text, what).toBe('')
  else
    for (const part of [line.answer ?? []].flat())
      if (part instanceof RegExp) expect(reply.text, what).toMatch(part)
      else expect(reply.text, what).toContain(fillIn(part))
  if (line.direct instanceof RegExp) expect(reply.direct, what).toMatch(line.direct)
  else if (line.direct !== undefined) expect(reply.direct, what).toContain(fillIn(line.direct))
  for (const text of line.lacks ?? [])
    expect(`${reply.text}\n${reply.direct}`, what).not.toContain(fillIn(text))
  if (line.use !== undefined && reply.message)
    expect([line.use, reply.isPrivate]).toEqual([line.use, line.isPublic !== true])
  if (reply.message?.channelId === scene.guild.channelId)
    expect(
      reply.message.notified.filter((id) => id !== scene.guest.id),
      what,
    ).toEqual([])
  if (line.deletesCommand) expect(reply.isCommandDeleted, what).toBe(true)
  line.after?.(reply)
  return reply
}

async function act(
  speaker: Speaker,
  { say, use, with: options = {}, press, submit, options: input, answer }: Line,
  last: Reply | null,
  fillIn: (text: string) => string,
): Promise<Reply> {
  const fillAll = <T>(values: Record<string, T>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === 'string' ? fillIn(value) : value,
      ]),
    )
  if (say !== undefined)
    return speaker.say(fillIn(say), { ...input, ...(answer === null && { isIgnored: true }) })
  if (use !== undefined) return speaker.use(use, fillAll(options))
  if (!last) throw new Error('there is no answer to act on')
  if (press !== undefined) return speaker.press(press, last)
  return speaker.submit(fillAll(submit ?? {}), last)
}

/** Replaces `<owner>`, `<system>`, `<last>` and the like by IDs. */
function fill(text: string, ids: Readonly<Record<string, string>>): string {
  return text.replace(/<(\w+)>/g, (found, name) => ids[name] ?? found)
}
