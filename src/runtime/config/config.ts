import { type AllowList, formatAllowList } from '../../model/core/network'
import {
  type DiscordCommands,
  formatList,
  parseDiscordCommands,
  parseDiscordToken,
  parseOrigins,
  parsePrefixes,
  parseShards,
} from './discordValues'
import {
  defaultRateLimits,
  formatDuration,
  formatKeep,
  HOURS,
  hidePassword,
  MiB,
  oneOf,
  type Parser,
  parseAddress,
  parseAllowed,
  parseArchiveLimit,
  parseBytes,
  parseContact,
  parseCount,
  parseDatabaseUrl,
  parseDuration,
  parseHost,
  parseHttpUrl,
  parseImportLimit,
  parseKeep,
  parseLease,
  parseLimit,
  parseMany,
  parsePort,
  parseRateLimits,
  parseText,
  type RateLimits,
} from './values'

export { hidePassword, type RateLimits }

interface Setting<T> {
  readonly defaultValue: T
  readonly parse: Parser<T>
  /** Formats the value so that `parse` accepts it, for values whose plain text it would not. */
  format?(value: T): string
  readonly doc: string
  /** Command-line flag, if it is not the name in lower case. */
  readonly flag?: string
  readonly secret?: boolean
  /** Ignores the variable without the prefix MULTITUDE_, because shells set it for other purposes. */
  readonly needsPrefix?: boolean
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** All settings. `multitude config` and `--help` use their descriptions, and a test compares docs/operating.md. */
export const settings = {
  HOST: {
    ...setting('127.0.0.1', parseHost, 'Address to listen on; 0.0.0.0 for all interfaces'),
    needsPrefix: true,
  },
  PORT: setting(8080, parsePort, 'Port to listen on; 0 picks a free port'),
  DATABASE_URL: {
    ...setting(
      'file:data/multitude.db',
      parseDatabaseUrl,
      'Database address: file:PATH or postgres://USER:PASSWORD@HOST,HOST/NAME',
    ),
    format: hidePassword,
    flag: 'database',
  },
  DATABASE_POOL: setting(
    16,
    parseMany,
    'Maximum number of PostgreSQL connections of this process; half of them are for writes',
  ),
  PGPASSWORD: {
    ...setting('', parseText, 'PostgreSQL password, if DATABASE_URL has none'),
    secret: true,
  },
  PGSSLROOTCERT: setting(
    '',
    parseText,
    'File with the CA certificates that verify the PostgreSQL server, for sslmode=verify-full',
  ),
  DURABILITY: setting<'full' | 'normal'>(
    'full',
    oneOf('full', 'normal'),
    'full: acknowledged writes survive a power cut; normal: faster, the latest writes may be lost',
  ),
  PUBLIC_URL: setting(
    '',
    parseHttpUrl,
    'Public address of this server, for links and the API page',
  ),
  LOG_LEVEL: setting<LogLevel>(
    'info',
    oneOf('debug', 'info', 'warn', 'error'),
    'Minimum log level: debug, info, warn or error',
  ),
  LOG_FORMAT: setting<'auto' | 'text' | 'json'>(
    'auto',
    oneOf('auto', 'text', 'json'),
    'Log format: text, json, or auto (text on a terminal, json otherwise)',
  ),
  LOG_CLIENT: setting<'off' | 'on'>(
    'off',
    oneOf('off', 'on'),
    'on: log the client address of each request, for example for fail2ban; off: do not log it',
  ),
  METRICS: setting<'off' | 'on'>(
    'off',
    oneOf('off', 'on'),
    'on: serve Prometheus metrics at /metrics on METRICS_ADDRESS; off: collect no metrics',
  ),
  METRICS_ADDRESS: setting(
    '127.0.0.1:9464',
    parseAddress,
    'Address and port of the metrics listener, such as 127.0.0.1:9464 or [::1]:9464',
  ),
  RATE_LIMIT: setting<RateLimits | null>(
    defaultRateLimits,
    parseRateLimits,
    'Requests per second and client, such as generic_get=10,message=10,generic_update=3, or off',
  ),
  TRUST_PROXY: setting(0, parseCount, 'Number of proxies whose X-Forwarded-For is trusted'),
  BODY_LIMIT: setting(
    MiB,
    parseBytes,
    'Maximum size of a request body, such as 1048576, 512KiB or 1MiB',
  ),
  DISPATCH_ALLOW: {
    ...setting<AllowList>(
      { hosts: new Set(), ranges: [] },
      parseAllowed,
      'Non-public hosts and CIDR ranges that webhooks may reach, separated by commas',
    ),
    format: formatAllowList,
  },
  IMPORT_LIMIT: setting(
    64 * MiB,
    parseImportLimit,
    'Maximum size of an import file, at most 64MiB',
  ),
  REGISTRATION: setting<'open' | 'closed' | 'invite'>(
    'open',
    oneOf('open', 'closed', 'invite'),
    'Creation of systems by bots: open, closed, or invite (needs a code from the operator)',
  ),
  WEB_REGISTRATION: setting<'closed' | 'invite' | 'open'>(
    'closed',
    oneOf('closed', 'invite', 'open'),
    'Creation of systems in a browser: closed, invite (needs a code from the operator), or open',
  ),
  SYSTEM_LIMIT: setting<number | null>(
    null,
    parseLimit,
    'Maximum number of systems; the operator can create more; off for no limit',
  ),
  MEMBER_LIMIT: setting(1_000, parseMany, 'Maximum number of members of a system'),
  GROUP_LIMIT: setting(250, parseMany, 'Maximum number of groups of a system'),
  ARCHIVE_LIMIT: setting(
    32 * MiB,
    parseArchiveLimit,
    'Maximum size per system of imported data that is only kept for export, at most 32MiB',
  ),
  EXT_TEXT_QUOTA: setting(
    64 * MiB,
    parseBytes,
    'Maximum text of one system in notes, posts and other extension data',
  ),
  PICTURE_LIMIT: setting(64 * MiB, parseBytes, 'Maximum size of the pictures of one system'),
  MESSAGE_KEEP: {
    ...setting<number | null>(
      null,
      parseKeep,
      'How long to keep records of proxied messages, such as 90d, or forever',
    ),
    format: formatKeep,
  },
  REQUESTS_IN_FLIGHT: setting(
    1_000,
    parseMany,
    'Maximum number of concurrent requests; further requests get 503',
  ),
  STREAMS_PER_CLIENT: setting(
    20,
    parseMany,
    'Maximum number of open streams per client address, and per system',
  ),
  STREAMS_IN_ALL: setting(10_000, parseMany, 'Maximum number of open streams in total'),
  PUSH: setting<'on' | 'off'>(
    'on',
    oneOf('on', 'off'),
    'on: send push notifications to browsers that asked for them; off: send none',
  ),
  PUSH_CONTACT: setting(
    '',
    parseContact,
    'Contact for push services, https: or mailto:; PUBLIC_URL by default; without one push is off',
  ),
  BACKUP_DIR: setting('', parseText, 'Directory for scheduled backups; without it none are made'),
  BACKUP_EVERY: {
    ...setting(24 * HOURS, parseDuration, 'Time between scheduled backups, such as 30m, 24h or 7d'),
    format: formatDuration,
  },
  BACKUP_KEEP: setting(7, parseCount, 'Number of scheduled backups to keep; 0 keeps all'),
  BACKUP_COMPRESS: setting<'off' | 'zstd'>(
    'off',
    oneOf('off', 'zstd'),
    'Compression of scheduled backups: zstd, or off for plain database files',
  ),
  BACKUP_COMMAND: setting(
    '',
    parseText,
    'Command to run after each scheduled backup; the path replaces {} or is the last argument',
  ),
  LEASE_SECONDS: setting(
    10,
    parseLease,
    'Seconds until another server takes over the tasks of one that was killed, 1 to 60',
  ),
  DISCORD_TOKEN: {
    ...setting(
      '',
      parseDiscordToken,
      'Token of the Discord bot; without it the bot is not started',
    ),
    secret: true,
  },
  DISCORD_PREFIX: {
    ...setting<readonly string[]>(
      ['pk;', 'pk!'],
      parsePrefixes,
      'Prefixes of the Discord bot’s text commands, separated by commas',
    ),
    format: formatList,
  },
  DISCORD_COMMANDS: {
    ...setting<DiscordCommands>(
      'global',
      parseDiscordCommands,
      'Where slash commands are registered: global, off, or IDs of Discord servers',
    ),
    format: formatList,
  },
  DISCORD_SHARDS: setting<number | 'auto'>(
    'auto',
    parseShards,
    'Number of gateway connections to Discord; auto: as many as Discord recommends',
  ),
  DISCORD_API: setting(
    'https://discord.com/api',
    parseHttpUrl,
    'Address of the Discord API; another value is for tests and compatible servers',
  ),
  DISCORD_CDN: {
    ...setting<readonly string[]>(
      ['https://cdn.discordapp.com', 'https://media.discordapp.net'],
      parseOrigins,
      'Addresses that the Discord bot may download attachments from, separated by commas',
    ),
    format: formatList,
  },
}

export type SettingName = keyof typeof settings
export type Config = { readonly [K in SettingName]: (typeof settings)[K]['defaultValue'] }

/** All problems with the settings, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/** Parsed file of settings. */
export interface EnvFile {
  readonly name: string
  readonly values: Variables
}

/** Settings after flags, environment and files were applied, and the origin of each value. */
export interface ResolvedConfig {
  readonly config: Config
  readonly origins: Readonly<Record<SettingName, string>>
}

/** Parses all settings from environment and flags. Throws all problems at once. */
export function parseConfig(env: Variables, flags: Readonly<Record<string, unknown>> = {}): Config {
  return parseSettings(env, flags).config
}

/**
 * Parses all settings. A flag takes precedence over the environment, and the environment over the
 * first file that has the setting. Throws all problems at once.
 */
export function parseSettings(
  env: Variables,
  flags: Readonly<Record<string, unknown>> = {},
  files: readonly EnvFile[] = [],
): ResolvedConfig {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  const origins: Record<string, string> = {}
  for (const [name, { defaultValue, parse, secret }] of entries()) {
    const { text, origin, variable } = findGiven(name, env, flags, files) ?? unset
    origins[name] = origin
    // An empty value means the default, except for an empty flag, which is most likely a mistake.
    if (text === '' && (origin !== 'flag' || defaultValue === '')) {
      config[name] = defaultValue
      continue
    }
    try {
      config[name] = parse(text)
    } catch (cause) {
      const shown = secret ? '(secret)' : JSON.stringify(hidePassword(text))
      problems.push(`${variable}: ${(cause as Error).message}, not ${shown}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config, origins } as ResolvedConfig
}

interface Given {
  readonly text: string
  readonly origin: string
  /** Name of the flag or variable in error messages. */
  readonly variable: string
}

const unset: Given = { text: '', origin: 'default', variable: '' }

function findGiven(
  name: SettingName,
  env: Variables,
  flags: Readonly<Record<string, unknown>>,
  files: readonly EnvFile[],
): Given | undefined {
  const flag = flags[flagOf(name)]
  if (flag !== undefined)
    return { text: String(flag), origin: 'flag', variable: `--${flagOf(name)}` }
  const { needsPrefix } = settings[name] as Setting<unknown>
  const [prefixed, plain] = envNames(name)
  for (const variable of needsPrefix ? [prefixed] : [prefixed, plain]) {
    const text = env[variable]
    if (text !== undefined) return { text, origin: variable, variable }
  }
  for (const { name: file, values } of files)
    for (const variable of [prefixed, plain]) {
      const text = values[variable]
      if (text !== undefined) return { text, origin: file, variable: `${variable} in ${file}` }
    }
  return undefined
}

/** Environment variables of a setting; the first takes precedence. */
export function envNames(name: SettingName): [prefixed: string, plain: string] {
  return [`MULTITUDE_${name}`, name]
}

export function flagOf(name: SettingName): string {
  const { flag } = settings[name] as Setting<unknown>
  return flag ?? name.toLowerCase().replaceAll('_', '-')
}

export function isSecret(name: SettingName): boolean {
  return (settings[name] as Setting<unknown>).secret === true
}

/** Allowed values of a setting; undefined if they cannot be listed. */
export function choicesOf(name: SettingName): readonly string[] | undefined {
  return (settings[name] as Setting<unknown>).parse.choices
}

/** Lists the settings with their values as text that can be parsed again; secrets are masked. */
export function describeConfig({ config, origins }: ResolvedConfig) {
  return entries().map(([name, { defaultValue, secret, doc, format = formatPlain }]) => ({
    name,
    flag: `--${flagOf(name)}`,
    value: secret && config[name] ? '********' : format(config[name]),
    default: format(defaultValue),
    from: origins[name],
    doc,
  }))
}

function entries(): [SettingName, Setting<unknown>][] {
  return Object.entries(settings) as [SettingName, Setting<unknown>][]
}

function setting<T>(defaultValue: T, parse: Parser<T>, doc: string): Setting<T> {
  return { defaultValue, parse, doc }
}

function formatPlain(value: unknown): string {
  if (value === null) return 'off'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([key, part]) => `${key}=${part}`)
    .join(',')
}
