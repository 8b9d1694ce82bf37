import type { Word } from '../messages'

/** Texts of Friends. */
export const friends = {
  about: 'A link shows who is here, live, and nothing else. No account is needed to open it.',
  newLink: 'A link for a friend',
  whoFor: 'Who or what is this link for?',
  privateOnes: (word: Word) => `Private ${word.many}`,
  showCount: 'Show how many',
  showNames: 'Show names',
  countMore: (word: Word) => `For hidden ${word.many}, a friend only sees how many are here.`,
  namesMore: (word: Word) =>
    `A friend sees all ${word.many} who are here, by the names strangers see.`,
  until: 'How long it works',
  ends: {
    never: 'Until I turn it off',
    day: '1 day',
    week: '7 days',
    month: '30 days',
    own: 'Until…',
  },
  lastDay: 'Last day',
  chooseDay: 'Choose a day.',
  add: 'Add link',
  isCreated: 'Link created.',
  linkFor: (name: string) => `The link for ${name}`,
  link: 'Link',
  shownOnce: 'Copy it now. You won’t see it again. Anyone who has it can see who is here.',
  links: 'Active links',
  noLinks: 'No links yet.',
  showsCount: (word: Word) => `shows how many private ${word.many} are here`,
  showsNames: (word: Word) => `shows private ${word.many}`,
  never: 'until you turn it off',
  turnOff: 'Turn off',
  turnOffNamed: (name: string) => `Turn off ${name}`,
  turnOffAsk: (name: string) => `Turn off the link for ${name}?`,
  turnOffEffect: 'No one can use it any more. This can’t be undone.',
  isOff: (name: string) => `The link for ${name} is turned off.`,
}
