import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { frontNote } from '../../model/front/frontNote'
import { derivedGroupKeys, groupExt } from '../../model/groups/groupExt'
import { note } from '../../model/journal/note'
import { poll, vote } from '../../model/journal/poll'
import { post } from '../../model/journal/post'
import { room } from '../../model/journal/room'
import { customField, derivedFieldKeys } from '../../model/members/customField'
import { derivedKeys, memberExt } from '../../model/members/memberExt'
import { reminder } from '../../model/reminders/reminder'
import { extSettings } from '../../model/systems/extSettings'
import { columnsOf, omit } from './columns'
import { ofImport } from './imports'
import { groups, members, ofMember } from './members'
import { formerMember, owned } from './owned'
import { ofSystem } from './systems'

/** Tables of the extension API. References of the field tables are stored as row IDs. */

/** A member without a row has the defaults. */
export const memberExts = sqliteTable('member_ext', {
  member_id: ofMember().primaryKey(),
  ...omit(columnsOf(memberExt), ...derivedKeys),
})

/** A group without a row has no parent and no emoji. */
export const groupExts = sqliteTable(
  'group_ext',
  {
    group_id: integer()
      .primaryKey()
      .references(() => groups.id, { onDelete: 'cascade' }),
    ...omit(columnsOf(groupExt), ...derivedGroupKeys),
    parent_id: integer().references(() => groups.id, { onDelete: 'set null' }),
  },
  (table) => [index('group_ext_by_parent').on(table.parent_id)],
)

