import {
  HOURS,
  hidePassword,
  MiB,
  oneOf,
  parseAddress,
  parseAllowed,
  parseArchiveLimit,
  parseBytes,
  parseCount,
  parseDatabaseUrl,
  parseDuration,
  parseHost,
  parseImportLimit,
  parseKeep,
  parseLease,
  parseLimit,
  parseMany,
  parsePort,
  parsePublicUrl,
  parseRateLimits,
  parseText,
  type RateLimits,
  type Reader,
  showDuration,
  showKeep,
  usualLimits,
} from './config/values'
import { type AllowList, formatAllowList } from './model/network'

export { hidePassword, type RateLimits }

/** A setting: what it is without being set, how its text is read, and one line for the operator. */
interface Setting<T> {
  readonly defaultValue: T
  readonly read: Reader<T>
  /** Spells the value as it is read, where its plain text would not do. */
  show?(value: T): string
  readonly doc: string
  /** The command-line flag, where it is not simply the name in lower case. */
  readonly flag?: string
  readonly secret?: boolean
  /** Shells set a variable of this bare name for purposes of their own: there it says nothing. */
  readonly ignoresBareName?: boolean
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Every setting of the program. `multitude config` is made from it; a test holds docs/operating.md to it. */
export const settings = {
  HOST: {
    ...setting('127.0.0.1', parseHost, 'Address to listen on; 0.0.0.0 for every network'),
    ignoresBareName: true,
  },
  PORT: setting(8080, parsePort, 'Port to listen on; 0 picks a free one'),
  DATABASE_URL: {
    ...setting(
      'file:data/multitude.db',
      parseDatabaseUrl,
      'Where the data lies, as file:PATH or postgres://USER:PASSWORD@HOST,HOST/NAME',
    ),
    show: hidePassword,
    flag: 'database',
  },
  DATABASE_POOL: setting(
    16,
    parseMany,
    'How many connections to PostgreSQL this process may have, half of them for writes',
  ),
  PGPASSWORD: {
    ...setting('', parseText, 'The password for PostgreSQL, where DATABASE_URL has none'),
    secret: true,
  },
  PGSSLROOTCERT: setting(
    '',
    parseText,
    'File with the certificates that PostgreSQL’s must come from, for sslmode=verify-full',
  ),
  DURABILITY: setting<'full' | 'normal'>(
    'full',
    oneOf('full', 'normal'),
    'full: an answered write survives a power cut; normal: faster, the last moments may be lost',
  ),
  PUBLIC_URL: setting('', parsePublicUrl, 'Address under which others reach this server'),
  LOG_LEVEL: setting<LogLevel>(
    'info',
    oneOf('debug', 'info', 'warn', 'error'),
    'Least weight of what is logged: debug, info, warn or error',
  ),
  LOG_FORMAT: setting<'auto' | 'text' | 'json'>(
    'auto',
    oneOf('auto', 'text', 'json'),
    'text, json, or auto: text on a terminal and json elsewhere',
  ),
  LOG_CLIENT: setting<'off' | 'on'>(
    'off',
    oneOf('off', 'on'),
    'on: the log has the address of whoever asks, as fail2ban needs it; off: it has none',
  ),
  METRICS: setting<'off' | 'on'>(
    'off',
    oneOf('off', 'on'),
    'on: numbers for Prometheus are served at /metrics of METRICS_ADDRESS; off: none are kept',
  ),
  METRICS_ADDRESS: setting(
    '127.0.0.1:9464',
    parseAddress,
    'Address and port of the metrics, as 127.0.0.1:9464 or [::1]:9464',
  ),
  RATE_LIMIT: setting<RateLimits | null>(
    usualLimits,
    parseRateLimits,
    'Requests per second and client, as generic_get=10,message=10,generic_update=3; off for none',
  ),
  TRUST_PROXY: setting(0, parseCount, 'How many proxies’ X-Forwarded-For to believe'),
  BODY_LIMIT: setting(MiB, parseBytes, 'Largest request body, in bytes or as 512KiB, 1MiB'),
  DISPATCH_ALLOW: {
    ...setting<AllowList>(
      { hosts: new Set(), ranges: [] },
      parseAllowed,
      'Hosts and CIDR ranges that webhooks may reach beside the public internet, with commas between',
    ),
    show: formatAllowList,
  },
  IMPORT_LIMIT: setting(
    64 * MiB,
    parseImportLimit,
    'Largest file that can be imported, 64MiB at most',
  ),
  REGISTRATION: setting<'open' | 'closed' | 'invite'>(
    'open',
    oneOf('open', 'closed', 'invite'),
    'Whether bots may make systems: open, closed, or invite for those with a code of the operator',
  ),
  SYSTEM_LIMIT: setting<number | null>(
    null,
    parseLimit,
    'How many systems there may be in all, but for those that the operator makes; off for any number',
  ),
  MEMBER_LIMIT: setting(
    1_000,
    parseMany,
    'How many members a system may have that was given no limit of its own',
  ),
  GROUP_LIMIT: setting(
    250,
    parseMany,
    'How many groups a system may have that was given no limit of its own',
  ),
  ARCHIVE_LIMIT: setting(
    32 * MiB,
    parseArchiveLimit,
    'How much imports may keep aside for one system of what has no place here, 32MiB at most',
  ),
  MESSAGE_KEEP: {
    ...setting<number | null>(
      null,
      parseKeep,
      'How long records of proxied messages are kept, as 90d, or forever',
    ),
    show: showKeep,
  },
  REQUESTS_IN_FLIGHT: setting(
    1_000,
    parseMany,
    'How many requests are worked on at once; more are refused with 503',
  ),
  STREAMS_PER_CLIENT: setting(
    20,
    parseMany,
    'How many streams one address, or one system with its tokens, may have open',
  ),
  STREAMS_IN_ALL: setting(10_000, parseMany, 'How many streams may be open in all'),
  BACKUP_DIR: setting('', parseText, 'Folder for scheduled backups; none are made without it'),
  BACKUP_EVERY: {
    ...setting(24 * HOURS, parseDuration, 'Time between backups, as 30m, 24h or 7d'),
    show: showDuration,
  },
  BACKUP_KEEP: setting(7, parseCount, 'How many scheduled backups are kept; 0 keeps all'),
  BACKUP_COMPRESS: setting<'off' | 'zstd'>(
    'off',
    oneOf('off', 'zstd'),
    'zstd: scheduled backups are compressed; off: they are plain databases',
  ),
  BACKUP_COMMAND: setting(
    '',
    parseText,
    'Program that is run after each scheduled backup, with its path as last word or in place of {}',
  ),
  LEASE_SECONDS: setting(
    10,
    parseLease,
    'After how long another server on the same data takes over from one that died, 1 to 60',
  ),
}

export type SettingName = keyof typeof settings
export type Config = { readonly [K in SettingName]: (typeof settings)[K]['defaultValue'] }

/** Everything wrong with the settings, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'))
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/** A file with settings, written on purpose. */
export interface EnvFile {
  readonly name: string
  readonly values: Variables
}

/** The settings in force, and for each where its value comes from. */
export interface ResolvedConfig {
  readonly config: Config
  readonly origins: Readonly<Record<SettingName, string>>
}

/** Reads all settings of an environment and of flags. Throws every problem at once. */
export function parseConfig(env: Variables, flags: Readonly<Record<string, unknown>> = {}): Config {
  return parseSettings(env, flags).config
}

/**
 * Reads all settings. A flag decides, else the environment, else the first of the files that names
 * the setting. Throws every problem at once.
 */
export function parseSettings(
  env: Variables,
  flags: Readonly<Record<string, unknown>> = {},
  files: readonly EnvFile[] = [],
): ResolvedConfig {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  const origins: Record<string, string> = {}
  for (const [name, { defaultValue, read, secret }] of entries()) {
    const { text, origin, variable } = findGiven(name, env, flags, files) ?? unset
    origins[name] = origin
    // Empty is the default, too. But a flag is never left empty on purpose where that means nothing.
    if (text === '' && (origin !== 'flag' || defaultValue === '')) {
      config[name] = defaultValue
      continue
    }
    try {
      config[name] = read(text)
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
  /** What a complaint calls it. */
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
  const { ignoresBareName } = settings[name] as Setting<unknown>
  const [own, ...bare] = envNames(name)
  for (const spelling of ignoresBareName ? [own] : [own, ...bare]) {
    const text = env[spelling]
    if (text !== undefined) return { text, origin: spelling, variable: spelling }
  }
  for (const { name: file, values } of files)
    for (const spelling of [own, ...bare]) {
      const text = values[spelling]
      if (text !== undefined) return { text, origin: file, variable: `${spelling} in ${file}` }
    }
  return undefined
}

/** The variables of a setting: first the one that can be nobody else's. */
export function envNames(name: SettingName): [own: string, bare: string] {
  return [`MULTITUDE_${name}`, name]
}

export function flagOf(name: SettingName): string {
  const { flag } = settings[name] as Setting<unknown>
  return flag ?? name.toLowerCase().replaceAll('_', '-')
}

/** Whether it is shown to nobody. */
export function isSecret(name: SettingName): boolean {
  return (settings[name] as Setting<unknown>).secret === true
}

/** The words that a setting takes, where no others are taken. */
export function choicesOf(name: SettingName): readonly string[] | undefined {
  return (settings[name] as Setting<unknown>).read.choices
}

/** The settings with the values in force, as text that can be read back; secrets are masked. */
export function describeConfig({ config, origins }: ResolvedConfig) {
  return entries().map(([name, { defaultValue, secret, doc, show = showPlain }]) => ({
    name,
    flag: `--${flagOf(name)}`,
    value: secret && config[name] ? '********' : show(config[name]),
    default: show(defaultValue),
    from: origins[name],
    doc,
  }))
}

function entries(): [SettingName, Setting<unknown>][] {
  return Object.entries(settings) as [SettingName, Setting<unknown>][]
}

function setting<T>(defaultValue: T, read: Reader<T>, doc: string): Setting<T> {
  return { defaultValue, read, doc }
}

function showPlain(value: unknown): string {
  if (value === null) return 'off'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([key, part]) => `${key}=${part}`)
    .join(',')
}
