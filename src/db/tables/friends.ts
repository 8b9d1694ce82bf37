import { isNotNull } from 'drizzle-orm'
import {
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { bucket } from '../../model/friends/bucket'
import { derivedShareKeys, friend, invite, type Share, share } from '../../model/friends/friend'
import { columnsOf, omit } from './columns'
import { fields } from './ext'
import { groups, ofMember } from './members'
import { owned } from './owned'
import { ofSystem } from './systems'

export const buckets = sqliteTable('buckets', { ...owned(), ...columnsOf(bucket) }, (table) => [
  index('buckets_by_system').on(table.system_id, table.position, table.id),
  index('buckets_by_import').on(table.import_id).where(isNotNull(table.import_id)),
])

const ofBucket = () =>
  integer()
    .notNull()
    .references(() => buckets.id, { onDelete: 'cascade' })

export const bucketMembers = sqliteTable(
  'bucket_members',
  { bucket_id: ofBucket(), member_id: ofMember() },
  (table) => [
    primaryKey({ columns: [table.bucket_id, table.member_id] }),
    index('bucket_members_by_member').on(table.member_id),
  ],
)

export const bucketGroups = sqliteTable(
  'bucket_groups',
  {
    bucket_id: ofBucket(),
    group_id: integer()
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.bucket_id, table.group_id] }),
    index('bucket_groups_by_group').on(table.group_id),
  ],
)

export const bucketFields = sqliteTable(
  'bucket_fields',
  {
    bucket_id: ofBucket(),
    field_id: integer()
      .notNull()
      .references(() => fields.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.bucket_id, table.field_id] }),
    index('bucket_fields_by_field').on(table.field_id),
  ],
)

/** Link between two systems. It has two rows of `friend_sides`. */
export const friendships = sqliteTable('friendships', {
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  created: integer().notNull(),
})

const ofFriendship = () =>
  integer()
    .notNull()
    .references((): SQLiteColumn => friendships.id, { onDelete: 'cascade' })

/** One side of a friendship: what the system shows to the friend, and its name for the friend. */
export const friendSides = sqliteTable(
  'friend_sides',
  {
    friendship_id: ofFriendship(),
    system_id: ofSystem(),
    friend_system_id: ofSystem(),
    ...columnsOf(friend),
    ...omit(columnsOf(share), ...derivedShareKeys),
    /** Hash of the fronters that the friend was last notified of. */
    last_notified_hash: text(),
    /** Hash of the fronters that the friend may be notified of, when they were last compared. */
    visible_hash: text(),
    /** Time at which the friend is notified, unless the visible fronters change again before. */
    notify_at: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.friendship_id, table.system_id] }),
    uniqueIndex('friend_sides_by_system').on(table.system_id, table.friend_system_id),
    index('friend_sides_by_friend').on(table.friend_system_id),
    index('friend_sides_by_notify_at').on(table.notify_at).where(isNotNull(table.notify_at)),
  ],
)

/** Friends in a bucket: those of the bucket's system. */
export const bucketFriends = sqliteTable(
  'bucket_friends',
  { bucket_id: ofBucket(), friendship_id: ofFriendship() },
  (table) => [
    primaryKey({ columns: [table.bucket_id, table.friendship_id] }),
    index('bucket_friends_by_friendship').on(table.friendship_id),
  ],
)

export const friendInvites = sqliteTable(
  'friend_invites',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    hash: text().notNull().unique(),
    share: text({ mode: 'json' }).$type<Share>().notNull(),
    ...omit(columnsOf(invite), 'expires'),
    expires: integer().notNull(),
  },
  (table) => [index('friend_invites_by_system').on(table.system_id)],
)

/** Systems whose front changed, until it is compared with what their friends saw before. */
export const friendNotifyDue = sqliteTable(
  'friend_notify_due',
  {
    system_id: ofSystem().primaryKey(),
    /** Time of the last change. */
    due: integer().notNull(),
    /** True if friends are notified; otherwise only the stored hashes are brought up to date. */
    announces: integer({ mode: 'boolean' }).notNull(),
    /** Row IDs of the members in front before the first change that is not yet compared. */
    fronters_before: text({ mode: 'json' }).$type<readonly number[]>(),
  },
  (table) => [index('friend_notify_due_by_time').on(table.due)],
)