export const frontNotes = sqliteTable(
  'front_notes',
  {
    ...owned(),
    ...omit(columnsOf(frontNote), 'member', 'by'),
    member_id: integer().references(() => members.id, { onDelete: 'cascade' }),
    by_member: formerMember(),
  },
  (table) => [
    uniqueIndex('front_notes_by_status')
      .on(table.system_id, table.member_id, table.at)
      .where(eq(table.kind, sql`'status'`)),
    index('front_notes_by_time').on(table.system_id, table.at, table.id),
    index('front_notes_by_member').on(table.member_id, table.at),
    // Of one kind, so that its lists read no row of the other. The columns of both indexes by member
    // make SQLite prefer them to the others.
    index('front_notes_by_status_time')
      .on(table.system_id, table.at, table.id)
      .where(eq(table.kind, sql`'status'`)),
    index('front_notes_by_comment_time')
      .on(table.system_id, table.at, table.id)
      .where(eq(table.kind, sql`'comment'`)),
    index('front_notes_by_status_member')
      .on(table.member_id, table.kind, table.at, table.id)
      .where(eq(table.kind, sql`'status'`)),
    index('front_notes_by_comment_member')
      .on(table.system_id, table.member_id, table.at, table.id)
      .where(eq(table.kind, sql`'comment'`)),
    index('front_notes_by_author').on(table.by_member),
    index('front_notes_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** UUIDs of deleted switches, which a client must not create again. */
export const deletedSwitches = sqliteTable(
  'deleted_switches',
  { system_id: ofSystem(), uuid: text().notNull(), at: integer().notNull() },
  (table) => [
    primaryKey({ columns: [table.system_id, table.uuid] }),
    index('deleted_switches_by_system').on(table.system_id, table.at),
    index('deleted_switches_by_time').on(table.at),
  ],
)

/** A system without a row has the defaults. */
export const extSettingsOfSystems = sqliteTable('ext_settings', {
  system_id: ofSystem().primaryKey(),
  ...columnsOf(extSettings),
})

export const fields = sqliteTable(
  'fields',
  { ...owned(), ...omit(columnsOf(customField), ...derivedFieldKeys) },
  (table) => [
    index('fields_by_system').on(table.system_id, table.position, table.id),
    index('fields_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Values of custom fields, as JSON. */
export const fieldValues = sqliteTable(
  'field_values',
  {
    member_id: ofMember(),
    field_id: integer()
      .notNull()
      .references(() => fields.id, { onDelete: 'cascade' }),
    value: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.member_id, table.field_id] }),
    index('field_values_by_field').on(table.field_id),
  ],
)

export const notes = sqliteTable(
  'notes',
  { ...owned(), ...omit(columnsOf(note), 'member'), member_id: formerMember() },
  (table) => [
    index('notes_by_date').on(table.system_id, table.date, table.id),
    index('notes_by_member').on(table.member_id, table.date, table.id),
    index('notes_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

export const rooms = sqliteTable(
  'rooms',
  {
    ...owned(),
    ...columnsOf(room),
    /** Set while the posts of a deleted room wait for removal. */
    is_deleted: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('rooms_by_system').on(table.system_id, table.position, table.id),
    index('rooms_by_deletion').on(table.id).where(eq(table.is_deleted, sql`1`)),
    index('rooms_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

export const posts = sqliteTable(
  'posts',
  {
    ...owned(),
    ...omit(columnsOf(post), 'room', 'for', 'by'),
    room_id: integer().references(() => rooms.id, { onDelete: 'cascade' }),
    for_member: formerMember(),
    by_member: formerMember(),
  },
  (table) => [
    index('posts_by_time').on(table.system_id, table.written, table.id),
    index('posts_by_room').on(table.room_id, table.written, table.id),
    index('posts_by_board')
      .on(table.system_id, table.for_member, table.written, table.id)
      .where(isNull(table.room_id)),
    // With all columns that visible posts are told by, so that finding them reads no post.
    index('posts_by_unread')
      .on(table.system_id, table.for_member, table.import_id, table.room_id, table.read)
      .where(and(isNull(table.room_id), eq(table.read, sql`0`)) ?? sql`false`),
    index('posts_by_unread_time')
      .on(table.system_id, table.written, table.id)
      .where(and(isNull(table.room_id), eq(table.read, sql`0`)) ?? sql`false`),
    // The same with all columns that they are counted by, in ranges of time.
    index('posts_by_unread_count')
      .on(
        table.system_id,
        table.written,
        table.id,
        table.for_member,
        table.import_id,
        table.room_id,
        table.read,
      )
      .where(and(isNull(table.room_id), eq(table.read, sql`0`)) ?? sql`false`),
    index('posts_by_recipient').on(table.for_member),
    index('posts_by_author').on(table.by_member),
    index('posts_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

export const polls = sqliteTable('polls', { ...owned(), ...columnsOf(poll) }, (table) => [
  index('polls_by_time').on(table.system_id, table.created, table.id),
  index('polls_by_import').on(table.import_id).where(isNotNull(table.import_id)),
])

export const pollVotes = sqliteTable(
  'poll_votes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    poll_id: integer()
      .notNull()
      .references(() => polls.id, { onDelete: 'cascade' }),
    ...omit(columnsOf(vote), 'member', 'option'),
    member_id: formerMember(),
    option_id: text().notNull(),
  },
  (table) => [
    uniqueIndex('poll_votes_by_voter').on(table.poll_id, table.member_id),
    index('poll_votes_by_member').on(table.member_id),
  ],
)

/**
 * Numbers of votes, kept by triggers on the votes, so that every deletion and every release that
 * uses the database keeps them right. An option without a row has no votes.
 */
export const pollVoteCounts = sqliteTable(
  'poll_vote_counts',
  {
    poll_id: integer()
      .notNull()
      .references(() => polls.id, { onDelete: 'cascade' }),
    option_id: text().notNull(),
    votes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.poll_id, table.option_id] })],
)

export const reminders = sqliteTable(
  'reminders',
  {
    ...owned(),
    ...columnsOf(reminder),
    /** Switch that `due` was set by. It has no foreign key: the service clears `due` with it. */
    due_switch_id: integer(),
  },
  (table) => [
    index('reminders_by_system').on(table.system_id, table.created, table.id),
    index('reminders_by_due').on(table.due, table.id).where(isNotNull(table.due)),
    index('reminders_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Use of the limits of a system, updated in the transaction of each write. */
export const extUsage = sqliteTable('ext_usage', {
  system_id: ofSystem().primaryKey(),
  text_bytes: integer().notNull().default(0),
  front_notes: integer().notNull().default(0),
  notes: integer().notNull().default(0),
  posts: integer().notNull().default(0),
})

/** Rows of other apps that were imported, by the IDs that they had there. */
export const origins = sqliteTable(
  'origins',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    app: text().notNull(),
    collection: text().notNull(),
    source_id: text().notNull(),
    /** UUID of the row here. */
    target: text().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('origins_by_source').on(
      table.system_id,
      table.app,
      table.collection,
      table.source_id,
    ),
    index('origins_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Collections of archived rows that wait for removal, up to a row ID. */
export const deletedArchives = sqliteTable(
  'deleted_archives',
  {
    system_id: ofSystem(),
    collection: text().notNull(),
    through_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.system_id, table.collection] })],
)
