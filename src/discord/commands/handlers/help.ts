import { suggest } from '../../../model/core/suggest'
import { version } from '../../../runtime/version'
import { escapeMarkdown } from '../../messages/escape'
import { capitalize } from '../../text/format'
import type { Answer } from '../answer'
import { paginate } from '../ask'
import { buildEmbed } from '../cards/embed'
import type { Command } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { Refusal } from '../refusal'

const COMMANDS_PER_PAGE = 15
const PARAMETERS = /[<[]\w+[>\]]/g

/** Explains a topic, or lists the commands that contain its word. */
export function showHelp(all: () => readonly Command[]) {
  return async (context: Context, args: Arguments): Promise<Answer> => {
    const { texts, name } = context
    const names = Object.keys(texts.topics)
    if (args.values.topic === undefined) {
      const description = texts.helpText(name)
      const footer = texts.helpTopics(names)
      return { embeds: [buildEmbed({ title: texts.helpTitle, description, footer })] }
    }
    const typed = args.values.topic.toLowerCase()
    const topics = Object.entries(texts.topics)
    const topic =
      topics.find(([key]) => key === typed) ?? topics.find(([, { words }]) => words.includes(typed))
    if (topic) {
      const [key, { text }] = topic
      return { embeds: [buildEmbed({ title: capitalize(key), description: text(name) })] }
    }
    if (all().some((command) => isAbout(command, typed))) return listCommands(all)(context, args)
    const near = suggest(
      topics.flatMap(([key, { words }]) => [key, ...words]).filter((word) => word.length > 3),
      typed,
    )
    throw new Refusal(texts.unknownTopic(escapeMarkdown(typed), near, names))
  }
}

function isAbout({ isListed, usage }: Command, words: string): boolean {
  return isListed && usage.replace(PARAMETERS, '').replace(/\s+/g, ' ').includes(words)
}

/** Lists all commands, or those whose name contains a word. */
export function listCommands(all: () => readonly Command[]) {
  return async (context: Context, { values }: Arguments): Promise<Answer> => {
    const { texts, prefix } = context
    const words = values.topic?.toLowerCase() ?? ''
    const shown = all().filter((command) => isAbout(command, words))
    const pages = Math.max(1, Math.ceil(shown.length / COMMANDS_PER_PAGE))
    return paginate(context, pages, (page) => ({
      embeds: [
        buildEmbed({
          title: texts.commandsTitle,
          description:
            shown
              .slice(page * COMMANDS_PER_PAGE, (page + 1) * COMMANDS_PER_PAGE)
              .map(({ usage, id }) => `\`${prefix}${usage}\` ${texts.commandSummaries[id]}`)
              .join('\n') || texts.noCommands,
          footer: texts.pageOf(page + 1, pages),
        }),
      ],
    }))
  }
}

export async function showExplanation({ texts }: Context): Promise<Answer> {
  return { content: texts.explainText }
}

export async function showInvite({ texts, discord }: Context): Promise<Answer> {
  return { content: texts.inviteText(discord.inviteUrl()) }
}

export async function showStats({ texts, discord }: Context): Promise<Answer> {
  const { guilds, shards, latencyMs } = discord.status()
  return { content: texts.statsText(guilds, shards, latencyMs, version) }
}
