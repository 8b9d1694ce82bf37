/** Texts of Import and export. */
export const importStrings = {
  bring: 'Bring in',
  bringMore:
    'A file from PluralKit, Tupperbox, Simply Plural or another Multitude. You see what would happen before anything is written.',
  choose: 'Choose a file',
  drop: 'or drop it here',
  another: 'Another file',
  previewing: 'Looking at the file…',
  bringing: 'Bringing it in…',
  tooLarge: 'This file is too large for this server.',

  formats: {
    pluralkit: 'A PluralKit file',
    tupperbox: 'A Tupperbox file',
    simplyplural: 'A Simply Plural file',
  },
  about: (name: string, size: string) => `${name}, ${size}`,
  kilobytes: (count: number) => `${count} KB`,
  megabytes: (count: string) => `${count} MB`,

  parts: 'What to bring in',
  groups: 'Groups',
  switches: 'Switches',
  memberships: (word: string) => `${word} in groups`,
  allThree:
    'With all three, the system’s own name, description and settings come along, and what is kept aside.',
  noParts: 'Choose at least one.',
  friends: 'What all friends could see becomes public',
  friendsMore: 'Public is for the whole world here, not for friends alone.',

  would: 'What would happen',
  did: 'What happened',
  added: (count: number) => `${count} new`,
  changed: (count: number) => `${count} changed`,
  unchanged: (count: number) => `${count} as they are`,
  leftOut: (count: number) => `${count} left out`,
  none: 'none',
  nothingNew: 'Everything in this file is here already.',
  nothingDone: 'Everything in this file was here already. Nothing changed.',

  repaired: (count: number) => `Mended (${count})`,
  dropped: (count: number) => `Values that cannot be taken (${count})`,
  outOf: (count: number) => `Left out (${count})`,
  kept: (count: number) => `Kept aside (${count})`,
  keptMore:
    'There is no place for these here yet. They stay with your system, and every export has them.',
  skipped: (count: number) => `Not kept (${count})`,
  renamed: (count: number) => `New IDs (${count})`,
  renamedMore: 'The old ones are not free on this server.',
  newId: 'a new one',
  accounts: (count: number) => `Chat accounts (${count})`,
  becomes: (was: string, now: string) => `${was} becomes ${now}`,
  rows: (count: number) => `${count} rows`,

  isDone: 'It is here',
  toNow: 'Go to Now',
  done: (what: string) => `It is here: ${what}.`,

  take: 'Take away',
  everything: 'Everything',
  everythingMore: 'System, groups, history and settings in one file. PluralKit takes it, too.',
  json: 'JSON',
  history: 'Front history',
  historyMore: 'Who was here from when to when, for table programs.',
  csv: 'CSV',
  calendar: 'Calendar',
  calendarMore: 'The same for calendar programs.',
  calendarTitle: 'Front history as a calendar',
  nextPart: (part: number) => `JSON, part ${part}`,
  partsMore: (part: number) =>
    `A long history comes in parts. Part ${part} of it is a file of its own.`,
  isSaved: (name: string) => `${name} is in your downloads.`,
} as const
