import { DomainError, type ErrorName } from '../../model/core/errors'
import { discordBot } from '../../model/core/privacy'
import { suggest } from '../../model/core/suggest'
import { getGuild } from '../../service/proxy/guilds'
import type { Texts } from '../text/texts'
import { type Answer, MAX_CONTENT } from './answer'
import { shorten } from './cards/embed'
import type { Command } from './command'
import type { Context } from './context'
import { type Arguments, matchCommand } from './grammar/matchCommand'
import { splitWords } from './grammar/words'
import { Refusal } from './refusal'
import { commands } from './table'

/** Result of a command: the answer to send, or null to stay silent, and the command for metrics. */
export interface Result {
  readonly answer: Answer | null
  readonly command: string
}

/** Runs the text after the prefix. */
export async function runText(context: Context, text: string): Promise<Result> {
  const matched = matchCommand(text, commands)
  if (matched && 'command' in matched) return runCommand(context, matched.command, matched.args)
  const { texts, settings } = context
  if (matched && 'refused' in matched) {
    const { refused, unknownFlags } = matched
    const known = [...new Set(refused.flags.values())]
    return { answer: refuse(texts, texts.unknownFlags(unknownFlags, known)), command: refused.id }
  }
  const prefix = settings.prefixes[0] ?? ''
  const typed = splitWords(text).map((word) => word.text.toLowerCase())
  const near = matched?.incomplete ?? null
  const names = near && isComplete(near, typed) ? [] : findSuggestions(typed, near)
  if (near && names.length === 0 && isNamed(near, typed)) {
    const usage = texts.usage(`\`${prefix}${near.usage}\``)
    return { answer: refuse(texts, usage), command: near.id }
  }
  if (!(await showsUnknown(context))) return { answer: null, command: 'unknown' }
  const suggested = names.map((name) => `\`${prefix}${name}\``)
  const answer = refuse(texts, texts.unknownCommand(suggested, `\`${prefix}commands\``))
  return { answer, command: 'unknown' }
}

/** Returns true if all words that name the command were typed, so that only a parameter is wrong. */
function isNamed({ parts }: Command, typed: readonly string[]): boolean {
  return parts.every(
    (part) => !('literals' in part) || part.literals.some((name) => typed.includes(name)),
  )
}

/** Like `isNamed`, for more than the first word, unless that is all that was typed. */
function isComplete(command: Command, typed: readonly string[]): boolean {
  const words = command.parts.filter((part) => 'literals' in part)
  return isNamed(command, typed) && (words.length > 1 || typed.length === 1)
}

/** Suggests commands whose words resemble the typed ones. */
function findSuggestions(typed: readonly string[], near: Command | null): string[] {
  const first = typed[0] ?? ''
  if (!near) {
    const names = commands.flatMap(({ parts: [part], isListed }) =>
      isListed && part && 'literals' in part ? [...part.literals] : [],
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
  const words = new Map<string, string>()
  for (const { parts, usage } of family)
    for (const part of parts.slice(1))
      if ('literals' in part)
        for (const name of part.literals) if (!words.has(name)) words.set(name, usage)
  const found = typed.slice(1).flatMap((word) => suggest([...words.keys()], word))
  return [...new Set(found.flatMap((name) => words.get(name) ?? []))].slice(0, 3)
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
  try {
    return await deliverPrivately(context, await run())
  } catch (cause) {
    return explainError(context, name, cause)
  }
}

/** Answers a pressed button or a submitted form; null if the bot did not make the ID. */
export async function runPress(
  context: Context,
  id: string,
  fields?: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  try {
    const answer = await context.prompts.press(context, id, fields)
    return answer && (await deliverPrivately(context, answer))
  } catch (cause) {
    return explainError(context, 'prompt', cause)
  }
}

/** Answers a message without a prefix if the account was asked something; otherwise null. */
export async function runTyped(context: Context, text: string): Promise<Answer | null> {
  try {
    const answer = await context.prompts.type(context, text)
    return answer && (await deliverPrivately(context, answer))
  } catch (cause) {
    return explainError(context, 'prompt', cause)
  }
}

/**
 * Sends a private answer as a direct message if the command is in a channel. If that fails, the
 * channel gets a notice, never the answer.
 */
async function deliverPrivately(context: Context, given: Answer): Promise<Answer> {
  const answer = withinLimits(given)
  if (!answer.isPrivate || context.via === 'interaction' || context.guild === null) return answer
  const { texts } = context
  const isSent = await context.sendDirect(answer)
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
  memberNotFound: (texts) => texts.memberNotFound,
  memberRefNotFound: (texts) => texts.memberNotFound,
  groupNotFound: (texts) => texts.groupNotFound,
  messageNotFound: (texts) => texts.messageNotFound,
  notYourMember: (texts) => texts.notYours,
  notYourGroup: (texts) => texts.notYours,
  tooLarge: (texts) => texts.importTooLarge,
  tooManyRequests: (texts) => texts.slowDown,
}

function explainError(context: Context, name: string, cause: unknown): Answer {
  const { texts } = context
  if (cause instanceof Refusal)
    return { ...refuse(texts, cause.message), ...(cause.isPrivate && { isPrivate: true }) }
  if (context.isDatabaseAway(cause)) return refuse(texts, texts.unavailable)
  if (cause instanceof DomainError) return refuse(texts, domainSentence(texts, cause))
  context.onError(cause, name)
  return refuse(texts, texts.failed)
}

function domainSentence(texts: Texts, { kind, problems, message }: DomainError): string {
  const known = sentences[kind]
  if (known) return known(texts)
  if (problems) {
    const [first] = Object.values(problems).flat()
    if (first) return first.message
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
