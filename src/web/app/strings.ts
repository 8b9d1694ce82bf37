/** All texts of the page. */
export const strings = {
  title: 'Multitude',
  welcome: 'Welcome home',
  howToComeIn:
    'Your system lives on this server. Come in with a login link from your bot or from whoever runs the server, or with your token.',
  token: 'Token',
  remember: 'Remember this device',
  rememberMore: 'You can end it any time under Devices.',
  comeIn: 'Come in',
  comeInAs: (name: string) => `Come in as ${name}?`,
  yourSystem: 'your system',
  linkIsOver: 'This link was used already or has run out.',
  toLogin: 'Come in another way',
  wrongToken: 'This token is not known here. Tokens are long: was all of it copied?',
  lesserToken: 'This token may not open the dashboard: it was made for less.',
  noToken: 'Paste your token here.',
  tooMany: 'Too many wrong tries. Wait a minute, then try again.',
  away: 'The server does not answer. Try again in a moment.',
  tryAgain: 'Try again',
  apiPage: 'API page',
  logOut: 'Log out',
  hereNow: 'Here now',
  nobody: 'Nobody is logged as here.',
  nothingYet: 'Nothing is logged yet.',
  onlyHidden: (count: number) =>
    count === 1 ? 'Somebody who is not named here.' : `${count} who are not named here.`,
  someHidden: (count: number) => (count === 1 ? 'And one more.' : `And ${count} more.`),
  watchIsAway: 'Not connected. It goes on by itself.',
  watchIsOver: 'This link does not work any more. Ask for a new one.',
  waiting: 'Still waiting for the server',

  // Layout.
  skip: 'Skip to the page',
  navigation: 'Places',
  now: 'Now',
  history: 'History',
  insights: 'Insights',
  more: 'More',
  live: 'Live',
  connecting: 'Connecting',
  off: 'Off',
  notConnected: 'Not connected. Changes wait until it is back.',
  heldBack: 'The server asks us to wait a moment. It goes on by itself.',
  close: 'Close',
  undo: 'Undo',
  isUndone: 'Undone.',
  keysTitle: 'Keys',
  keys: [
    ['/', 'search'],
    ['s', 'switch'],
    ['g n', 'Now'],
    ['g m', 'Members'],
    ['g h', 'History'],
    ['g i', 'Insights'],
    ['?', 'this list'],
  ],
  keysMore: 'Keys can be turned off under More, Look.',

  // Now.
  greet: (hour: number, name: string) =>
    `Good ${hour >= 5 && hour < 12 ? 'morning' : hour >= 12 && hour < 18 ? 'day' : 'evening'}, ${name}`,
  hereSince: (time: string, length: string) => `since ${time} · ${length}`,
  hereAre: (names: string) => `Here now: ${names}`,
  stepsBack: (name: string) => `${name} steps back`,
  whoIsComing: 'Who is coming?',
  everyone: (count: number) => `Everyone (${count})`,
  likely: 'Likely ones',
  statuses: 'Statuses',
  search: 'Search',
  searchHint: 'Name, pronouns, anything',
  nobodyFound: 'No one by that name.',
  found: (count: number) => (count === 0 ? 'No one found' : `${count} found`),
  showMore: 'Show more',
  nobodyOrUnsure: 'Nobody / not sure',
  happenedEarlier: 'It happened earlier…',
  when: 'When did it happen?',
  ago15: '15 min ago',
  ago60: '1 h ago',
  thisMorning: (time: string) => `This morning, ${time}`,
  atATime: 'At a time…',
  time: 'Time',
  date: 'Date',
  notATime: 'Choose a day and a time.',
  notYet: 'That has not happened yet.',
  landsAt: (time: string, ago: string, names: string) =>
    `It will stand at ${time}, ${ago}, ${names === '' ? 'when nobody was logged.' : `when ${names} ${/ and /.test(names) ? 'were' : 'was'} here.`}`,
  switchTo: (names: string) => `Switch to ${names}`,
  join: (names: string) => `Join ${names}`,
  clearChoice: 'Choose nobody',
  actions: 'What happens',
  areHereNow: (names: string) =>
    names === ''
      ? 'Nobody is logged as here.'
      : `${names} ${/ and /.test(names) ? 'are' : 'is'} here now.`,
  isLogged: 'The switch is in your history.',
  todayAndYesterday: 'Today and yesterday',
  allHistory: 'All history',
  nobodyLives: 'Nobody lives here yet.',
  bringThem: 'Bring them from PluralKit, Tupperbox or Simply Plural',
  makeTheFirst: (word: string) =>
    word === 'members' ? 'Make the first member' : `Make the first of your ${word}`,
  name: 'Name',
  make: 'Make',
  makeNamed: (name: string) => `Make ‘${name}’`,
  isMade: (name: string) => `${name} lives here now.`,
  nameThem: 'They need a name.',

  // Members.
  here: 'here',
  spoiler: 'Spoiler',

  // History.
  days: 'Days',
  list: 'List',
  month: 'Month',
  views: 'How to look at it',
  addPast: 'Add a past switch',
  change: 'Change…',
  changeAt: (time: string) => `Change… ${time}`,
  aSwitch: 'A switch',
  who: 'Who',
  save: 'Save',
  remove: 'Delete',
  add: 'Add somebody',
  takeOut: (name: string) => `Take ${name} out`,
  soFar: (length: string) => `${length} so far`,
  nobodyShort: 'Nobody',
  today: 'Today',
  earlierDays: 'Earlier days',
  noSwitches: 'No switches in this time.',
  toNearest: (day: string) => `Go to ${day}`,
  previousMonth: 'The month before',
  nextMonth: 'The month after',
  asTable: 'As a table',
  asPicture: 'As a picture',
  dayIsLong: (hours: number) => `${hours} h`,
  day: 'Day',
  from: 'From',
  to: 'To',
  length: 'How long',
  effects: 'What this changes',
  noEffect: 'Nothing changes yet.',
  replaced: (from: string, to: string, before: string, after: string) =>
    `From ${from} ${to}: ${after} instead of ${before}.`,
  untilNow: 'until now',
  until: (time: string) => `until ${time}`,
  nobodyWas: 'nobody',
  nothingWas: 'nothing known',
  deleteAlso: (effect: string) => `Delete takes this switch away. ${effect}`,
  isDeleted: 'The switch is gone.',
  isSaved: 'Saved.',

  // Shared by several pages.
  copy: 'Copy',
  copied: 'Copied.',
  share: 'Share…',

  // More.
  system: 'System',
  systemMore: 'Name, picture, time zone, settings, webhook, accounts',
  privacy: 'Privacy',
  privacyMore: 'What everyone may see',
  friends: 'Friends',
  friendsMore: 'Links that show who is here',
  groups: 'Groups',
  groupsMore: 'Who belongs together, and statuses',
  import: 'Import and export',
  importMore: 'Bring everyone along, or take everything away',
  devices: 'Devices',
  devicesMore: 'Browsers that are logged in, and tokens',
  appearance: 'Look',
  appearanceMore: 'Theme, text, pictures, what you call each other',
  apiMore: 'For programs of your own',
  browsers: 'Browsers',
  thisOne: 'this browser',
  lastUsed: (ago: string) => `last used ${ago}`,
  madeOn: (day: string) => `since ${day}`,
  end: 'End',
  endNamed: (name: string) => `End ${name}`,
  logOutEverywhere: 'Log out everywhere',
  logOutEverywhereMore: 'Every browser has to come in again. Tokens keep working.',
  tokens: 'Tokens',
  tokensMore: 'What programs, bots and friends use. A token itself is never shown again.',
  noTokens: 'There are none.',
  neverUsed: 'never used',
  runsOut: (day: string) => `until ${day}`,
  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeAsk: (name: string) => `Revoke ${name}?`,
  revokeEffect:
    'Whatever uses this token stops working at once, with the browsers that came in by it. This cannot be undone.',
  isRevoked: (name: string) => `${name} is revoked.`,
  isEnded: (name: string) => `${name} is logged out.`,
  cancel: 'Cancel',
  scopes: {
    full: 'may do everything',
    front: 'may log switches',
    read: 'may read',
    calendar: 'may read the calendar',
    watch: 'may see who is here',
  } as Readonly<Record<string, string>>,
  keptHere: 'Kept in this browser.',
  wordForMembers: 'The word for members',
  wordMore: 'Follows you to every device.',
  ownWord: 'Another word',
  appearanceNames: {
    theme: 'Theme',
    font: 'Font',
    size: 'Text size',
    spacing: 'Space between words',
    contrast: 'Contrast',
    lists: 'Lists',
    pictures: 'Pictures',
    motion: 'Motion',
    clock: 'Clock',
    keys: 'Single keys',
  },
  appearanceValues: {
    theme: { device: 'As the device', paper: 'Paper', dusk: 'Dusk', night: 'Night' },
    font: { atkinson: 'Atkinson', device: 'Of the device', opendyslexic: 'OpenDyslexic' },
    size: {
      '90': '90 %',
      '100': '100 %',
      '115': '115 %',
      '130': '130 %',
      '145': '145 %',
      '160': '160 %',
    },
    spacing: { usual: 'Usual', wide: 'Wide' },
    contrast: { device: 'As the device', more: 'More' },
    lists: { usual: 'Roomy', compact: 'Compact' },
    pictures: { all: 'All', faces: 'Faces only', none: 'None' },
    motion: { device: 'As the device', none: 'None' },
    clock: { device: 'As the device', '24': '24 h', '12': '12 h' },
    keys: { on: 'On', off: 'Off' },
  },
  picturesMore: 'With none, no other server learns that you looked.',
} as const

/** Joins names: "Wren, Iris and Moss". */
export function listNames(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** Capitalizes the system's word for members, for headings. */
export function capitalize(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('')
}

const ones: Readonly<Record<string, string>> = {
  members: 'member',
  alters: 'alter',
  headmates: 'headmate',
  parts: 'part',
  people: 'person',
}

/**
 * Formats a count: "3 headmates", "1 headmate". A custom word has no known singular and stays as it
 * is.
 */
export function countOf(count: number, word: string): string {
  return `${count} ${count === 1 ? (ones[word] ?? word) : word}`
}
