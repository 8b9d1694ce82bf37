import {
  ConfigError,
  describeConfig,
  type EnvFile,
  flagOf,
  parseConfig,
  parseSettings,
  type SettingName,
  settings,
} from '../../src/runtime/config/config'
import { describe, expect, test } from '../tools/test'

const MiB = 1024 * 1024

const good: [name: SettingName, text: string, value: unknown][] = [
  ['HOST', '0.0.0.0', '0.0.0.0'],
  ['HOST', '::', '::'],
  ['HOST', 'my-host.example', 'my-host.example'],
  ['PORT', '0', 0],
  ['PORT', '80', 80],
  ['PORT', '65535', 65535],
  ['DATABASE_URL', 'file:data.db', 'file:data.db'],
  ['DATABASE_URL', 'postgres://me@a,b:5433/multitude', 'postgres://me@a,b:5433/multitude'],
  ['DATABASE_URL', 'file:/var/lib/multitude/data.db', 'file:/var/lib/multitude/data.db'],
  ['DATABASE_URL', 'postgres://me@a,b:5433/multitude', 'postgres://me@a,b:5433/multitude'],
  ['DATABASE_POOL', '4', 4],
  ['PGPASSWORD', 'p:w', 'p:w'],
  ['PGSSLROOTCERT', '/etc/ssl/ours.crt', '/etc/ssl/ours.crt'],
  ['DURABILITY', 'normal', 'normal'],
  ['DURABILITY', 'FULL', 'full'],
  ['PUBLIC_URL', 'https://plural.example', 'https://plural.example'],
  ['PUBLIC_URL', 'http://nas:8080/multitude/', 'http://nas:8080/multitude'],
  ['LOG_LEVEL', 'debug', 'debug'],
  ['LOG_LEVEL', 'Error', 'error'],
  ['LOG_FORMAT', 'json', 'json'],
  ['LOG_FORMAT', 'TEXT', 'text'],
  ['LOG_CLIENT', 'on', 'on'],
  ['METRICS', 'on', 'on'],
  ['METRICS_ADDRESS', '0.0.0.0:9100', '0.0.0.0:9100'],
  ['METRICS_ADDRESS', '[::1]:9464', '[::1]:9464'],
  ['METRICS_ADDRESS', 'localhost:0', 'localhost:0'],
  ['RATE_LIMIT', 'off', null],
  ['RATE_LIMIT', 'OFF', null],
  ['RATE_LIMIT', 'generic_get=20', { generic_get: 20, message: 10, generic_update: 3 }],
  [
    'RATE_LIMIT',
    ' message = 1 , generic_update=2',
    { generic_get: 10, message: 1, generic_update: 2 },
  ],
  ['TRUST_PROXY', '2', 2],
  ['BODY_LIMIT', '1', 1],
  ['BODY_LIMIT', '512KiB', 512 * 1024],
  ['BODY_LIMIT', '2 mib', 2 * MiB],
  ['IMPORT_LIMIT', '32MiB', 32 * MiB],
  [
    'DISPATCH_ALLOW',
    'hooks.example, 10.0.0.0/8',
    {
      hosts: new Set(['hooks.example']),
      ranges: [{ bits: 32, value: 10n << 24n, prefix: 8, text: '10.0.0.0/8' }],
    },
  ],
  ['BACKUP_DIR', 'backups', 'backups'],
  ['BACKUP_EVERY', '90m', 90 * 60_000],
  ['BACKUP_EVERY', '36H', 36 * 3_600_000],
  ['BACKUP_EVERY', '7d', 7 * 86_400_000],
  ['BACKUP_KEEP', '0', 0],
  ['BACKUP_COMPRESS', 'zstd', 'zstd'],
  ['BACKUP_COMMAND', 'rclone copy {} far:away', 'rclone copy {} far:away'],
  ['REGISTRATION', 'invite', 'invite'],
  ['REGISTRATION', 'Closed', 'closed'],
  ['WEB_REGISTRATION', 'invite', 'invite'],
  ['WEB_REGISTRATION', 'Open', 'open'],
  ['SYSTEM_LIMIT', '500', 500],
  ['SYSTEM_LIMIT', 'off', null],
  ['MEMBER_LIMIT', '2000', 2000],
  ['GROUP_LIMIT', '1', 1],
  ['ARCHIVE_LIMIT', '512KiB', 512 * 1024],
  ['EXT_TEXT_QUOTA', '128MiB', 128 * 1024 * 1024],
  ['PICTURE_LIMIT', '16MiB', 16 * 1024 * 1024],
  ['PUSH', 'Off', 'off'],
  ['PUSH_CONTACT', 'mailto:me@example.org', 'mailto:me@example.org'],
  ['PUSH_CONTACT', 'https://example.org/contact', 'https://example.org/contact'],
  ['MESSAGE_KEEP', '90d', 90 * 86_400_000],
  ['MESSAGE_KEEP', 'Forever', null],
  ['REQUESTS_IN_FLIGHT', '1', 1],
  ['STREAMS_PER_CLIENT', '100', 100],
  ['STREAMS_IN_ALL', '200000', 200_000],
  ['LEASE_SECONDS', '1', 1],
  ['LEASE_SECONDS', '60', 60],
  ['DISCORD_TOKEN', 'MTA.Gx-y_z.part', 'MTA.Gx-y_z.part'],
  ['DISCORD_PREFIX', 'm!', ['m!']],
  ['DISCORD_PREFIX', 'm; , plural,M;,🌿', ['m;', 'plural', '🌿']],
  ['DISCORD_COMMANDS', 'Global', 'global'],
  ['DISCORD_COMMANDS', 'off', 'off'],
  ['DISCORD_COMMANDS', '200000000000000001, 2', ['200000000000000001', '2']],
  ['DISCORD_SHARDS', 'AUTO', 'auto'],
  ['DISCORD_SHARDS', '4', 4],
  ['DISCORD_API', 'http://127.0.0.1:4000/api/', 'http://127.0.0.1:4000/api'],
  ['DISCORD_CDN', 'http://127.0.0.1:4000/', ['http://127.0.0.1:4000']],
  [
    'DISCORD_CDN',
    'https://A.example, https://b.example',
    ['https://a.example', 'https://b.example'],
  ],
]

