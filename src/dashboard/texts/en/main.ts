import { capitalize, createMessageTools, type DurationParts, type Word } from '../messages'
import { errors } from './errors'

// British lists: "Wren, Iris and Moss".
const { countOf, list, number, plural } = createMessageTools('en-GB')
const { duration } = createMessageTools('en')

/** CLDR abbreviates hours to "hr"; charts and tables use the symbol. */
const formatDuration = (parts: DurationParts) =>
  duration(parts)
    .replace(/\bhr\b/, 'h')
    .replace(', ', ' ')

/** Texts of the first script: login, layout, Now and what several pages share. */
export const main = {
  title: 'Multitude',
  welcome: 'Welcome home',
  howToLogIn:
    'Log in with a link from your bot or from the person who runs this server, or paste your token.',
  /** How a newcomer gets a system, by the server's setting for registration. */
  newHere: {
    closed: 'New here? Ask them to create a system for you.',
    invite: 'New here? Ask them for an invite.',
  },
  needsSetup:
    'Nobody has a system here yet. The person who runs this server can open the set-up link that the server prints when it starts.',
  createSystem: 'Create a system',
  isInvited: 'A friend invites you. Log in to answer.',
  token: 'Token',
  remember: 'Remember this device',
  rememberMore:
    'Keeps names and recent switches in this browser, so that it works without network. You can log it out any time under More → Devices.',
  logIn: 'Log in',
  yourSystem: 'your system',
  wrongToken: 'That token doesn’t work here. Check that you copied all of it.',
  limitedToken: 'This token doesn’t have full access, so it can’t be used to log in.',
  noToken: 'Paste your token here.',
  tooMany: 'Too many attempts. Wait a minute and try again.',
  unreachable: 'Can’t reach the server.',
  tryAgain: 'Try again',
  endedElsewhere:
    'This browser was logged out from another device, or the login expired. Log in to continue.',
  logOut: 'Log out',
  hereNow: 'Here now',
  nobody: 'No one is logged as here.',
  nothingYet: 'Nothing is logged yet.',
  stillLoading: 'Still loading…',

  // Words, lists and times.
  words: {
    members: words('member', 'members'),
    alters: words('alter', 'alters'),
    headmates: words('headmate', 'headmates'),
    parts: words('part', 'parts'),
    people: words('person', 'people'),
  },
  /** Forms of a word that a system has chosen itself; its singular is not known. */
  customWord: (word: string): Omit<Word, 'title'> => ({
    one: word,
    many: word,
    a: word,
    first: `the first of your ${word}`,
  }),
  countOf,
  number: (value: number) => number(value),
  listOf: (parts: readonly string[]) => list(parts),
  duration: formatDuration,
  lessThanMinute: 'less than 1 min',
  ago: {
    minutes: (count: number) => `${formatDuration({ minutes: count })} ago`,
    hours: (count: number) => `${formatDuration({ hours: count })} ago`,
    days: (count: number) => `${formatDuration({ days: count })} ago`,
  },
  justNow: 'just now',
  noon: 'Noon',
  quoted: (text: string) => `“${text}”`,
  errors,

  // Layout.
  skip: 'Skip to content',
  navigation: 'Main menu',
  now: 'Now',
  history: 'History',
  insights: 'Insights',
  more: 'More',
  live: 'Live',
  connecting: 'Connecting',
  offline: 'Offline',
  youAreOffline:
    'You’re offline. You can look around; switches can’t be logged until you’re back online.',
  serverAway:
    'Can’t reach the server. You can look around; nothing can be saved until it answers again.',
  /** While switches are kept on the device: no network, or no answer of the server. */
  waitingHere: (count: number, isServer: boolean, isPhone: boolean) => {
    const device = isPhone ? 'phone' : 'device'
    const why = isServer ? 'Can’t reach the server.' : 'No network.'
    return plural(count, {
      one: `${why} 1 switch is waiting on this ${device}.`,
      other:
        count === 0
          ? `${why} Switches wait on this ${device}; nothing else can be saved.`
          : `${why} ${number(count)} switches are waiting on this ${device}.`,
    })
  },
  needsServer: (word: Word) =>
    `This page isn’t available without a connection to the server. Now, ${word.title} and History are.`,
  serverBusy: 'The server is busy. This will continue in a moment.',
  close: 'Close',
  notice: 'Notice',
  undo: 'Undo',
  isUndone: 'Undone.',

  // Now.
  greet: (hour: number, name: string) =>
    hour < 5
      ? `Hello, ${name}`
      : hour < 12
        ? `Good morning, ${name}`
        : hour < 18
          ? `Good afternoon, ${name}`
          : `Good evening, ${name}`,
  hereSince: (time: string, length: string) => `since ${time} · ${length}`,
  hereAre: (names: readonly string[]) => `Here now: ${list(names)}`,
  stepsBack: (name: string) => `${name} steps back`,
  setStatus: 'Set status',
  /** Accessible name of a button with a status, or with the text above. */
  statusOf: (name: string, text: string) => `${text}, ${name}`,
  addComment: 'Add comment',
  whoIsSwitchingIn: 'Who’s switching in?',
  everyone: (count: number) => `Everyone (${number(count)})`,
  suggested: 'Suggested',
  customFronts: 'Custom fronts',
  search: 'Search',
  searchHint: 'Search names, pronouns, descriptions',
  nobodyFound: 'No one found.',
  found: (count: number) =>
    count === 0 ? 'No one found' : plural(count, { other: `${number(count)} found` }),
  showMore: 'Show more',
  nobodyOrUnsure: 'Nobody / not sure',
  happenedEarlier: 'It happened earlier…',
  when: 'When did it happen?',
  thisMorning: (time: string) => `This morning, ${time}`,
  pickTime: 'Pick a time…',
  time: 'Time',
  date: 'Date',
  timesIn: (zone: string, time: string) => `Times are in ${zone}, where it’s now ${time}.`,
  notATime: 'Enter a date and time.',
  inFuture: 'That’s in the future.',
  inFutureIn: (zone: string) => `That’s in the future in your time zone, ${zone}.`,
  willBeLogged: (time: string, ago: string, names: readonly string[]) =>
    names.length === 0
      ? `Will be logged at ${time} (${ago}). No one is logged then.`
      : `Will be logged at ${time} (${ago}). Here then: ${list(names)}.`,
  switchTo: (names: readonly string[]) => `Switch to ${list(names)}`,
  addAlongside: (names: readonly string[]) => `Add alongside ${list(names)}`,
  insteadOf: 'Instead of',
  replace: (names: readonly string[], replaced: string) => `${list(names)} instead of ${replaced}`,
  clearSelection: 'Clear selection',
  switch: 'Switch',
  areHereNow: (names: readonly string[]) =>
    plural(names.length, {
      one: `${list(names)} is here now.`,
      other: `${list(names)} are here now.`,
    }),
  isLogged: 'Added to your history.',
  todayAndYesterday: 'Today and yesterday',
  whoWasHere: 'Who was here at…',
  allHistory: 'All history',
  noMembers: (word: Word) => `No ${word.many} yet.`,
  addFirst: (word: Word) => `Add ${word.first}`,
  name: 'Name',
  addNamed: (name: string) => `Add “${name}”`,
  isAdded: (name: string) => `${name} was added.`,
  enterName: 'Enter a name.',

  // Members.
  here: 'here',
  spoiler: 'Spoiler',

  // Days.
  nobodyShort: 'Nobody',
  today: 'Today',
  asTable: 'Show as table',
  asChart: 'Show as chart',
  dayOf: (day: string, parts: readonly string[]) =>
    parts.length === 0 ? `${day}: Nobody` : `${day}: ${list(parts)}`,
  timeOf: (name: string, length: string) => `${name} ${length}`,

  // Shared by several pages.
  save: 'Save',
  delete: 'Delete',
  cancel: 'Cancel',
  leaveAsk: 'Leave without saving?',
  leaveEffect: 'Your changes will be lost.',
  stay: 'Stay',
  leave: 'Leave',
  isSaved: 'Saved.',
  isDeleted: 'Switch deleted.',
  system: 'System',
  privacy: 'Privacy',
  friends: 'Friends',
  groups: 'Groups',
  notes: 'Notes',
  chat: 'Chat',
  reminders: 'Reminders',
  fields: 'Fields',
  import: 'Import and export',
  archivedData: 'Archived data',
  devices: 'Devices',
  appearance: 'Appearance',
}

function words(one: string, many: string): Word {
  return {
    one,
    many,
    a: `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`,
    first: `your first ${one}`,
    title: capitalize(many),
  }
}
