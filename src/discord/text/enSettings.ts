import type { NameCommand } from './commandNames'
import { bold, choice, code } from './format'

const explanations: Readonly<Record<string, string>> = {
  timezone: 'Times that you type and dates in answers are read in this time zone.',
  ping: 'Other people may ping the account behind a proxied message with 🔔.',
  'autoproxy account': 'Autoproxy works for messages of this account.',
  'autoproxy timeout': 'Latched autoproxy ends when you have not proxied for this long.',
  'proxy case': 'Capital letters in proxy tags matter.',
  'proxy error': 'You are told when a message cannot be proxied.',
  'proxy switch':
    'What happens to the switch when you proxy: `off` nothing, `new` logs one, `add` adds the member.',
  'private member': 'New members are private.',
  'private group': 'New groups are private.',
  'show private': 'Your own cards show private fields in channels; with off, only with `-private`.',
  'split ids': 'IDs are shown in two halves, such as abc-def.',
  'cap ids': 'IDs are shown in capitals.',
  'pad ids': 'IDs of different length align in lists: `left`, `right` or `off`.',
  'name format': 'How the name of a proxied message is built from `{name}` and `{tag}`.',
  'server name format': 'The name format of this server only.',
  'log channel': 'Channel that gets a copy of every proxied message with its sender.',
  'log blacklist': 'Channels whose messages are not logged.',
  'proxy blacklist': 'Channels in which nothing is proxied.',
  'require tag': 'Messages are proxied only with a system tag in the name.',
  'suppress notifications': 'Proxied messages are sent silently.',
  'invalid command error': 'Unknown commands are answered.',
  say: 'Members may speak with `/say`, which AutoMod does not see.',
}

interface Limited {
  readonly count: number
  readonly limit: number | null | undefined
}

function ofLimit({ count, limit }: Limited): string {
  return limit ? `${count} of at most ${limit}` : String(count)
}

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
  settingExplained: (explanation: string, command: string) =>
    `${explanation} Change it with ${command}.`,
  /** Explanations of settings by name. */
  explanations,
  limits: (members: Limited, groups: Limited) =>
    `Your system has ${ofLimit(members)} members and ${ofLimit(groups)} groups. The operator of this bot sets these limits.`,
  colorsShown:
    'Cards here always show the code of a colour, so there is nothing to change. Your setting of PluralKit is kept for exports.',
  unknownZone: (typed: string) =>
    `I find no time zone for ${bold(typed)}. Name a city, a country or an offset: Berlin, Japan, UTC+5.`,
  zoneWithTime: (zone: string, time: string) => `${code(zone)}: ${time}`,
  chooseZone: (zones: readonly string[], example: string) =>
    `Several time zones fit. Where is it that late?\n${zones.join('\n')}\nChoose one with ${example}.`,
  confirmZone: (zone: string, time: string) =>
    `In the time zone ${code(zone)} it is ${bold(time)} now. Is that your time?`,
  settingSet: (name: string, value: string) => `✅ ${name}: ${value}`,
  unknownSetting: (typed: string, near: readonly string[], all: string) =>
    `There is no setting ${bold(typed)}. ${near.length > 0 ? `Did you mean ${choice(near)}? ` : ''}${all} lists all.`,
  addOrRemove: (example: string) =>
    `Say \`add\` or \`remove\` and the channels, categories or \`all\`, for example ${example}.`,
  channelsUnchanged: (isAdd: boolean) =>
    isAdd ? 'That list has all of these already.' : 'That list has none of these.',
  commandMoved: (command: string) => `This command is now ${command}. Nothing was changed.`,
  noLogCleanup:
    'I do not clean up after other logger bots: the forms of their messages change too often. A logger can ask the API whether a deleted message was proxied: `GET /v2/messages/{original}`.',
}