const bad: [name: SettingName, text: string][] = [
  ['HOST', 'http://localhost'],
  ['HOST', 'two words'],
  ['PORT', 'http'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['PORT', '1e3'],
  ['PORT', ' 80'],
  ['DATABASE_URL', 'data.db'],
  ['DATABASE_URL', 'file:'],
  ['DATABASE_URL', 'mysql://localhost/multitude'],
  ['DATABASE_POOL', '0'],
  ['DURABILITY', 'some'],
  ['PUBLIC_URL', 'plural.example'],
  ['PUBLIC_URL', 'ftp://plural.example'],
  ['PUBLIC_URL', 'https://'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_CLIENT', 'yes'],
  ['LOG_FORMAT', 'xml'],
  ['METRICS', 'yes'],
  ['METRICS_ADDRESS', '9464'],
  ['METRICS_ADDRESS', '127.0.0.1'],
  ['METRICS_ADDRESS', '127.0.0.1:'],
  ['METRICS_ADDRESS', '127.0.0.1:65536'],
  ['METRICS_ADDRESS', 'http://127.0.0.1:9464'],
  ['METRICS_ADDRESS', '::1:9464'],
  ['RATE_LIMIT', 'on'],
  ['RATE_LIMIT', '10'],
  ['RATE_LIMIT', 'generic_get=0'],
  ['RATE_LIMIT', 'generic_get=-1'],
  ['RATE_LIMIT', 'everything=1'],
  ['RATE_LIMIT', 'generic_get=1,'],
  ['RATE_LIMIT', 'generic_get=1;message=1'],
  ['TRUST_PROXY', 'yes'],
  ['TRUST_PROXY', '-1'],
  ['TRUST_PROXY', '1.5'],
  ['BODY_LIMIT', '0'],
  ['REGISTRATION', 'maybe'],
  ['WEB_REGISTRATION', 'on'],
  ['SYSTEM_LIMIT', '0'],
  ['SYSTEM_LIMIT', 'none'],
  ['MEMBER_LIMIT', '0'],
  ['GROUP_LIMIT', 'many'],
  ['ARCHIVE_LIMIT', '33MiB'],
  ['EXT_TEXT_QUOTA', 'much'],
  ['PICTURE_LIMIT', '0'],
  ['PUSH', 'maybe'],
  ['PUSH_CONTACT', 'http://example.org'],
  ['PUSH_CONTACT', 'mailto:me'],
  ['PUSH_CONTACT', 'me@example.org'],
  ['MESSAGE_KEEP', '0d'],
  ['MESSAGE_KEEP', 'a while'],
  ['REQUESTS_IN_FLIGHT', '0'],
  ['STREAMS_PER_CLIENT', '-1'],
  ['STREAMS_IN_ALL', 'many'],
  ['LEASE_SECONDS', '0'],
  ['LEASE_SECONDS', '61'],
  ['LEASE_SECONDS', '10s'],
  ['BODY_LIMIT', '0KiB'],
  ['BODY_LIMIT', '1GB'],
  ['BODY_LIMIT', 'MiB'],
  ['IMPORT_LIMIT', '-1'],
  ['IMPORT_LIMIT', '65MiB'],
  ['DISPATCH_ALLOW', '10.0.0.0/99'],
  ['BACKUP_EVERY', '0h'],
  ['BACKUP_EVERY', '3600'],
  ['BACKUP_EVERY', '1 week'],
  ['BACKUP_KEEP', 'all'],
  ['BACKUP_COMPRESS', 'gzip'],
  ['DISCORD_PREFIX', 'pk;,'],
  ['DISCORD_PREFIX', 'p k;'],
  ['DISCORD_PREFIX', 'elevenchars'],
  ['DISCORD_COMMANDS', 'on'],
  ['DISCORD_COMMANDS', 'global,2'],
  ['DISCORD_COMMANDS', '2,'],
  ['DISCORD_SHARDS', '0'],
  ['DISCORD_SHARDS', '1001'],
  ['DISCORD_SHARDS', '1.5'],
  ['DISCORD_API', 'discord.com/api'],
  ['DISCORD_CDN', 'cdn.discordapp.com'],
  ['DISCORD_CDN', 'https://cdn.discordapp.com/attachments'],
  ['DISCORD_CDN', 'https://cdn.discordapp.com,'],
]

/** Secrets with invalid values, which no error message repeats. */
const badSecrets: [name: SettingName, text: string][] = [
  ['DISCORD_TOKEN', 'Bot MTA.Gx-y_z.part'],
  ['DISCORD_TOKEN', 'MTA.Gx\u00e9'],
]

describe('settings', () => {
  test.each(good)('%s accepts %p', (name, text, value) => {
    expect(parseConfig({ [`MULTITUDE_${name}`]: text })[name]).toEqual(value as never)
    expect(parseConfig({}, { [flagOf(name)]: text })[name]).toEqual(value as never)
  })

  test.each(bad)('%s rejects %p', (name, text) => {
    const [problem, ...others] = problemsOf({ [`MULTITUDE_${name}`]: text })
    expect(others).toEqual([])
    expect(problem).toStartWith(`MULTITUDE_${name}: must `)
    expect(problem).toEndWith(`, not ${JSON.stringify(text)}`)
  })

  test.each(badSecrets)('%s rejects %p without repeating it', (name, text) => {
    const [problem, ...others] = problemsOf({ [`MULTITUDE_${name}`]: text })
    expect(others).toEqual([])
    expect(problem).toStartWith(`MULTITUDE_${name}: must `)
    expect(problem).toEndWith(', not (secret)')
    expect(problem).not.toContain(text)
  })

  test('every setting has valid and invalid values in the tables above', () => {
    const names = Object.keys(settings) as SettingName[]
    const isTried = (name: SettingName, known: [name: SettingName, ...rest: unknown[]][]) =>
      known.some(([tried]) => tried === name)
    // Every text is a valid path, command or password.
    const anyText = ['BACKUP_DIR', 'BACKUP_COMMAND', 'PGPASSWORD', 'PGSSLROOTCERT']
    const untried = [
      ...names.filter((name) => !isTried(name, good)).map((name) => `good values of ${name}`),
      ...names
        .filter((name) => !isTried(name, [...bad, ...badSecrets]) && !anyText.includes(name))
        .map((name) => `bad values of ${name}`),
    ]
    expect(untried.map((values) => `try ${values} in test/runtime/config.test.ts`)).toEqual([])
  })

  test('a setting that is missing or empty has its default', () => {
    const names = Object.keys(settings) as SettingName[]
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    expect(parseConfig(empty)).toEqual(parseConfig({}))
    expect(parseConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8080,
      DATABASE_URL: 'file:data/multitude.db',
      DURABILITY: 'full',
      PUBLIC_URL: '',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'auto',
      RATE_LIMIT: { generic_get: 10, message: 10, generic_update: 3 },
      TRUST_PROXY: 0,
      BODY_LIMIT: MiB,
      IMPORT_LIMIT: 64 * MiB,
    })
  })

  test('a flag takes precedence over the environment', () => {
    const env = { PORT: '1', DATABASE_URL: 'file:env.db', LOG_LEVEL: 'warn' }
    const config = parseConfig(env, { port: '2', database: 'file:flag.db' })
    expect(config).toMatchObject({ PORT: 2, DATABASE_URL: 'file:flag.db', LOG_LEVEL: 'warn' })
  })

  test('an invalid variable is ignored when the flag is given', () => {
    expect(parseConfig({ PORT: 'bad' }, { port: '2' }).PORT).toBe(2)
  })

  test('unknown variables and flags are ignored', () => {
    expect(parseConfig({ PATH: '/bin', MULTITUDE: 'x' }, { unknown: 'x' })).toEqual(parseConfig({}))
  })

  test('every setting has a flag of its own', () => {
    const flags = (Object.keys(settings) as SettingName[]).map(flagOf)
    expect(flags).toContain('log-level')
    expect(flags).toContain('database')
    expect(new Set(flags).size).toBe(flags.length)
  })

  test('the description of every setting is one line', () => {
    for (const { doc } of Object.values(settings)) expect(doc).toMatch(/^\S[^\n]{9,99}$/)
  })
})

describe('the origin of a setting', () => {
  const env = { MULTITUDE_PORT: '2', PORT: '3' }
  const named = { name: 'my.env', values: { PORT: '4', MULTITUDE_LOG_LEVEL: 'warn' } }
  const local = { name: '.env', values: { MULTITUDE_PORT: '5', PORT: '50' } }
  const machine = { name: '/etc/multitude.env', values: { PORT: '6' } }

  const order: [sources: Parameters<typeof parseSettings>, port: number, from: string][] = [
    [[env, { port: '1' }, [named, local, machine]], 1, 'flag'],
    [[env, {}, [named, local, machine]], 2, 'MULTITUDE_PORT'],
    [[{ PORT: '3' }, {}, [named, local, machine]], 3, 'PORT'],
    [[{}, {}, [named, local, machine]], 4, 'my.env'],
    [[{}, {}, [local, machine]], 5, '.env'],
    [[{}, {}, [machine]], 6, '/etc/multitude.env'],
    [[{}, {}, []], 8080, 'default'],
  ]

  test.each(order)(
    'the first of flag, environment and files takes precedence (%#)',
    (sources, port, from) => {
      const { config, origins } = parseSettings(...sources)
      expect([config.PORT, origins.PORT]).toEqual([port, from])
    },
  )

  test('the variable HOST is ignored, but not MULTITUDE_HOST or HOST in a file', () => {
    const file = { name: '.env', values: { HOST: '0.0.0.0' } }
    const hosts = [
      parseSettings({ HOST: 'my-laptop' }),
      parseSettings({ HOST: 'my-laptop' }, {}, [file]),
      parseSettings({ HOST: 'my-laptop', MULTITUDE_HOST: '::' }, {}, [file]),
    ].map(({ config, origins }) => [config.HOST, origins.HOST])
    expect(hosts).toEqual([
      ['127.0.0.1', 'default'],
      ['0.0.0.0', '.env'],
      ['::', 'MULTITUDE_HOST'],
    ])
  })

  test('an empty flag or variable takes precedence over a file', () => {
    const file = { name: '.env', values: { BACKUP_DIR: 'backups', PORT: '9000' } }
    const { config } = parseSettings({ MULTITUDE_PORT: '' }, { 'backup-dir': '' }, [file])
    expect(config).toMatchObject({ BACKUP_DIR: '', PORT: 8080 })
  })

  test('an error names the flag, variable or file of an invalid value', () => {
    expect(problemsOf({}, { port: '', database: '' }, [named, local])).toEqual([
      '--port: must be a number from 0 to 65535, not ""',
      '--database: must look like file:data/multitude.db or postgres://USER@HOST/NAME, not ""',
    ])
    const bad = { name: '.env', values: { MULTITUDE_PORT: 'x', LOG_LEVEL: 'loud' } }
    expect(problemsOf({}, {}, [bad])).toEqual([
      'MULTITUDE_PORT in .env: must be a number from 0 to 65535, not "x"',
      'LOG_LEVEL in .env: must be one of debug, info, warn, error, not "loud"',
    ])
  })
})

describe('invalid settings', () => {
  test('all invalid settings are reported at once', () => {
    const problems = problemsOf(
      { MULTITUDE_HOST: 'a b', LOG_LEVEL: 'loud', PUBLIC_URL: 'x', TRUST_PROXY: 'x' },
      { port: 'x', 'body-limit': 'x', 'log-level': 'louder' },
    )
    expect(problems.map((problem) => problem.split(':')[0]).toSorted()).toEqual(
      [
        '--body-limit',
        '--log-level',
        '--port',
        'MULTITUDE_HOST',
        'PUBLIC_URL',
        'TRUST_PROXY',
      ].toSorted(),
    )
    expect(problems.join('\n')).toContain('must be one of debug, info, warn, error, not "louder"')
  })
})

describe('described settings', () => {
  test('described values can be parsed again, except secrets', () => {
    const shownValues = good.filter(([name]) => !('secret' in settings[name]))
    const environments = shownValues.map(([name, text]) => ({ [`MULTITUDE_${name}`]: text }))
    for (const resolved of [{}, ...environments].map((env) => parseSettings(env))) {
      const shown = describeConfig(resolved)
      const values = Object.fromEntries(shown.map((row) => [`MULTITUDE_${row.name}`, row.value]))
      expect(parseConfig(values)).toEqual(resolved.config)
      const defaults = Object.fromEntries(shown.map((row) => [row.name, row.default]))
      expect(parseConfig(defaults)).toEqual(parseConfig({}))
    }
  })

  test('a described setting has its flag, origin and description', () => {
    const rows = describeConfig(parseSettings({ PORT: '9000' }))
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(settings) as SettingName[])
    expect(rows.find(({ name }) => name === 'PORT')).toEqual({
      name: 'PORT',
      flag: '--port',
      value: '9000',
      default: '8080',
      from: 'PORT',
      doc: settings.PORT.doc,
    })
  })

  test('neither a described setting nor an error contains a secret', () => {
    const secret = 'a-very-secret-word'
    const parse = (text: string) => {
      if (text.startsWith('bad')) throw new Error('must be better')
      return text
    }
    const table: Record<string, object> = settings
    table.TEST_SECRET = { defaultValue: '', parse, doc: 'A secret for this test', secret: true }
    try {
      const shown = JSON.stringify(describeConfig(parseSettings({ TEST_SECRET: secret })))
      expect(shown).not.toContain(secret)
      expect(shown).toContain('"value":"********"')
      expect(JSON.stringify(describeConfig(parseSettings({})))).not.toContain('********')
      expect(problemsOf({ TEST_SECRET: `bad ${secret}` })).toEqual([
        'TEST_SECRET: must be better, not (secret)',
      ])
    } finally {
      delete table.TEST_SECRET
    }
  })
})

function problemsOf(
  env: Record<string, string>,
  flags: Record<string, unknown> = {},
  files: EnvFile[] = [],
): readonly string[] {
  try {
    parseSettings(env, flags, files)
  } catch (cause) {
    if (cause instanceof ConfigError) return cause.problems
    throw cause
  }
  throw new Error('no problem was found')
}
