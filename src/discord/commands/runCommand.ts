import { DomainError, type ErrorName } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { problemMessage } from '../../model/core/problemMessages'
import { suggest } from '../../model/core/suggest'
import { getGuild } from '../../service/proxy/guilds'
import type { CommandId } from '../text/enCommands'
import { code } from '../text/format'
import type { Texts } from '../text/texts'
import { type Answer, MAX_CONTENT } from './answer'
import { shorten } from './cards/embed'
import type { Command } from './command'
import type { Context } from './context'
import { type Arguments, matchCommand } from './grammar/matchCommand'
import { splitWords, type Word } from './grammar/words'
import { resolveGroup, resolveMember } from './references'
import { Refusal } from './refusal'
import { commands } from './table'

/** Result of a command: the answer to send, or null to stay silent, and the command for metrics. */
export interface Result {
  readonly answer: Answer | null
  readonly command: string
}

/** Runs the text after the prefix. Without any, the bot explains itself. */
export async function runText(context: Context, text: string): Promise<Result> {
  const { texts, name } = context
  const matched = matchCommand(text === '' ? 'help' : text, commands)
  if (matched && 'command' in matched) return runCommand(context, matched.command, matched.args)
  if (matched && 'refused' in matched) {
    const { refused, unknownFlags } = matched
    const flags = [...new Set(refused.flags.values())]
    return { answer: refuse(texts, texts.unknownFlags(unknownFlags, flags)), command: refused.id }
  }
  const words = splitWords(text)
  const near = matched?.incomplete ?? null
  if (near) {
    const answer = await answerFor(context, near.id, async () => {
      const explained = await explainIncomplete(context, near, words)
      return explained ?? { content: '' }
    })
    if (answer.content !== '') return { answer, command: near.id }
  }
  if (!(await showsUnknown(context))) return { answer: null, command: 'unknown' }
  const suggested = findSuggestions(lowerCase(words), near).map((usage) =>
    code(`${context.prefix}${usage}`),
  )
  const [head] = near?.parts ?? []
  const topic = head && 'literals' in head ? head.literals[0] : undefined
  const all = name('commands', topic === undefined ? {} : { topic })
  const answer = refuse(texts, texts.unknownCommand(suggested, all))
  return { answer, command: 'unknown' }
}

function lowerCase(words: readonly Word[]): string[] {
  return words.map(({ text }) => text.toLowerCase())
}

/** Explains what a command lacks; null if its words are wrong rather than its parameters. */
async function explainIncomplete(
  context: Context,
  near: Command,
  words: readonly Word[],
): Promise<Answer | null> {
  const { texts, prefix } = context
  const typed = lowerCase(words)
  if (isComplete(near, typed)) return refuse(texts, texts.usage(code(`${prefix}${near.usage}`)))
  const [head] = near.parts
  const [, ref] = words
  // The first word is right, so the name after it may be what is wrong.
  if (ref && head && 'literals' in head) {
    if (head.literals[0] === 'member') await resolveMember(context, ref.text, { hasMore: true })
    if (head.literals[0] === 'group') await resolveGroup(context, ref.text, { hasMore: true })
  }
  if (findSuggestions(typed, near).length > 0 || !isNamed(near, typed)) return null
  return refuse(texts, texts.usage(code(`${prefix}${near.usage}`)))
}

/** Returns true if all words that name the command were typed, so that only a parameter is wrong. */
function isNamed({ parts }: Command, typed: readonly string[]): boolean {
  return parts.every(
    (part) => !('literals' in part) || part.literals.some((literal) => typed.includes(literal)),
  )
}

/** Like `isNamed`, for more than the first word, unless that is all that was typed. */
function isComplete(command: Command, typed: readonly string[]): boolean {
  const words = command.parts.filter((part) => 'literals' in part)
  return isNamed(command, typed) && (words.length > 1 || typed.length === 1)
}

/** Shorter words resemble too many others. */
const MIN_SUGGESTED = 4

/** Suggests commands whose words resemble the typed ones. */
function findSuggestions(typed: readonly string[], near: Command | null): string[] {
  const first = typed[0] ?? ''
  const isLong = (word: string) => word.length >= MIN_SUGGESTED
  if (!near) {
    const names = commands.flatMap(({ parts: [part], isListed }) =>
      isListed && part && 'literals' in part ? part.literals.filter(isLong) : [],
    )
    return suggest([...new Set(names)], first)
  }
  // The first word is known, so one of the others is not.
  const [head] = near.parts
  const family = commands.filter(
    ({ parts: [part], isListed }) =>
      isListed &&
      part &&
      head &&
      'literals' in part &&
      'literals' in head &&
      part.literals[0] === head.literals[0],
  )
  const usages = new Map<string, string>()
  for (const { parts, usage } of family)
    for (const part of parts.slice(1))
      if ('literals' in part)
        for (const literal of part.literals.filter(isLong))
          if (!usages.has(literal)) usages.set(literal, usage)
  const similar = typed.slice(1).flatMap((word) => suggest([...usages.keys()], word))
  return [...new Set(similar.flatMap((literal) => usages.get(literal) ?? []))].slice(0, 3)
}

async function showsUnknown({ deps, guild, isDatabaseAway }: Context): Promise<boolean> {
  if (guild === null) return true
  try {
    return (await getGuild(deps, discordBot, guild.id)).command_errors
  } catch (cause) {
    if (isDatabaseAway(cause)) return false
    throw cause
  }
}

/** Runs a command of the table with arguments from any source. */
export async function runCommand(
  context: Context,
  command: Command,
  args: Arguments,
): Promise<Result> {
  return {
    answer: await answerFor(context, command.id, () => command.run(context, args)),
    command: command.id,
  }
}

