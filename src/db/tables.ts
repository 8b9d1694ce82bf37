import { isNotNull } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { autoproxy } from '../model/autoproxy'
import { group } from '../model/group'
import { guild, memberGuild, systemGuild } from '../model/guild'
import { member } from '../model/member'
import { DISCORD } from '../model/platform'
import { settings } from '../model/settings'
import { system } from '../model/system'
import { columnsOf } from './columns'

/** Made anew for each table: a column remembers the table it was first named in. */
const identity = () => ({
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  hid: text().notNull().unique(),
})

const ofSystem = () =>
  integer()
    .notNull()
    .references(() => systems.id, { onDelete: 'cascade' })

export const systems = sqliteTable('systems', {
  ...identity(),
  ...columnsOf(system),
  /** Which of the `proxy_tag_keys` are this system's; those with its own number when null. */
  tag_set: integer(),
  /** The platform of the bot that made it. What is older than platforms is Discord's. */
  made_on: text().default(DISCORD),
})

/** What is seen of a row, as the JSON that is answered; see `faces.ts`. */
const faceOf = (row: () => AnySQLiteColumn) => ({
  id: integer().primaryKey().references(row, { onDelete: 'cascade' }),
  shape: integer().notNull(),
  own: text().notNull(),
  others: text().notNull(),
})

export const systemFaces = sqliteTable(
  'system_faces',
  faceOf(() => systems.id),
)
export const memberFaces = sqliteTable(
  'member_faces',
  faceOf(() => members.id),
)
export const groupFaces = sqliteTable(
  'group_faces',
  faceOf(() => groups.id),
)

export const systemSettings = sqliteTable('settings', {
  system_id: ofSystem().primaryKey(),
  ...columnsOf(settings),
  /** PluralKit's; nothing here asks for it, but an export gives it back. */
  card_show_color_hex: integer({ mode: 'boolean' }).notNull().default(false),
})

/**
 * Imports that are not finished. A large one is written in slices, between which others write, and
 * nobody sees its rows before this one is gone, all at once.
 */
export const imports = sqliteTable(
  'imports',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    /** A system without a name, where new members and groups wait. */
    place_id: ofSystem(),
    /** Moved on with every slice. One whose time is over was given up, and its rows are removed. */
    until: integer().notNull(),
  },
  (table) => [
    index('imports_by_system').on(table.system_id),
    index('imports_by_place').on(table.place_id),
  ],
)

/** The import that brought a row; not seen by anybody while that one is not finished. */
const ofImport = () => integer()

/** Secrets are kept as SHA-256 only: what is lost here cannot be used to sign in. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    name: text().notNull(),
    hash: text().notNull().unique(),
    created: integer().notNull(),
  },
  (table) => [index('tokens_by_system').on(table.system_id)],
)

export const bots = sqliteTable('bots', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  created: integer().notNull(),
  platform: text().notNull().default(DISCORD),
})

/** Codes that link an account of another platform, each once. Kept as SHA-256, like all secrets. */
export const linkCodes = sqliteTable(
  'link_codes',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    hash: text().notNull().unique(),
    expires: integer().notNull(),
  },
  (table) => [
    index('link_codes_by_system').on(table.system_id),
    index('link_codes_by_end').on(table.expires),
  ],
)

/** Accounts that gave a wrong code, and when: so many of them and they have to wait. */
export const linkFailures = sqliteTable(
  'link_failures',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    account_id: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    index('link_failures_by_account').on(table.account_id, table.at),
    index('link_failures_by_time').on(table.at),
  ],
)

/** Chat accounts that are linked to a system. */
export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    system_id: ofSystem(),
    autoproxy_enabled: integer({ mode: 'boolean' }).notNull().default(true),
    /** Whether a file named it and the operator, or a bot, vouched for that. */
    imported: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('accounts_by_system').on(table.system_id)],
)

/** The outbox: what happened, written in the transaction of the change it tells of. */
export const events = sqliteTable(
  'events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    type: text().notNull(),
    subject: text(),
    data: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    at: integer().notNull(),
  },
  (table) => [index('events_by_system').on(table.system_id, table.id)],
)

/** How far each system's outbox was pruned: whoever heard less than that has missed something. */
export const prunedEvents = sqliteTable('pruned_events', {
  system_id: ofSystem().primaryKey(),
  newest: integer().notNull(),
})

export const members = sqliteTable(
  'members',
  { ...identity(), system_id: ofSystem(), ...columnsOf(member) },
  (table) => [index('members_by_system').on(table.system_id)],
)

const ofMember = () =>
  integer()
    .notNull()
    .references(() => members.id, { onDelete: 'cascade' })

