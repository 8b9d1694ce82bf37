import type { RESTPutAPIApplicationCommandsJSONBody } from 'discord-api-types/v10'
import { Permission } from '../../permissions/permission'
import type { SlashFamily } from '../../text/enSlash'
import type { Texts } from '../../text/texts'
import { messageMenuNames, USER_MENU } from './menus'
import type { SlashOption } from './option'
import { type SlashCommand, slashCommands } from './table'

type Definitions = RESTPutAPIApplicationCommandsJSONBody

const optionTypes = { text: 3, flag: 5, account: 6, channel: 7, file: 11 } as const

const GUILD = 0
const BOT_DIRECT = 1
const GUILD_INSTALL = 0
const SUBCOMMAND = 1
const SLASH_TYPE = 1
const USER_MENU_TYPE = 2
const MESSAGE_MENU_TYPE = 3

/** Builds the body of the request that registers all application commands. */
export function buildDefinitions({ slashTexts }: Texts): Definitions {
  const buildOption = ({
    name,
    type,
    isRequired,
    description,
    choices,
    completes,
  }: SlashOption) => ({
    type: optionTypes[type],
    name,
    description: slashTexts.options[description],
    required: isRequired,
    ...(choices && { choices: choices.map((choice) => ({ name: choice, value: choice })) }),
    ...(completes && { autocomplete: true }),
  })
  const buildSubcommand = ({ name, options }: SlashCommand) => ({
    type: SUBCOMMAND,
    name: name.split(' ')[1],
    description: slashTexts.commands[name],
    options: options.map(buildOption),
  })
  /** Discord registers all commands that begin with the same word as one. */
  const families = Map.groupBy(slashCommands, ({ name }) => name.split(' ')[0] ?? '')
  const isFamily = (name: string): name is SlashFamily => name in slashTexts.families
  const buildSlash = (name: string, [first, ...others]: readonly SlashCommand[]) => ({
    type: SLASH_TYPE,
    name,
    description: isFamily(name)
      ? slashTexts.families[name]
      : first && slashTexts.commands[first.name],
    integration_types: [GUILD_INSTALL],
    contexts: first?.isGuildOnly ? [GUILD] : [GUILD, BOT_DIRECT],
    ...(first?.needsManageGuild && {
      default_member_permissions: String(Permission.ManageGuild),
    }),
    options:
      first && isFamily(name)
        ? [first, ...others].map(buildSubcommand)
        : (first?.options ?? []).map(buildOption),
  })
  const menu = { integration_types: [GUILD_INSTALL], contexts: [GUILD] }
  return [
    ...[...families].map(([name, rows]) => buildSlash(name, rows)),
    ...messageMenuNames.map((name) => ({ type: MESSAGE_MENU_TYPE, name, ...menu })),
    { type: USER_MENU_TYPE, name: USER_MENU, ...menu },
  ] as Definitions
}
