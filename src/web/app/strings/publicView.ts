/** Texts of the public view of a system. */
export const publicViewStrings = {
  system: (id: string) => `System ${id}`,
  members: 'members',
  noMembers: (word: string) => `No ${word} to be seen.`,
  groups: 'Groups',
  lately: 'Lately',
  noHistory: 'Nothing is logged yet.',
  frontHidden: 'Who is here is hidden.',
  membersHidden: (word: string) => `The list of ${word} is hidden.`,
  groupsHidden: 'The list of groups is hidden.',
  historyHidden: 'The front history is hidden.',
  nobodyByThatId: 'Nobody by that ID',
  nobodyMore: 'Was all of the address copied? They may also have left.',
  home: 'To the front door',
} as const

/** Texts of Privacy, except those about levels. */
export const publicPageStrings = {
  whatEveryone: 'What everyone may see',
  strangersEyes: 'Through a stranger’s eyes',
  strangersMore: 'This is all that others see of you. It changes while you turn the switches.',
  publicPage: 'Open the public page',
  levels: (word: string) =>
    ({
      front_privacy: ['Who is here now', 'Also for widgets and live streams'],
      front_history_privacy: ['Front history', 'All switches and insights'],
      member_list_privacy: [
        `The list of ${word}`,
        'Single ones stay visible to whoever knows their ID',
      ],
      group_list_privacy: ['The list of groups', ''],
      name_privacy: ['Our name', ''],
      description_privacy: ['Our description', ''],
      pronoun_privacy: ['Our pronouns', ''],
      avatar_privacy: ['Our picture', ''],
      banner_privacy: ['Our banner', ''],
    }) as const,
  many: 'Many at once',
  who: 'Who',
  everyone: 'Everyone',
  chosen: 'Chosen ones…',
  moreGroups: 'More groups…',
  each: 'Choose…',
  asItIs: 'As it is',
  nobodyChosen: 'Choose somebody first.',
} as const
