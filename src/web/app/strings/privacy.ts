/** Texts about privacy: levels, presets and the choice of viewer. */
export const privacyStrings = {
  public: 'Public',
  private: 'Private',
  levelOf: (what: string, level: string) => `${what}: ${level}`,
  eyes: 'Whose eyes',
  ours: 'Our view',
  strangers: 'A stranger’s view',
  arePrivate: (count: number, all: number) =>
    `${count} of ${all} things ${count === 1 ? 'is' : 'are'} private`,
  levels: {
    visibility: 'Shown in lists',
    name_privacy: 'Name',
    description_privacy: 'Description',
    birthday_privacy: 'Birthday',
    pronoun_privacy: 'Pronouns',
    avatar_privacy: 'Picture',
    banner_privacy: 'Banner',
    icon_privacy: 'Icon',
    list_privacy: 'Who is in it',
    metadata_privacy: 'When made, and messages',
    proxy_privacy: 'Proxy tags',
  } as Readonly<Record<string, string>>,
  presets: { open: 'Open', names: 'Names only', hidden: 'Hidden' },
  presetsMore: {
    open: 'Everything is public.',
    names: 'Name, pronouns and picture are public, and they are in lists. All else is private.',
    hidden: 'Everything is private, and they are in no list.',
  },
  becomes: 'Becomes',
  nothingChanges: 'All of it is so already.',
  willChange: (many: string, count: number) =>
    `${many} ${count === 1 ? 'changes' : 'change'}. You can undo it.`,
  change: (many: string) => `Change ${many}`,
  haveChanged: (many: string, count: number) => `${many} ${count === 1 ? 'has' : 'have'} changed.`,
} as const
