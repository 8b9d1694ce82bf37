import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { group } from '../../model/group'
import { member } from '../../model/member'
import { columnsOf } from '../columns'
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
export const proxyTagKeys = sqliteTable(
  'proxy_tag_keys',
  {
    member_id: ofMember(),
    /** Set of all tags of a system. A large import writes a second set and then switches to it. */
    set_id: integer().notNull(),
    position: integer().notNull(),
    prefix: text().notNull(),
    suffix: text().notNull(),
    prefix_key: text().notNull(),
    suffix_key: text().notNull(),
    bare_key: text().notNull(),
    gap: integer().notNull(),
    brackets: integer().notNull(),
  },
  // Each index ends with the order of precedence, so that only the first of equal tags is read.
  ({ set_id, member_id, position, ...key }) => [
    primaryKey({ columns: [member_id, set_id, position] }),
    index('proxy_tags_by_affixes').on(set_id, key.prefix, key.suffix, member_id, position),
    index('proxy_tags_in_any_case').on(set_id, key.prefix_key, key.suffix_key, member_id, position),
    index('proxy_tags_by_bare').on(
      set_id,
      key.bare_key,
      key.brackets,
      key.gap,
      member_id,
      position,
    ),
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
