import { Database } from 'bun:sqlite'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../src/db/migrations'
import { pendingMigrations } from '../../src/db/sqlite/migrate'
import { inspect } from '../../src/doctor/sqliteDoctor'
import { keysOfTag } from '../../src/model/proxy/tags'
import { renderRowJson } from '../../src/serializers/v2'
import { hashSecret } from '../../src/store/access/secrets'
import { currentSchema } from '../tools/currentSchema'
import { emptyFolder } from '../tools/serverProcess'
import { createTestApp } from '../tools/testApp'
import { makeOlder } from './olderDatabase'

const TOKEN = 'kept from the first release on'

/**
 * Rows as each release wrote them, from migration `since` on. The statement fits the tables from
 * migration `fits` until migration `until`.
 */
export const rows: {
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
export function createUsed(has: number, rowsOfRelease = has): { cwd: string; path: string } {
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
export function expectedAnswers(release: number): Promise<Record<string, unknown>> {
  const count = rows.filter(({ since }) => numberOf(since) < release).length
  const answers = expected.get(count) ?? answersOf(createUsed(migrations.length, release).path)
  expected.set(count, answers)
  return answers
}

/** Collects the responses to the owner and to an anonymous caller. */
export async function answersOf(path: string): Promise<Record<string, unknown>> {
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

export async function findingsIn(path: string) {
  const database = new Database(path, { readwrite: true })
  try {
    return await inspect(database, renderRowJson, currentSchema)
  } finally {
    database.close()
  }
}

export function queryRows<T>(path: string, query: string): T[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.query<T, []>(query).all()
  } finally {
    database.close()
  }
}

export function pendingIn(path: string): string[] {
  const database = new Database(path, { readwrite: true })
  try {
    return pendingMigrations(database)
  } finally {
    database.close()
  }
}

export const copiesIn = (cwd: string) =>
  readdirSync(cwd).filter((name) => /\.pre-upgrade-\d{8}T\d{9}Z$/.test(name))
export const fileUrl = (path: string) => ({ env: { DATABASE_URL: `file:${path}` } })