/** The proxy tags of all members once more, as keys that a message's text can be looked up by. */
export const proxyTagKeys = sqliteTable(
  'proxy_tag_keys',
  {
    member_id: ofMember(),
    /** All tags of a system. A large import writes another set beside it, and then changes over. */
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
  // Each ends in who comes first, so that of any number of equal tags only one is looked at.
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

export const switches = sqliteTable(
  'switches',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    system_id: ofSystem(),
    timestamp: integer().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('switches_by_time').on(table.system_id, table.timestamp),
    index('switches_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Who fronts since a switch, in the order given when it was logged. */
export const switchMembers = sqliteTable(
  'switch_members',
  {
    switch_id: integer()
      .notNull()
      .references(() => switches.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    member_id: ofMember(),
  },
  (table) => [
    primaryKey({ columns: [table.switch_id, table.position] }),
    index('switch_members_by_member').on(table.member_id),
  ],
)

/** Records of proxied messages. They outlive their member, but not their system. */
export const messages = sqliteTable(
  'messages',
  {
    id: text().primaryKey(),
    original: text().notNull(),
    sender: text().notNull(),
    channel: text().notNull(),
    guild: text(),
    system_id: ofSystem(),
    member_id: integer().references(() => members.id, { onDelete: 'set null' }),
    timestamp: integer().notNull(),
  },
  (table) => [
    index('messages_by_original').on(table.original),
    index('messages_by_system').on(table.system_id),
    index('messages_by_member').on(table.member_id),
  ],
)

export const systemGuilds = sqliteTable(
  'system_guilds',
  { system_id: ofSystem(), guild_id: text().notNull(), ...columnsOf(systemGuild) },
  (table) => [primaryKey({ columns: [table.system_id, table.guild_id] })],
)

export const memberGuilds = sqliteTable(
  'member_guilds',
  { member_id: ofMember(), guild_id: text().notNull(), ...columnsOf(memberGuild) },
  (table) => [primaryKey({ columns: [table.member_id, table.guild_id] })],
)

export const autoproxies = sqliteTable(
  'autoproxy',
  {
    system_id: ofSystem(),
    guild_id: text().notNull(),
    ...columnsOf(autoproxy),
    /** The row number; on the wires it is a short ID. */
    autoproxy_member: integer().references(() => members.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.system_id, table.guild_id] }),
    index('autoproxy_by_member').on(table.autoproxy_member),
  ],
)

export const guilds = sqliteTable('guilds', {
  guild_id: text().primaryKey(),
  ...columnsOf(guild),
})

/** Where a system's events are sent to. The signing token goes out with each, so it is kept plain. */
export const webhooks = sqliteTable('webhooks', {
  system_id: ofSystem().primaryKey(),
  url: text().notNull(),
  token: text().notNull(),
  state: text({ enum: ['pending', 'active', 'disabled'] }).notNull(),
  /** Why it is disabled, in words for its owner. */
  reason: text(),
  /** The last event that was delivered, or that lies before the webhook's time. */
  cursor: integer().notNull(),
  failing_since: integer(),
  /** How often the next event was tried in vain, and when it is tried again. */
  attempts: integer().notNull().default(0),
  next_attempt: integer(),
  /** When the receiver last proved that it refuses a wrong token. */
  checked: integer(),
  /** How many events were pruned before they could be delivered, and were not told of yet. */
  dropped: integer().notNull().default(0),
})

/** The last attempts of each webhook, for its owner to look at. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    event_id: integer(),
    type: text().notNull(),
    at: integer().notNull(),
    status: integer(),
    error: text(),
    attempt: integer().notNull(),
  },
  (table) => [index('deliveries_by_system').on(table.system_id, table.id)],
)

/** Rows of imported files that have no counterpart here, kept as they were. */
export const archive = sqliteTable(
  'archive',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    system_id: ofSystem(),
    collection: text().notNull(),
    content: text().notNull(),
    /** Of the content, so that the same row is kept once. */
    digest: text().notNull(),
    import_id: ofImport(),
  },
  (table) => [
    uniqueIndex('archive_by_digest').on(table.system_id, table.collection, table.digest),
    index('archive_by_import').on(table.import_id).where(isNotNull(table.import_id)),
  ],
)

/** Who does what only one process may do, and until when; times are the engine's, in milliseconds. */
export const leases = sqliteTable('leases', {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: integer().notNull(),
})

/** Counters that tell other processes that something changed. */
export const marks = sqliteTable('marks', {
  name: text().primaryKey(),
  count: integer().notNull(),
})
