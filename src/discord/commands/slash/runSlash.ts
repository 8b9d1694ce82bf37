import type { Answer } from '../answer'
import type { Context } from '../context'
import { showSystem } from '../handlers/system'
import { Refusal } from '../refusal'
import { answerFor, type Result } from '../runCommand'
import { messageMenus, USER_MENU } from './menus'
import type { SlashValues } from './option'
import { type SlashCommand, slashCommands } from './table'

const byName: ReadonlyMap<string, SlashCommand> = new Map(
  slashCommands.map((command) => [command.name, command]),
)

/** Returns whether a command answers with a form, which can only be the first response. */
export function opensForm(name: string): boolean {
  return (byName.get(name) ?? messageMenus.get(name))?.isForm ?? false
}

/** Runs a slash command, named with its subcommand (`member info`). */
export function runSlash(context: Context, name: string, options: SlashValues): Promise<Result> {
  return runInteraction(context, `/${name}`, async () => {
    const command = byName.get(name)
    if (!command) throw new Refusal(context.texts.unknownCommand([], context.name('help')))
    return command.run(context, options)
  })
}

/** Runs a command of a menu: on the message that the context targets, or on an account. */
export function runMenu(context: Context, name: string, account?: string): Promise<Result> {
  return runInteraction(context, name, async () => {
    const menu = messageMenus.get(name)
    if (menu) return menu.run(context)
    if (name !== USER_MENU || account === undefined)
      throw new Refusal(context.texts.unknownCommand([], context.name('help')))
    return showSystem(context, { values: { system: account }, lists: {}, flags: new Set() })
  })
}

/** Every answer is ephemeral, unless it is asked for in public or another account must see it. */
async function runInteraction(
  context: Context,
  command: string,
  run: () => Promise<Answer>,
): Promise<Result> {
  const answer = await answerFor(context, command, run)
  return { answer: { ...answer, isPrivate: answer.isPublic !== true }, command }
}
