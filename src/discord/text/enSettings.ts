import type { NameCommand } from './commandNames'
import { bold, choice } from './format'

/** Texts about settings of systems and servers. */
export const settingTexts = {
  configTitle: 'Settings of your system',
  configNote: (name: NameCommand) =>
    `${name('config', { setting: '<setting>' })} explains one, ${name('config', { setting: '<setting> <value>' })} changes it.`.replaceAll(
      '`',
      '',
    ),
  serverConfigTitle: 'Settings of this server',
  settingIs: (name: string, value: string) => `${name}: ${value}`,
  settingSet: (name: string, value: string) => `✅ ${name}: ${value}`,
  unknownSetting: (typed: string, near: readonly string[], all: string) =>
    `There is no setting ${bold(typed)}. ${near.length > 0 ? `Did you mean ${choice(near)}? ` : ''}${all} lists all.`,
  addOrRemove: 'Say `add` or `remove` and the channels, categories or `all`.',
  channelsUnchanged: (isAdd: boolean) =>
    isAdd ? 'That list has all of these already.' : 'That list has none of these.',
  commandMoved: (command: string) => `This command is now ${command}. Nothing was changed.`,
  noLogCleanup:
    'I do not clean up after other logger bots: the forms of their messages change too often. A logger can ask the API whether a deleted message was proxied: `GET /v2/messages/{original}`.',
}
