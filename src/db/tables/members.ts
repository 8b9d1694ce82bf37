import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { columnsOf } from './columns'
import { identity, ofSystem } from './systems'

export const members = sqliteTable(
  'members',
  { ...identity(), system_id: ofSystem(), ...columnsOf(member) },
  (table) => [index('members_by_system').on(table.system_id)],
)

export const ofMember = () =>
  integer()
    .notNull()
    .references(() => members.id, { onDelete: 'cascade' })

/** Index of all members' proxy tags, by which the text of a message is looked up. */
export const proxyTagIndex = sqliteTable(
  'proxy_tag_index',
  {
    member_id: ofMember(),
    /** Set of all tags of a system. A large import writes a second set and then switches to it. */
    index_id: integer().notNull(),
    position: integer().notNull(),
    prefix: text().notNull(),
    suffix: text().notNull(),
    prefix_key: text().notNull(),
    suffix_key: text().notNull(),
    trimmed_key: text().notNull(),
    trimmed_spaces: integer().notNull(),
    bracket_flags: integer().notNull(),
  },
  // Each index ends with the order of precedence, so that only the first of equal tags is read.
  ({ index_id, member_id, position, ...key }) => [
    primaryKey({ columns: [member_id, index_id, position] }),
    index('proxy_tag_index_by_affixes').on(index_id, key.prefix, key.suffix, member_id, position),
    index('proxy_tag_index_by_folded_affixes').on(
      index_id,
      key.prefix_key,
      key.suffix_key,
      member_id,
      position,
    ),
    index('proxy_tag_index_by_trimmed_key').on(
      index_id,
      key.trimmed_key,
      key.bracket_flags,
      key.trimmed_spaces,
      member_id,
      position,
    ),
    index('proxy_tag_index_with_suffix').on(index_id).where(sql`${key.suffix} <> ''`),
  ],
)

export const groups = sqliteTable(
  'groups',
  { ...identity(), system_id: ofSystem(), ...columnsOf(group) },
  (table) => [index('groups_by_system').on(table.system_id)],
)

export const groupMembers = sqliteTable(
  'group_members',
  {
    group_id: integer()
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    member_id: ofMember(),
  },
  (table) => [
    primaryKey({ columns: [table.group_id, table.member_id] }),
    index('group_members_by_member').on(table.member_id),
  ],
)
