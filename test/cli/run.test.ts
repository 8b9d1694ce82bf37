import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACCOUNT_RULE } from '../../src/cli/commands/resolveSystem'
import { commands } from '../../src/cli/run'
import type { JsonObject } from '../../src/model/core/entity'
import { type SettingName, settings } from '../../src/runtime/config/config'
import { folderWithDatabase } from '../tools/emptyDatabase'
import { run, runJson } from '../tools/runInProcess'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

interface Made {
  id: string
  uuid: string
  token: string
}

const USAGE_ERROR = 2
const PORT_NEEDS_VALUE = '--port needs a value; if it begins with a dash, write --port=-…'
const FAILED = 1
const ACCOUNT = '466378653216014359'

const cwd = folderWithDatabase()
const lantern = await runJson<Made>(['system', 'create', '--name', 'Lantern'], { cwd })

describe('help', () => {
  test('--help of every command shows its usage and flags, and creates no files', async () => {
    const folder = emptyFolder()
    const runs = commands.map((command) =>
      run([...command.name.split(' '), '--help'], { cwd: folder, env: { PORT: 'bad' } }),
    )
    for (const [at, { code, out, err }] of (await Promise.all(runs)).entries()) {
      const {
        name,
        summary,
        args = [],
        flagInsteadOfArgs,
        flags = {},
        takesSettings,
        isDestructive,
      } = commands[at] ?? never()
      expect([name, code, err]).toEqual([name, 0, ''])
      const expected = flagInsteadOfArgs ? [`(${args.join(' ')} | --${flagInsteadOfArgs})`] : args
      expect(out).toStartWith(`${summary}.\n\nusage: multitude ${[name, ...expected].join(' ')}`)
      const shown = [
        ...Object.keys(flags),
        'env-file',
        'json',
        'help',
        ...(isDestructive ? ['yes'] : []),
      ]
      for (const flag of shown) expect(out).toContain(`  --${flag} `)
      const takesDatabase = !Array.isArray(takesSettings) || takesSettings.includes('DATABASE_URL')
      expect(out.includes('  --database ')).toBe(takesDatabase)
      expect(out.includes('  --log-level ')).toBe(takesSettings === 'all')
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('help, --help and -h list every command', async () => {
    const runs = ['help', '--help', '-h'].map((word) => run([word], { cwd }))
    for (const { code, out, err } of await Promise.all(runs)) {
      expect([code, err]).toEqual([0, ''])
      expect(out).not.toContain('read-import')
      for (const { name, summary } of commands)
        expect(out.replaceAll(/ +/g, ' ')).toContain(`\n ${name} ${summary}\n`)
    }
  })
})

describe('a system', () => {
  test('system create prints a token that is stored only as a hash', async () => {
    expect(Object.keys(lantern)).toEqual(['id', 'uuid', 'token'])
    expect(lantern.token).toMatch(/^[A-Za-z0-9+/]{64}$/)
    const [list, shown] = await Promise.all([
      run(['system', 'list', '--json'], { cwd }),
      run(['system', 'show', lantern.id, '--json'], { cwd }),
    ])
    for (const text of [list.out, shown.out, bytesIn(cwd)]) {
      expect(text).toContain(lantern.uuid)
      expect(text).not.toContain(lantern.token)
      expect(text).not.toContain(Buffer.from(lantern.token, 'base64').toString('latin1'))
    }
    expect(bytesIn(cwd)).toContain(hashOf(lantern.token))
  })

  test('system create, show, list and delete print text', async () => {
    const name = 'Quiet Bay'
    const made = await run(['system', 'create', '--name', name, '--account', '1234567'], { cwd })
    const [, id = '', uuid = ''] = /^id +(\w{6})\nuuid +(\S+)\n/.exec(made.out) ?? []
    expect(made.out).toMatch(/\ntoken +\S{64}\n\nKeep the token: it is not shown again\.\n$/)
    const [list, shown] = await Promise.all([
      run(['system', 'list'], { cwd }),
      run(['system', 'show', id.toUpperCase()], { cwd }),
    ])
    expect(list.out).toMatch(new RegExp(`^${id} .* ${name}$`, 'm'))
    expect(shown.out).toMatch(new RegExp(`^id +${id}\nuuid +${uuid}\nname +${name}\n`))
    expect(shown.out).toMatch(/\naccounts +1234567\ntokens +default\n$/)
    const deleted = await run(['system', 'delete', uuid, '--yes'], { cwd })
    expect(deleted).toEqual({ code: 0, out: `Deleted system ${id}.\n`, err: '' })
    expect((await run(['system', 'show', id], { cwd })).code).toBe(FAILED)
  })

  test('system create without --name creates a system without a name', async () => {
    const { id } = await runJson<Made>(['system', 'create'], { cwd })
    expect(await runJson(['system', 'show', id], { cwd })).toMatchObject({ id, name: null })
  })
})

describe('scripts', () => {
  test('--json prints one JSON value for every command', async () => {
    const here = { cwd: folderWithDatabase() }
    const json = <T = JsonObject>(line: string) => runJson<T>(line.split(' '), here)
    await json('migrate')
    expect(await json<unknown>('system list')).toEqual([])
    const { id, uuid } = await json<Made>('system create --name Hill')
    expect(await json<unknown>('system list')).toMatchObject([
      { id, uuid, name: 'Hill', created: expect.stringMatching(/Z$/) },
    ])
    expect(await json('account link '.concat(id, ' ', ACCOUNT))).toEqual({
      linked: ACCOUNT,
      system: id,
    })
    expect(await json(`token create ${ACCOUNT} --name phone`)).toMatchObject({
      name: 'phone',
      token: expect.stringMatching(/^.{64}$/),
    })
    expect(await json(`system show ${id}`)).toMatchObject({
      id,
      uuid,
      privacy: { name_privacy: 'public' },
      accounts: [ACCOUNT],
      tokens: ['default', 'phone'],
    })
    expect(await json<JsonObject[]>(`token list ${id}`)).toMatchObject([
      { name: 'default' },
      { name: 'phone' },
    ])
    expect(await json(`token revoke ${id} phone --yes`)).toEqual({ revoked: 'phone' })
    expect(await json<unknown>('bot list')).toEqual([])
    const { key } = await json<{ key: string }>('bot create --name discord')
    expect(await json('bot create --name synapse --platform matrix')).toMatchObject({
      name: 'synapse',
      platform: 'matrix',
    })
    expect(await json<unknown>('bot list')).toMatchObject([
      { name: 'discord', platform: 'discord' },
      { name: 'synapse', platform: 'matrix' },
    ])
    expect(bytesIn(here.cwd)).toContain(hashOf(key))
    expect(bytesIn(here.cwd)).not.toContain(key)
    expect(await json('bot revoke discord --yes')).toEqual({ revoked: 'discord' })
    expect(await json(`account unlink ${id} ${ACCOUNT} --yes`)).toEqual({ unlinked: ACCOUNT })
    const wren = 'matrix:@wren:example.org'
    expect(await json(`account link ${id} ${wren}`)).toEqual({ linked: wren, system: id })
    expect(await json(`system show ${wren}`)).toMatchObject({ id, accounts: [wren] })
    expect(await json(`account unlink ${wren} ${wren} --yes`)).toEqual({ unlinked: wren })
    expect(await json(`system create --account discord:${ACCOUNT}`)).toHaveProperty('token')
    expect(await json(`system delete ${ACCOUNT} --yes`)).toHaveProperty('deleted')
    expect(await json(`system delete ${id} --yes`)).toEqual({ deleted: id })
    expect(await json<unknown>('system list')).toEqual([])
  })

  test('config prints the current values of all settings', async () => {
    const env = { LOG_LEVEL: 'warn', PORT: '9000' }
    const args = ['config', '--port', '9001', '--rate-limit', 'off']
    const rows = await runJson<{ name: SettingName; value: string }[]>(args, { cwd, env })
    const values = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
    expect(Object.keys(values)).toEqual(Object.keys(settings))
    expect(values).toMatchObject({ PORT: '9001', LOG_LEVEL: 'warn', RATE_LIMIT: 'off' })
    const { out } = await run(args, { cwd, env })
    expect(out).toMatch(/^SETTING +VALUE +FROM +MEANING\n/)
    expect(out).toMatch(new RegExp(`\nPORT +9001 +flag +${settings.PORT.doc}\n`))
  })

  test('version and migrate print the version and the database as JSON', async () => {
    const [version, migrated] = await Promise.all([
      runJson(['version'], { cwd }),
      runJson(['migrate', '--database', 'file:elsewhere/x.db'], { cwd }),
    ])
    expect(version).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: 'unknown',
    })
    expect(migrated).toMatchObject({ database: 'file:elsewhere/x.db' })
    expect(existsSync(join(cwd, 'elsewhere/x.db'))).toBe(true)
  })
})

const IMPORT_USAGE =
  'multitude import FILE (--system SYSTEM | --new) [--dry-run] [--only ONLY] [--public] [--private] [--pictures PICTURES] [--no-accounts] [--yes]'

describe('usage errors', () => {
  const misused: [words: string[], complaint: string, usage: string][] = [
    [['system', 'show'], 'missing argument SYSTEM', 'multitude system show SYSTEM'],
    [
      ['token', 'revoke'],
      'missing arguments SYSTEM and NAME',
      'multitude token revoke SYSTEM NAME [--yes]',
    ],
    [['system', 'list', 'all'], 'unexpected argument all', 'multitude system list'],
    [['--dance'], 'unknown flag --dance', 'multitude serve [--no-backup]'],
    [['serve', '--port', '-1'], PORT_NEEDS_VALUE, 'multitude serve [--no-backup]'],
    [['serve', '--port'], '--port needs a value', 'multitude serve [--no-backup]'],
    [['--port', '1', '--port', '2'], '--port is given twice', 'multitude serve [--no-backup]'],
    [
      ['serve', '--prot', '1'],
      'unknown flag --prot; did you mean --port?',
      'multitude serve [--no-backup]',
    ],
    [['system', 'list', '--json=1'], '--json takes no value', 'multitude system list'],
    [
      ['--json', 'system', 'list'],
      'unexpected argument system list; flags go after the command',
      'multitude serve [--no-backup]',
    ],
    [
      ['bot', 'create', '--name', ''],
      '--name is required',
      'multitude bot create --name NAME [--platform PLATFORM]',
    ],
    [['system', 'list', '--port', '1'], 'unknown flag --port', 'multitude system list'],
    [['version', '--yes'], 'unknown flag --yes', 'multitude version'],
    [
      ['bot', 'create'],
      '--name is required',
      'multitude bot create --name NAME [--platform PLATFORM]',
    ],
    [
      ['invite', 'create', '--uses', '3'],
      '--name is required',
      'multitude invite create --name NAME [--uses USES] [--expires EXPIRES]',
    ],
    [
      ['prune', '--dry-run'],
      '--unused-since is required',
      'multitude prune --unused-since UNUSED-SINCE [--dry-run] [--yes]',
    ],
    [['import', 'system.json'], 'either --system or --new is required', IMPORT_USAGE],
    [
      ['import', 'system.json', '--system', lantern.id, '--new'],
      'either --system or --new is required',
      IMPORT_USAGE,
    ],
    [
      ['system', 'create', '--name', 'a'.repeat(101)],
      '--name: Too long: at most 100 characters.',
      'multitude system create [--name NAME] [--account ACCOUNT]',
    ],
    [
      ['system', 'create', '--account', 'me'],
      `--account: ${ACCOUNT_RULE}`,
      'multitude system create [--name NAME] [--account ACCOUNT]',
    ],
    [
      ['account', 'link', lantern.id, '1.5'],
      `ACCOUNT: ${ACCOUNT_RULE}`,
      'multitude account link SYSTEM ACCOUNT',
    ],
    ...['Matrix', 'x', '4chan', 'a'.repeat(21), 'a b', ''].map(
      (platform): [string[], string, string] => [
        ['bot', 'create', '--name', 'b', '--platform', platform],
        '--platform: must be 2 to 20 lower-case letters, digits and dashes, starting with a letter',
        'multitude bot create --name NAME [--platform PLATFORM]',
      ],
    ),
    [
      ['system', 'delete', lantern.id],
      '--yes is required, because this cannot be undone',
      'multitude system delete SYSTEM [--yes]',
    ],
    [
      ['token', 'revoke', lantern.id, 'default', '--json'],
      '--yes is required, because this cannot be undone',
      'multitude token revoke SYSTEM NAME [--yes]',
    ],
    [
      ['restore', 'today.db'],
      '--yes is required, because this replaces the database (the old one is kept in the same directory)',
      'multitude restore FILE [--yes]',
    ],
    [
      ['restore', 'today.db', '--database', 'postgres://multitude@127.0.0.1:1/multitude'],
      '--yes is required, because this writes to the database',
      'multitude restore FILE [--yes]',
    ],
  ]

  test('a usage error is printed with the usage line and exit code 2', async () => {
    const before = await run(['system', 'show', lantern.id], { cwd })
    const ended = await Promise.all(misused.map(([words]) => run(words, { cwd })))
    for (const [at, { code, out, err }] of ended.entries()) {
      const [words, complaint, usage] = misused[at] ?? never()
      expect([words, code, out]).toEqual([words, USAGE_ERROR, ''])
      const [first, second] = err.split('\n')
      expect([first, second]).toEqual([`multitude: ${complaint}`, `usage: ${usage}`])
    }
    expect(await run(['system', 'show', lantern.id], { cwd })).toEqual(before)
  })

  test.each(['serve', 'system list', 'migrate'])(
    '%s reports all invalid settings and creates no database',
    async (words) => {
      const folder = emptyFolder()
      const env = { PORT: 'eighty', LOG_LEVEL: 'loud', DATABASE_URL: 'data.db' }
      const { code, out, err } = await run(words.split(' '), { cwd: folder, env })
      expect([code, out]).toEqual([USAGE_ERROR, ''])
      expect(err.trim().split('\n')).toEqual([
        'multitude: PORT: must be a number from 0 to 65535, not "eighty"',
        'multitude: DATABASE_URL: must look like file:data/multitude.db or postgres://USER@HOST/NAME, not "data.db"',
        'multitude: LOG_LEVEL: must be one of debug, info, warn, error, not "loud"',
      ])
      expect(readdirSync(folder)).toEqual([])
    },
  )

  const addresses: [address: string, complaint: RegExp][] = [
    ['postgres://127.0.0.1/multitude', /must look like postgres:/],
    ['postgres://u:HUSH@127.0.0.1:99999/multitude', /must look like postgres:/],
    ['postgres://u:HUSH%@127.0.0.1/multitude', /must look like postgres:/],
    ['postgres://u:HUSH@127.0.0.1/multitude?sslmod=require', /Only sslmode may follow/],
    ['postgres://u:HUSH@127.0.0.1/multitude?sslmode=maybe', /sslmode .+ must be one of/],
  ]

  test('an invalid DATABASE_URL is reported in one line without the password, exit code 2', async () => {
    const lines = ['serve', 'system list', 'status', 'doctor', 'backup a.db', 'config']
    const cases = [
      ...lines.flatMap((line) =>
        addresses.map(([DATABASE_URL, complaint]) => ({ line, env: { DATABASE_URL }, complaint })),
      ),
      ...addresses.map(([to, complaint]) => ({ line: `copy ${to}`, env: {}, complaint })),
    ]
    const ended = await Promise.all(
      cases.map(({ line, env }) => run(line.split(' '), { cwd, env })),
    )
    for (const [at, { code, out, err }] of ended.entries()) {
      const { line, complaint } = cases[at] ?? never()
      expect([line, code, out]).toEqual([line, USAGE_ERROR, ''])
      expect(err).toMatch(/^multitude: [^\n]+\n(usage: multitude copy TO\n)?$/)
      expect(err).toMatch(complaint)
      expect(err).not.toContain('HUSH')
    }
  })
})

function bytesIn(folder: string): string {
  const data = join(folder, 'data')
  return readdirSync(data)
    .map((file) => readFileSync(join(data, file), 'latin1'))
    .join('')
}

function hashOf(secret: string): string {
  return new Bun.CryptoHasher('sha256').update(secret).digest('hex')
}

function never(): never {
  throw new Error('there is no such row')
}
