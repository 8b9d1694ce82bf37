import { version } from '../../../runtime/version'
import type { Answer } from '../answer'
import { paginate } from '../ask'
import { buildEmbed } from '../cards/embed'
import type { Command } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { Refusal } from '../refusal'

const COMMANDS_PER_PAGE = 15
const PARAMETERS = /[<[]\w+[>\]]/g

export async function showHelp(
  { texts, settings }: Context,
  { values }: Arguments,
): Promise<Answer> {
  const names = Object.keys(texts.topics)
  if (values.topic === undefined) {
    const description = texts.helpText(settings.prefixes[0] ?? '')
    const footer = texts.helpTopics(names)
    return { embeds: [buildEmbed({ title: texts.helpTitle, description, footer })] }
  }
  const topic = values.topic.toLowerCase()
  const found = Object.hasOwn(texts.topics, topic) ? texts.topics[topic] : undefined
  if (found === undefined) throw new Refusal(texts.unknownTopic(names))
  return { embeds: [buildEmbed({ title: topic, description: found })] }
}

/** Lists all commands, or those whose name contains a word. */
export function listCommands(all: () => readonly Command[]) {
  return async (context: Context, { values }: Arguments): Promise<Answer> => {
    const { texts, settings } = context
    const prefix = settings.prefixes[0] ?? ''
    const word = values.topic?.toLowerCase() ?? ''
    const shown = all().filter(
      ({ isListed, usage }) => isListed && usage.replace(PARAMETERS, '').includes(word),
    )
    const pages = Math.max(1, Math.ceil(shown.length / COMMANDS_PER_PAGE))
    return paginate(context, pages, (page) => ({
      embeds: [
        buildEmbed({
          title: texts.commandsTitle,
          description:
            shown
              .slice(page * COMMANDS_PER_PAGE, (page + 1) * COMMANDS_PER_PAGE)
              .map(({ usage, id }) => `\`${prefix}${usage}\` ${texts.commandSummaries[id]}`)
              .join('\n') || texts.listEmpty,
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
