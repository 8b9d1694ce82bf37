import { capitalize, createMessageTools, type Word } from '../messages'

const { countOf, number, plural } = createMessageTools('en')

/** Texts about privacy: levels, presets and the choice of viewer. */
export const privacy = {
  public: 'Public',
  private: 'Private',
  levelOf: (what: string, level: string) => `${what}: ${level}`,
  eyes: 'Whose view',
  ours: 'Our view',
  strangers: 'A stranger’s view',
  arePrivate: (count: number, all: number) =>
    plural(count, {
      one: `${number(count)} of ${number(all)} details is private`,
      other: `${number(count)} of ${number(all)} details are private`,
    }),
  levels: (word: Word) => ({
    visibility: 'Visibility',
    name_privacy: 'Name',
    description_privacy: 'Description',
    birthday_privacy: 'Birthday',
    pronoun_privacy: 'Pronouns',
    avatar_privacy: 'Picture',
    banner_privacy: 'Banner',
    icon_privacy: 'Icon',
    list_privacy: `${capitalize(word.one)} list`,
    metadata_privacy: 'Date added and message count',
    proxy_privacy: 'Proxy tags',
  }),
  presets: { open: 'Public', names: 'Names only', hidden: 'Hidden' },
  presetsMore: {
    open: 'Everything is public.',
    names:
      'Name, pronouns and picture are public, and they are in lists. Everything else is private.',
    hidden: 'Everything is private.',
  },
  /** Public lists that name private members, too. */
  stillNamed: {
    fronters: '“Who is here now” is public: it still names everyone who is here.',
    history:
      'The history is public: it still lists everyone who was here, and their names can be looked up.',
    both: '“Who is here now” and the history are public: they still show everyone who is or was here, and their names.',
  },
  makeListsPrivate: {
    fronters: 'Make “Who is here now” private, too',
    history: 'Make the history private, too',
    both: 'Make both private, too',
  },
  areListsPrivate: {
    fronters: '“Who is here now” is private.',
    history: 'The history is private.',
    both: '“Who is here now” and the history are private.',
  },
  setTo: 'Set to',
  nothingChanges: 'Nothing to change.',
  willChange: (count: number, word: Word) =>
    `This changes ${countOf(count, word)}. You can undo it.`,
  change: (count: number, word: Word) => `Change ${countOf(count, word)}`,
  changed: (count: number, word: Word) => `${countOf(count, word)} changed.`,

  // The page.
  whatOthersSee: 'What others can see',
  strangersEyes: 'Through a stranger’s eyes',
  strangersMore: 'This is what strangers see. It changes as you turn the switches.',
  publicPage: 'Open the public page',
  systemLevels: (word: Word) => ({
    front_privacy: { title: 'Who is here now', hint: 'Also for widgets and live streams' },
    front_status_privacy: {
      title: 'Status texts',
      hint: 'For everyone who sees who is here, friends with a link too',
    },
    front_history_privacy: { title: 'History', hint: 'All switches and insights' },
    member_list_privacy: {
      title: `The list of ${word.many}`,
      hint: `${word.title} can still be opened by anyone who has their ID`,
    },
    group_list_privacy: { title: 'The list of groups', hint: '' },
    name_privacy: { title: 'Our name', hint: '' },
    description_privacy: { title: 'Our description', hint: '' },
    pronoun_privacy: { title: 'Our pronouns', hint: '' },
    avatar_privacy: { title: 'Our picture', hint: '' },
    banner_privacy: { title: 'Our banner', hint: '' },
  }),
  many: 'Change many at once',
  who: 'Who',
  everyone: 'Everyone',
  select: 'Select…',
  moreGroups: 'More groups…',
  custom: 'Custom…',
  keep: 'Keep',
  nobodySelected: 'Select someone first.',
}
