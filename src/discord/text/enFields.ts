import { bold, capitalize, choice, code } from './format'

const privacySubjects: Readonly<Record<string, string>> = {
  visibility: 'Visibility',
  name: 'Name',
  description: 'Description',
  avatar: 'Avatar',
  banner: 'Banner',
  pronoun: 'Pronouns',
  birthday: 'Birthday',
  metadata: 'Metadata',
  proxy: 'Proxy tags',
  memberlist: 'Member list',
  grouplist: 'Group list',
  front: 'Current front',
  fronthistory: 'Front history',
  icon: 'Icon',
  list: 'Member list',
}

/** Some labels are plurals. */
function areOrIs(label: string): string {
  return label.endsWith('s') ? 'are' : 'is'
}

/** Texts about the fields of systems, members and groups. */
export const fieldTexts = {
  privacySubjects,
  fieldLabels: {
    name: 'name',
    display_name: 'display name',
    description: 'description',
    pronouns: 'pronouns',
    color: 'colour',
    birthday: 'birthday',
    tag: 'tag',
    avatar_url: 'avatar',
    webhook_avatar_url: 'proxy avatar',
    banner: 'banner',
    icon: 'icon',
    autoproxy_enabled: 'autoproxy',
    keep_proxy: 'keeping proxy tags',
    tts: 'text-to-speech',
  },
  serverFieldLabels: {
    display_name: 'name in this server',
    tag: 'tag in this server',
    avatar_url: 'avatar in this server',
    name_format: 'name format in this server',
    keep_proxy: 'keeping proxy tags in this server',
  },
  fieldEmpty: (owner: string, label: string) => `${owner} has no ${label}.`,
  fieldIsPrivate: (label: string) =>
    `The ${label} ${areOrIs(label)} private. \`-private\` shows it here.`,
  yourSystem: 'Your system',
  renamed: (owner: string, name: string) => `✅ ${owner} is now called ${bold(name)}.`,
  changedTo: (owner: string, label: string, value: string) =>
    `✅ ${capitalize(label)} of ${owner}: ${value}`,
  undo: 'Undo',
  undone: (owner: string, label: string) => `✅ ${owner}: the old ${label} is back.`,
  invalidColor: (typed: string) =>
    `"${typed}" is not a colour code. Use six digits such as \`#ff8800\`.`,
  fieldTitle: capitalize,
  fieldOf: (owner: string, label: string) => `${owner}: ${label}`,
  changed: (owner: string, label: string) => `✅ ${owner}: ${label} changed.`,
  cleared: (owner: string, label: string) => `✅ ${owner}: ${label} cleared.`,
  confirmClear: (owner: string, label: string) => `Clear the ${label} of ${owner}?`,
  flagIs: (owner: string, label: string, isOn: boolean) =>
    `${owner}: ${label} is ${isOn ? 'on' : 'off'}.`,
  flagSet: (owner: string, label: string, isOn: boolean) =>
    `✅ ${owner}: ${label} is now ${isOn ? 'on' : 'off'}.`,
  flagFollows: (owner: string, label: string) =>
    `${owner}: ${label} follows the member’s own setting.`,
  privacyOf: (owner: string) => `Privacy of ${owner}`,
  privacyLevels: 'Say `public` or `private`.',
  unknownPrivacySubject: (typed: string, near: readonly string[], all: readonly string[]) =>
    `There is no privacy setting ${bold(typed)}. ${near.length > 0 ? `Did you mean ${choice(near.map(code))}? ` : ''}There are ${all.map(code).join(', ')}.`,
  /** Takes a label of `privacySubjects`. */
  privacyChanged: (owner: string, subject: string, level: string) =>
    `✅ ${owner}: ${subject.toLowerCase()} ${areOrIs(subject)} now ${level}.`,
}
