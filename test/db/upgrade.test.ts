import { Database } from 'bun:sqlite'
import { chmodSync, chownSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { inspect } from '../../src/db/sqlite/doctor'
import { pendingMigrations } from '../../src/db/sqlite/migrate'
import { keysOfTag } from '../../src/model/proxy/tags'
import { renderRowJson } from '../../src/serializers/v2'
import { hashSecret } from '../../src/service/access/secrets'
import { run, runJson } from '../runInProcess'
import { commandLine, emptyFolder } from '../serverProcess'
import { describe, expect, test } from '../test'
import { createTestApp } from '../testApp'
import { makeOlder } from './olderDatabase'

const { startServer, words } = await commandLine()
const TOKEN = 'kept from the first release on'
const isRoot = process.getuid?.() === 0

/**
 * Rows as each release wrote them, from migration `since` on. The statement fits the tables from
 * migration `fits` until migration `until`.
 */
const rows: {
  since: string
  fits?: string
  until?: string
  sql: string
  values?: (string | number)[]
}[] = [
  {
    since: '0000_foundation',
    sql: `INSERT INTO systems (id, uuid, hid, name, description, tag, created, description_privacy)
          VALUES (1, '11111111-1111-4111-8111-111111111111', 'abcde', 'Lantern Hill', 'ours alone', '| LH', 1600000000000000, 'private')`,
  },
  {
    since: '0000_foundation',
    sql: "INSERT INTO settings (system_id, timezone) VALUES (1, 'Europe/Berlin')",
  },
  {
    since: '0000_foundation',
    sql: "INSERT INTO accounts (id, system_id) VALUES ('466378653216014359', 1)",
  },
  {
    since: '0000_foundation',
    sql: "INSERT INTO tokens (system_id, name, hash, created) VALUES (1, 'first', ?, 1600000000000000)",
    values: [hashSecret(TOKEN)],
  },
  {
    since: '0000_foundation',
    sql: "INSERT INTO bots (name, hash, created) VALUES ('old', 'h', 1)",
  },
  {
    since: '0001_people',
    sql: `INSERT INTO members (id, uuid, hid, system_id, name, display_name, birthday, proxy_tags, created, message_count, name_privacy)
          VALUES (1, '22222222-2222-4222-8222-222222222222', 'aaaaa', 1, 'Wren', 'W.', '1990-02-03', '[{"prefix":"w:","suffix":null}]', 1600000001000000, 1, 'private'),
                 (2, '33333333-3333-4333-8333-333333333333', 'bbbbb', 1, 'Ash', NULL, NULL, '[]', 1600000002000000, 0, 'public')`,
  },
  {
    since: '0001_people',
    until: '0006_proxy_tags',
    sql: `INSERT INTO proxy_tag_keys (member_id, system_id, position, prefix_key, suffix_key, bare_key) VALUES (1, 1, 0, 'w:', '', 'w:')`,
  },
  {
    since: '0001_people',
    fits: '0013_standard_names',
    sql: `INSERT INTO proxy_tag_index (member_id, index_id, position, prefix, suffix, prefix_key, suffix_key, trimmed_key, trimmed_spaces, bracket_flags)
          VALUES (1, 1, 0, ?, ?, ?, ?, ?, ?, ?)`,
    values: tagValues(),
  },
  {
    since: '0001_people',
    fits: '0006_proxy_tags',
    until: '0013_standard_names',
    sql: `INSERT INTO proxy_tag_keys (member_id, set_id, position, prefix, suffix, prefix_key, suffix_key, bare_key, gap, brackets)
          VALUES (1, 1, 0, ?, ?, ?, ?, ?, ?, ?)`,
    values: tagValues(),
  },
  {
    since: '0001_people',
    sql: `INSERT INTO groups (id, uuid, hid, system_id, name, created)
          VALUES (1, '44444444-4444-4444-8444-444444444444', 'ccccc', 1, 'The garden', 1600000003000000)`,
  },
  {
    since: '0001_people',
    sql: 'INSERT INTO group_members (group_id, member_id) VALUES (1, 1), (1, 2)',
  },
  {
    since: '0001_people',
    sql: `INSERT INTO switches (id, uuid, system_id, timestamp)
          VALUES (1, '55555555-5555-4555-8555-555555555555', 1, 1600000004000000),
                 (2, '66666666-6666-4666-8666-666666666666', 1, 1600000005000000)`,
  },
  {
    since: '0001_people',
    sql: 'INSERT INTO switch_members (switch_id, position, member_id) VALUES (1, 0, 1), (2, 0, 2), (2, 1, 1)',
  },
  {
    since: '0001_people',
    sql: "INSERT INTO system_guilds (system_id, guild_id, tag) VALUES (1, '466707357099884544', 'here')",
  },
  {
    since: '0001_people',
    sql: "INSERT INTO member_guilds (member_id, guild_id, display_name) VALUES (2, '466707357099884544', 'Ashen')",
  },
  {
    since: '0001_people',
    sql: "INSERT INTO autoproxy (system_id, guild_id, autoproxy_mode) VALUES (1, '466707357099884544', 'front')",
  },
  {
    since: '0001_people',
    sql: `INSERT INTO messages (id, original, sender, channel, guild, system_id, member_id, timestamp) VALUES ('900000000000000001', '900000000000000000', '466378653216014359', '466707357099884545', '466707357099884544', 1, 1, 1600000006000000)`,
  },
  { since: '0002_guilds', sql: "INSERT INTO guilds (guild_id) VALUES ('466707357099884544')" },
  {
    since: '0003_webhooks',
    sql: `INSERT INTO webhooks (system_id, url, token, state, cursor) VALUES (1, 'https://bot.example.org/', 't', 'paused', 0)`,
  },
  {
    since: '0004_archive',
    fits: '0013_standard_names',
    sql: `INSERT INTO import_archive (system_id, collection, content, digest) VALUES (1, 'notes', '{"text":"kept"}', 'd')`,
  },
  {
    since: '0004_archive',
    until: '0013_standard_names',
    sql: `INSERT INTO archive (system_id, collection, content, digest) VALUES (1, 'notes', '{"text":"kept"}', 'd')`,
  },
]

function tagValues(): (string | number)[] {
  const keys = keysOfTag({
    prefix: 'w:',
    suffix: null,
  })
  const { prefix, suffix, prefix_key, suffix_key } = keys
  const { trimmed_key, trimmed_spaces, bracket_flags } = keys
  return [prefix, suffix, prefix_key, suffix_key, trimmed_key, trimmed_spaces, bracket_flags]
}

const paths = [
  '/v2/systems/@me',
  '/v2/systems/abcde',
  '/v2/systems/@me/settings',
  '/v2/systems/@me/members',
  '/v2/systems/@me/groups?with_members=true',
  '/v2/systems/@me/switches',
  '/v2/systems/@me/fronters',
  '/v2/systems/@me/guilds/466707357099884544',
  '/v2/systems/@me/autoproxy?guild_id=466707357099884544',
  '/v2/members/aaaaa',
  '/v2/members/bbbbb/guilds/466707357099884544',
  '/v2/groups/ccccc/members',
  '/v2/messages/900000000000000001',
  '/v1/s/abcde',
  '/v1/s/abcde/members',
]

/**
 * Creates a database with the first `has` migrations and the rows of that release, or of another
 * one.
 */
function createUsed(has: number, rowsOfRelease = has): { cwd: string; path: string } {
  const cwd = emptyFolder()
  const path = join(cwd, 'data.db')
  const database = makeOlder(path, has)
  chmodSync(path, 0o600)
  for (const { since, fits = since, until, sql, values = [] } of rows) {
    const fitsSchema = numberOf(fits) < has && (until === undefined || has <= numberOf(until))
    if (numberOf(since) < rowsOfRelease && fitsSchema) database.query(sql).run(...values)
  }
  database.close()
  return { cwd, path }
}

function numberOf(migration: string): number {
  return migrations.findIndex(({ name }) => name === migration)
}

/** Expected answers by number of rows; most releases have the same rows. */
const expected = new Map<number, Promise<Record<string, unknown>>>()

/** Answers of a new database with the rows of a release. */
function expectedAnswers(release: number): Promise<Record<string, unknown>> {
  const count = rows.filter(({ since }) => numberOf(since) < release).length
  const answers = expected.get(count) ?? answersOf(createUsed(migrations.length, release).path)
  expected.set(count, answers)
  return answers
}

/** Collects the responses to the owner and to an anonymous caller. */
async function answersOf(path: string): Promise<Record<string, unknown>> {
  const { ask } = createTestApp({ DATABASE_URL: `file:${path}`, RATE_LIMIT: 'off' })
  const answers: Record<string, unknown> = {}
  for (const [caller, headers] of [
    ['owner', { authorization: TOKEN }],
    ['anonymous', {}],
  ] as const)
    for (const line of paths) {
      const { status, json } = await ask<unknown>(`GET ${line}`, { headers })
      answers[`${caller}: ${line}`] = { status, json }
    }
  return answers
}

async function findingsIn(path: string) {
  const database = new Database(path, { readwrite: true })
  try {
    return await inspect(database, renderRowJson)
  } finally {
    database.close()
  }
}

function pendingIn(path: string): string[] {
  const database = new Database(path, { readwrite: true })
  try {
    return pendingMigrations(database)
  } finally {
    database.close()
  }
}

const copiesIn = (cwd: string) =>
  readdirSync(cwd).filter((name) => /\.pre-upgrade-\d{8}T\d{9}Z$/.test(name))
const fileUrl = (path: string) => ({ env: { DATABASE_URL: `file:${path}` } })
const olderReleases = migrations.slice(0, -1).map(({ name }, at) => [name, at + 1] as const)

describe('upgrade of a database with rows', () => {
  test.each(olderReleases)(
    'answers after an upgrade from the release with %s like a new database',
    async (_, has) => {
      const old = createUsed(has)
      const answers = await answersOf(old.path)
      expect(answers).toEqual(await expectedAnswers(has))
      expect(answers['owner: /v2/systems/@me']).toMatchObject({
        status: 200,
        json: { id: 'abcde', name: 'Lantern Hill', description: 'ours alone' },
      })
      expect(answers['anonymous: /v2/systems/abcde']).toMatchObject({ json: { description: null } })
      if (has > 1) {
        expect(answers['owner: /v2/members/aaaaa']).toMatchObject({ json: { name: 'Wren' } })
        expect(answers['anonymous: /v2/members/aaaaa']).toMatchObject({ json: { name: 'W.' } })
        expect(answers['owner: /v2/systems/@me/fronters']).toMatchObject({
          json: { members: [{ id: 'bbbbb' }, { id: 'aaaaa' }] },
        })
      }
      expect(await findingsIn(old.path)).toEqual([])
    },
  )
})

describe('copy before an upgrade', () => {
  test('copies the file before an upgrade and prints the command that restores it', async () => {
    const { cwd, path } = createUsed(6)
    const { code, err } = await run(['migrate'], { cwd, ...fileUrl(path) })
    expect(code).toBe(0)
    const [copy = '', ...more] = copiesIn(cwd)
    expect(more).toEqual([])
    expect(err.split('\n')).toHaveLength(2)
    expect(err).toContain(`upgraded from ${migrations[5]?.name}`)
    expect(err).toContain(`multitude restore ${join(cwd, copy)}`)
    expect(pendingIn(join(cwd, copy))).toEqual(migrations.slice(6).map(({ name }) => name))
    expect(statSync(join(cwd, copy)).mode & 0o777).toBe(0o600)
    await runJson(['restore', join(cwd, copy), '--yes'], { cwd, ...fileUrl(path) })
    expect(pendingIn(path)).toEqual(migrations.slice(6).map(({ name }) => name))
  })

  test('keeps the newest three copies from before upgrades and deletes no other file', async () => {
    const { cwd, path } = createUsed(6)
    const older = ['20240101T000000000Z', '20250101T000000000Z', '20260101T000000000Z']
    const others = [
      `${path}.pre-upgrade-of-mine`,
      join(cwd, 'b.db.pre-upgrade-20230101T000000000Z'),
    ]
    for (const time of older) writeFileSync(`${path}.pre-upgrade-${time}`, '')
    for (const other of others) writeFileSync(other, '')
    await run(['migrate'], { cwd, ...fileUrl(path) })
    const copies = copiesIn(cwd)
      .filter((name) => name.startsWith(basename(path)))
      .toSorted()
    expect(copies).toHaveLength(3)
    expect(copies.slice(0, 2).map((name) => name.slice(-19))).toEqual(older.slice(1))
    for (const other of others) expect(existsSync(other)).toBe(true)
    // Without an upgrade nothing is removed.
    writeFileSync(`${path}.pre-upgrade-20200101T000000000Z`, '')
    await run(['migrate'], { cwd, ...fileUrl(path) })
    expect(existsSync(`${path}.pre-upgrade-20200101T000000000Z`)).toBe(true)
  })

  test('logs the copy when the server upgrades the database', async () => {
    const { cwd, path } = createUsed(6)
    const server = await startServer([], { cwd, ...fileUrl(path) })
    server.kill('SIGTERM')
    const { err } = await server.end()
    const [copy = 'none'] = copiesIn(cwd)
    const logLine = err.split('\n').find((line) => line.includes('upgraded from'))
    expect(JSON.parse(logLine ?? '{}')).toMatchObject({ level: 'warn', copy: join(cwd, copy) })
  })

  test.each(['migrate', 'serve'])(
    '%s --no-backup upgrades without a copy and reports it',
    async (command) => {
      const { cwd, path } = createUsed(6)
      let output: string
      if (command === 'serve') {
        const server = await startServer(['--no-backup'], { cwd, ...fileUrl(path) })
        server.kill('SIGTERM')
        output = (await server.end()).err
      } else output = (await run([command, '--no-backup'], { cwd, ...fileUrl(path) })).err
      expect(pendingIn(path)).toEqual([])
      expect(copiesIn(cwd)).toEqual([])
      expect(output).toContain('no copy was kept')
    },
  )

  test.each([
    ['is new', 0],
    ['is current', migrations.length],
  ])('makes no copy when the database %s', async (_, has) => {
    const { cwd, path } = createUsed(has)
    const { code, err } = await run(['migrate'], { cwd, ...fileUrl(path) })
    expect([code, err, copiesIn(cwd)]).toEqual([0, '', []])
  })

  test('does not upgrade when the copy fails, and prints the remedy', async () => {
    const { cwd, path } = createUsed(6)
    // The limit of file size makes the copy fail before a migration writes.
    const limit = Math.floor(statSync(path).size / 2 / 1024)
    const limited = ['bash', '-c', `ulimit -f ${limit}; trap '' XFSZ; exec "$@"`, 'limited']
    const child = Bun.spawn([...limited, ...words, 'migrate'], {
      cwd,
      ...fileUrl(path),
      stderr: 'pipe',
      stdout: 'pipe',
    })
    const err = await child.stderr.text()
    expect(await child.exited).toBe(1)
    expect(err).toMatch(
      /^multitude: The database .* cannot be copied before its upgrade: .*--no-backup.*\n$/,
    )
    expect(pendingIn(path)).toHaveLength(migrations.length - 6)
    expect(readdirSync(cwd).filter((name) => /partial|pre-upgrade/.test(name))).toEqual([])
  })

  test.skipIf(!isRoot)('gives the copy the owner of the database', async () => {
    const { cwd, path } = createUsed(6)
    chownSync(path, 4711, 4712)
    await run(['migrate'], { cwd, ...fileUrl(path) })
    const { uid, gid } = statSync(join(cwd, copiesIn(cwd)[0] ?? ''))
    expect([uid, gid]).toEqual([4711, 4712])
  })
})

describe('killed upgrade', () => {
  const statements = [
    'CREATE TABLE `guilds`',
    'DROP TABLE `proxy_tag_keys`',
    'CREATE TRIGGER `group_changed`',
    'CREATE TABLE `leases`',
    'ALTER TABLE `proxy_tag_keys` RENAME TO',
  ]

  test.each(statements)(
    'keeps the old schema when the upgrade is killed in %p, and upgrades at the next start',
    async (sql) => {
      const { cwd, path } = createUsed(2)
      const before = pendingIn(path)
      const script = words.at(-1) ?? ''
      const preload = ['--preload', join(import.meta.dir, 'killInTransaction.ts')]
      const child = Bun.spawn([process.execPath, ...preload, script, 'migrate'], {
        cwd,
        env: { DATABASE_URL: `file:${path}`, KILL_IN: sql },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      expect(pendingIn(path)).toEqual(before)
      expect(await answersOf(path)).toEqual(await expectedAnswers(2))
      expect(await findingsIn(path)).toEqual([])
    },
  )

  test('leaves no partial copy when the upgrade is killed at any step of copying', async () => {
    const { cwd, path } = createUsed(6)
    const script = words.at(-1) ?? ''
    const preload = ['--preload', join(import.meta.dir, '../cli/killAtStep.ts')]
    let isDone = false
    for (let at = 1; !isDone; at++) {
      const child = Bun.spawn([process.execPath, ...preload, script, 'migrate'], {
        cwd,
        env: { DATABASE_URL: `file:${path}`, KILL_AT: String(at) },
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      isDone = (await child.exited) === 0
    }
    expect(readdirSync(cwd).filter((name) => name.includes('partial'))).toEqual([])
    expect(pendingIn(path)).toEqual([])
    for (const copy of copiesIn(cwd))
      expect(pendingIn(join(cwd, copy))).toHaveLength(migrations.length - 6)
    expect(await findingsIn(path)).toEqual([])
  })
})
