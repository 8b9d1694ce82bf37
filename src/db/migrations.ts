import foundation from '../../migrations/0000_foundation.sql' with { type: 'text' }
import people from '../../migrations/0001_people.sql' with { type: 'text' }
import guilds from '../../migrations/0002_guilds.sql' with { type: 'text' }
import webhooks from '../../migrations/0003_webhooks.sql' with { type: 'text' }
import archive from '../../migrations/0004_archive.sql' with { type: 'text' }
import imports from '../../migrations/0005_imports.sql' with { type: 'text' }
import proxyTags from '../../migrations/0006_proxy_tags.sql' with { type: 'text' }
import leases from '../../migrations/0007_leases.sql' with { type: 'text' }
import platforms from '../../migrations/0008_platforms.sql' with { type: 'text' }
import faces from '../../migrations/0009_faces.sql' with { type: 'text' }
import access from '../../migrations/0010_access.sql' with { type: 'text' }
import forgottenSwitches from '../../migrations/0011_forgotten_switches.sql' with { type: 'text' }
import operating from '../../migrations/0012_operating.sql' with { type: 'text' }
import standardNames from '../../migrations/0013_standard_names.sql' with { type: 'text' }
import ownLimits from '../../migrations/0014_own_limits.sql' with { type: 'text' }
import invalidationByNewId from '../../migrations/0015_invalidation_by_new_id.sql' with {
  type: 'text',
}
import setupCodes from '../../migrations/0016_setup_codes.sql' with { type: 'text' }
import discord from '../../migrations/0017_discord.sql' with { type: 'text' }
import extensions from '../../migrations/0018_extensions.sql' with { type: 'text' }
import reminders from '../../migrations/0019_reminders.sql' with { type: 'text' }
import push from '../../migrations/0020_push.sql' with { type: 'text' }
import friends from '../../migrations/0021_friends.sql' with { type: 'text' }
import pictures from '../../migrations/0022_pictures.sql' with { type: 'text' }
import counts from '../../migrations/0023_counts.sql' with { type: 'text' }
import unreadCount from '../../migrations/0024_unread_count.sql' with { type: 'text' }
import disconnected from '../../migrations/0025_disconnected.sql' with { type: 'text' }
import suffixes from '../../migrations/0026_suffixes.sql' with { type: 'text' }
import postgresBaseline from '../../migrations/postgres/0012_operating.sql' with { type: 'text' }
import postgresStandardNames from '../../migrations/postgres/0013_standard_names.sql' with {
  type: 'text',
}
import postgresOwnLimits from '../../migrations/postgres/0014_own_limits.sql' with { type: 'text' }
import postgresSetupCodes from '../../migrations/postgres/0016_setup_codes.sql' with {
  type: 'text',
}
import postgresDiscord from '../../migrations/postgres/0017_discord.sql' with { type: 'text' }
import postgresExtensions from '../../migrations/postgres/0018_extensions.sql' with { type: 'text' }
import postgresReminders from '../../migrations/postgres/0019_reminders.sql' with { type: 'text' }
import postgresPush from '../../migrations/postgres/0020_push.sql' with { type: 'text' }
import postgresFriends from '../../migrations/postgres/0021_friends.sql' with { type: 'text' }
import postgresPictures from '../../migrations/postgres/0022_pictures.sql' with { type: 'text' }
import postgresCounts from '../../migrations/postgres/0023_counts.sql' with { type: 'text' }
import postgresUnreadCount from '../../migrations/postgres/0024_unread_count.sql' with {
  type: 'text',
}
import postgresDisconnected from '../../migrations/postgres/0025_disconnected.sql' with {
  type: 'text',
}
import postgresSuffixes from '../../migrations/postgres/0026_suffixes.sql' with { type: 'text' }

export interface Migration {
  readonly name: string
  readonly sql: string
  /** True if it breaks older programs that are running, so that all of them must be stopped. */
  readonly isBreaking?: boolean
}

/** All migrations in their order, embedded in the executable. */
export const migrations: Migration[] = [
  { name: '0000_foundation', sql: foundation },
  { name: '0001_people', sql: people },
  { name: '0002_guilds', sql: guilds },
  { name: '0003_webhooks', sql: webhooks },
  { name: '0004_archive', sql: archive },
  { name: '0005_imports', sql: imports },
  { name: '0006_proxy_tags', sql: proxyTags },
  { name: '0007_leases', sql: leases },
  { name: '0008_platforms', sql: platforms },
  { name: '0009_faces', sql: faces },
  { name: '0010_access', sql: access },
  { name: '0011_forgotten_switches', sql: forgottenSwitches },
  { name: '0012_operating', sql: operating },
  { name: '0013_standard_names', sql: standardNames, isBreaking: true },
  { name: '0014_own_limits', sql: ownLimits, isBreaking: true },
  { name: '0015_invalidation_by_new_id', sql: invalidationByNewId },
  { name: '0016_setup_codes', sql: setupCodes },
  { name: '0017_discord', sql: discord },
  { name: '0018_extensions', sql: extensions },
  { name: '0019_reminders', sql: reminders },
  { name: '0020_push', sql: push },
  { name: '0021_friends', sql: friends },
  { name: '0022_pictures', sql: pictures },
  { name: '0023_counts', sql: counts },
  { name: '0024_unread_count', sql: unreadCount },
  { name: '0025_disconnected', sql: disconnected },
  { name: '0026_suffixes', sql: suffixes },
]

/**
 * Migrations for PostgreSQL. The first one contains all SQLite migrations up to its name, because
 * earlier releases did not support PostgreSQL. It lacks those that only make SQLite's triggers faster.
 */
export const serverMigrations: readonly Migration[] = [
  { name: '0012_operating', sql: postgresBaseline },
  { name: '0013_standard_names', sql: postgresStandardNames, isBreaking: true },
  { name: '0014_own_limits', sql: postgresOwnLimits, isBreaking: true },
  { name: '0016_setup_codes', sql: postgresSetupCodes },
  { name: '0017_discord', sql: postgresDiscord },
  { name: '0018_extensions', sql: postgresExtensions },
  { name: '0019_reminders', sql: postgresReminders },
  { name: '0020_push', sql: postgresPush },
  { name: '0021_friends', sql: postgresFriends },
  { name: '0022_pictures', sql: postgresPictures },
  { name: '0023_counts', sql: postgresCounts },
  { name: '0024_unread_count', sql: postgresUnreadCount },
  { name: '0025_disconnected', sql: postgresDisconnected },
  { name: '0026_suffixes', sql: postgresSuffixes },
]