/** Runs any handler. Errors become sentences, and private answers reach the account alone. */
export async function answerFor(
  context: Context,
  name: string,
  run: () => Promise<Answer>,
): Promise<Answer> {
  return finish(context, name, run)
}

/** Turns errors into sentences, and delivers the answer. */
async function finish(context: Context, name: string, run: () => Promise<Answer>): Promise<Answer> {
  const answer = await run().catch((cause: unknown) => explainError(context, name, cause))
  if (answer.expects) expectCommands(context, answer.expects)
  return deliverPrivately(context, answer)
}

const EXPECT_MINUTES = 5

/** Lets the account write commands without a prefix, as people do who were just told of them. */
function expectCommands(context: Context, ids: readonly CommandId[]): void {
  const find = (text: string) => {
    const matched = matchCommand(text, commands)
    if (!matched || !('command' in matched) || !ids.includes(matched.command.id)) return null
    // Only the full words, because short ones may begin an ordinary sentence.
    const begin = matched.command.usage.replace(/ *[<[].*$/, '')
    return text.toLowerCase().startsWith(begin) ? matched : null
  }
  const { account, prompts, channel, texts, prefix, name } = context
  prompts.open(
    {
      account,
      minutes: EXPECT_MINUTES,
      onPress: async () => ({ answer: { content: texts.promptExpired, isRefusal: true } }),
      typed: {
        accepts: (text) => find(text) !== null,
        async run(answering, text) {
          const matched = find(text)
          const answer = await matched?.command.run({ ...answering, prefix, name }, matched.args)
          return { answer: answer ?? { content: texts.promptExpired, isRefusal: true } }
        },
      },
    },
    channel,
  )
}

/** Answers a pressed button or a submitted form; null if the bot did not make the ID. */
export async function runPress(
  context: Context,
  id: string,
  fields?: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  return finishPrompt(context, () => context.prompts.press(context, id, fields))
}

/** Answers a message without a prefix if the account was asked something; otherwise null. */
export async function runTyped(context: Context, text: string): Promise<Answer | null> {
  return finishPrompt(context, () => context.prompts.type(context, text))
}

/** Finishes the answer of a prompt; null if there is no such prompt. */
async function finishPrompt(
  context: Context,
  run: () => Promise<Answer | null>,
): Promise<Answer | null> {
  let isKnown = true
  const answer = await finish(context, 'prompt', async () => {
    const promptAnswer = await run()
    isKnown = promptAnswer !== null
    return promptAnswer ?? {}
  })
  return isKnown ? answer : null
}

/**
 * Sends a private answer as a direct message if the command is in a channel. If that fails, the
 * channel gets a notice, never the answer.
 */
async function deliverPrivately(context: Context, full: Answer): Promise<Answer> {
  const answer = withinLimits(full)
  if (!answer.isPrivate || context.via === 'interaction' || context.guild === null) return answer
  const { texts } = context
  const isSent = await context.sendDirect(answer)
  if (isSent && answer.copy !== undefined) await context.sendDirect({ content: answer.copy })
  return isSent ? { content: texts.checkDirect } : { content: texts.directFailed, isRefusal: true }
}

/** Keys of errors that the person can do something about. */
const sentences: Partial<Record<ErrorName, (texts: Texts) => string>> = {
  memberListHidden: (texts) => texts.hiddenList,
  groupListHidden: (texts) => texts.hiddenList,
  groupMembersHidden: (texts) => texts.hiddenList,
  frontersHidden: (texts) => texts.hiddenList,
  historyHidden: (texts) => texts.hiddenList,
  memberLimit: (texts) => texts.memberLimit,
  groupLimit: (texts) => texts.groupLimit,
  sameTimestamp: (texts) => texts.sameTime,
  systemNotFound: (texts) => texts.systemNotFound,
  memberNotFound: (texts) => texts.memberGone,
  memberRefNotFound: (texts) => texts.memberGone,
  groupNotFound: (texts) => texts.groupGone,
  messageNotFound: (texts) => texts.messageNotFound,
  notYourMember: (texts) => texts.notYours,
  notYourGroup: (texts) => texts.notYours,
  tooLarge: (texts) => texts.importTooLarge,
  tooManyRequests: (texts) => texts.slowDown,
}

function explainError(context: Context, name: string, cause: unknown): Answer {
  const { texts } = context
  if (cause instanceof Refusal) return { ...refuse(texts, cause.message), ...cause.options }
  if (context.isDatabaseAway(cause)) return refuse(texts, texts.unavailable)
  if (cause instanceof DomainError) return refuse(texts, domainSentence(texts, cause))
  context.onError(cause, name)
  return refuse(texts, texts.failed)
}

function domainSentence(texts: Texts, { kind, problems, message }: DomainError): string {
  const sentence = sentences[kind]
  if (sentence) return sentence(texts)
  if (problems) {
    const [first] = Object.values(problems).flat()
    if (first) return problemMessage(first)
  }
  // The reason in brackets is written for people; the rest of the message is for programs.
  return /\((.+)\)$/.exec(message)?.[1] ?? texts.forbidden
}

function refuse(texts: Texts, reason: string): Answer {
  return withinLimits({ content: texts.refusal(reason), isRefusal: true })
}

/** Cuts a text that names too much for one message, such as 150 members. */
function withinLimits(answer: Answer): Answer {
  const { content } = answer
  return content === undefined ? answer : { ...answer, content: shorten(content, MAX_CONTENT) }
}
