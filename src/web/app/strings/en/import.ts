import { createMessageTools, type Word } from '../messages'

const { list, number, plural } = createMessageTools('en-GB')

/** Returns a message for a number of rows. */
const rows = (one: string, other: string) => (count: number) =>
  plural(count, { one: `${number(count)} ${one}`, other: `${number(count)} ${other}` })

/** Returns a message for rows that are imported, but for some keys. */
const detailsOf = (one: string, other: string) => (count: number) =>
  `further details of ${rows(one, other)(count)}`

/** Texts of Import and export. */
export const importing = {
  import: 'Import',
  importMore:
    'A file from PluralKit, Tupperbox, Simply Plural or another Multitude. You see a preview before anything is saved.',
  choose: 'Choose a file',
  drop: 'or drop it here',
  another: 'Another file',
  waiting: 'Waiting until the server has room for the file…',
  previewing: 'Reading the file…',
  importing: 'Importing…',
  tooLarge: 'This file is too large for this server.',
  newer: 'This file is from a newer Multitude. This server needs an update first.',
  unreadable: 'We can’t read this file. Choose the .json file from your export.',

  formats: {
    pluralkit: 'A PluralKit file',
    tupperbox: 'A Tupperbox file',
    simplyplural: 'A Simply Plural file',
  },
  fileSize: (name: string, size: string) => `${name}, ${size}`,
  kilobytes: (count: number) => `${number(count)} KB`,
  megabytes: (count: number) => `${number(Math.round(count * 10) / 10)} MB`,

  parts: 'What to import',
  groups: 'Groups',
  switches: 'Switches',
  memberships: (word: Word) => `${word.title} in groups`,
  fields: 'Fields',
  values: 'Values of fields',
  front_notes: 'Statuses and comments',
  notes: 'Notes',
  rooms: 'Rooms',
  posts: 'Posts',
  polls: 'Polls',
  votes: 'Votes',
  /** What these were in Simply Plural, or where they are here. */
  withCustomFronts: (word: Word) => `with custom fronts and archived ${word.many}`,
  sources: {
    front_notes: 'in your history',
    fields: 'from custom fields',
    rooms: 'from chat channels',
    posts: 'from chats and boards',
    polls: 'in Chat',
  },
  /** Parts that are chosen together with other rows. */
  choices: {
    switches: 'Switches, statuses and comments',
    posts: 'Rooms and posts',
  },
  allParts:
    'With everything selected, your system’s name, description and settings are imported too, and the rest of the file is stored as archived data.',
  noParts: 'Select at least one.',
  keepPrivate: 'Keep everything private',
  keepPrivateMore: (word: Word) =>
    `All ${word.many} and groups arrive private, and your system’s privacy stays as it is.`,
  friends: 'What all friends could see becomes public',
  friendsMore: 'Public here means everyone, not only friends.',

  preview: 'Preview',
  imported: 'Imported',
  added: (count: number) => `${number(count)} new`,
  changed: (count: number) => `${number(count)} changed`,
  unchanged: (count: number) => `${number(count)} unchanged`,
  leftOut: (count: number) => `${number(count)} skipped`,
  none: 'none',
  tally: (part: string, counts: readonly string[]) => `${part}: ${list(counts)}`,
  tallies: (format: string, tallies: readonly string[]) => `${format}. ${tallies.join('; ')}`,
  nothingNew: 'Everything in this file is here already.',
  withoutRoom: (count: number) =>
    `There’s no room left for ${number(count)} of these. The newest ones are imported.`,
  nothingDone: 'Everything in this file was here already. Nothing changed.',

  repaired: (count: number) => `Adjusted (${number(count)})`,
  dropped: (count: number) => `Couldn’t import (${number(count)})`,
  skippedRows: (count: number) => `Skipped (${number(count)})`,
  kept: (count: number) => `Stored as archived data (${number(count)})`,
  keptMore:
    'There’s no place for these here yet. They stay with your system, under Archived data, and are in every export.',
  toArchive: 'See archived data',
  lost: (count: number) => `Not stored (${number(count)})`,
  lostMore: 'Encrypted in the file, or unreadable.',
  renamed: (count: number) => `New IDs (${number(count)})`,
  renamedMore: 'The old IDs are taken on this server.',
  newId: 'a new one',
  accounts: (count: number) => `Chat accounts (${number(count)})`,
  becomes: (was: string, now: string) => `${was} becomes ${now}`,
  line: (subject: string, what: string) => `${subject}: ${what}`,
  subject: (name: string, field: string) => `${name}, ${field}`,
  rows: rows('row', 'rows'),
  /** Fields of a file that no form has. */
  fieldNames: {
    id: 'ID',
    uuid: 'UUID',
    created: 'Date added',
    timestamp: 'Time',
    message_count: 'Message count',
    last_message_timestamp: 'Last message',
    member: 'Profile',
    members: 'Who',
    switch: 'Entry',
    groups: 'Groups',
    parent: 'Group above it',
    about: 'Long description',
    archived_reason: 'Reason',
    emoji: 'Emoji',
    fields: 'Fields',
    values: 'Values',
    front_notes: 'Statuses and comments',
    notes: 'Notes',
    rooms: 'Rooms',
    posts: 'Posts',
    polls: 'Polls',
    votes: 'Votes',
    text: 'Text',
    title: 'Title',
    for: 'Board',
    type: 'Type',
    value: 'Value',
    option: 'Option',
    pkId: 'PluralKit ID',
    webhook_url: 'Webhook',
    group_id: 'Group',
    switches: 'Switches',
    frontHistory: 'History',
    fronters: 'History',
    startTime: 'History',
    frontStatuses: 'Custom fronts',
  },
  kinds: {
    system: 'System',
    member: 'Profile',
    group: 'Group',
    switch: 'Switch',
    settings: 'Settings',
    guild: 'Server',
    account: 'Account',
    autoproxy: 'Autoproxy',
    field: 'Field',
    front_note: 'Status or comment',
    note: 'Note',
    room: 'Room',
    post: 'Post',
    poll: 'Poll',
  },

  isDone: 'Import finished',
  toNow: 'Go to Now',

  /** Archived rows by the name of their collection in the file. */
  collections: {
    members: (count: number, word: Word) => detailsOf(word.one, word.many)(count),
    fieldValues: rows('unreadable value of a field', 'unreadable values of fields'),
    defaultPrivacy: rows('setting for new entries', 'settings for new entries'),
    frontStatuses: detailsOf('custom front', 'custom fronts'),
    groups: detailsOf('group', 'groups'),
    privacyBuckets: rows('privacy bucket', 'privacy buckets'),
    notes: rows('note', 'notes'),
    comments: rows('comment', 'comments'),
    polls: rows('poll', 'polls'),
    pollOptions: rows('list of further poll options', 'lists of further poll options'),
    boardMessages: rows('board message', 'board messages'),
    channels: rows('chat channel', 'chat channels'),
    channelCategories: rows('channel category', 'channel categories'),
    automatedReminders: rows('automated reminder', 'automated reminders'),
    repeatedReminders: rows('repeated reminder', 'repeated reminders'),
    friends: rows('friend', 'friends'),
    customFields: rows('custom field', 'custom fields'),
    chatMessages: rows('chat message', 'chat messages'),
    frontHistory: rows('comment or status in the history', 'comments and statuses in the history'),
    longTexts: rows('text in full length', 'texts in full length'),
  },
  /** Custom fields that an import takes over; earlier releases stored them whole. */
  fieldDetails: detailsOf('field', 'fields'),
  otherRows: (name: string, count: number) => `${name}: ${number(count)}`,

  export: 'Export',
  everything: 'Everything',
  everythingMore:
    'System, groups, history, notes and all the rest in one file. PluralKit can import it, too.',
  json: 'JSON',
  history: 'History',
  historyMore: 'For spreadsheets',
  csv: 'CSV',
  calendar: 'Calendar',
  calendarMore: 'For calendar apps',
  calendarTitle: 'History as a calendar',
  nextPart: (part: number) => `JSON, part ${number(part)}`,
  partsMore: (part: number) =>
    `Long histories and lists are exported in several files. Part ${number(part)} is the next one.`,
  isSaved: (name: string) => `${name} is in your downloads.`,
}
