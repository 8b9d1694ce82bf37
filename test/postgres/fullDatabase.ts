import fc from 'fast-check'
import { openDeps } from '../../src/app/app'
import type { Db } from '../../src/db/types'
import { openInspector } from '../../src/doctor/inspect'
import { parseConfig } from '../../src/runtime/config/config'
import { renderRowJson } from '../../src/serializers/v2'
import type { Deps } from '../../src/service/core/deps'
import { fixture } from '../formats/fixture'
import { anySystem, insertGeneratedSystem } from '../service/anySystem'
import { dump, exportText, fixtures } from '../service/transfer/importFixture'
import {
  createBot,
  createSystem,
  deleteSystem,
  importFile,
  listSystems,
} from '../tools/operatorActions'
import { insert, rows } from '../tools/rawSql'
import { onServer } from './engine'

/** Databases with rows in every table, and functions to compare two of them. */

const { TEST_POSTGRES_SERVER } = process.env
let created = 0

/** Creates an empty database on the server. */
export async function newDatabase(): Promise<string> {
  const name = `new_${process.pid}_${++created}`
  await onServer(`${TEST_POSTGRES_SERVER}/postgres`, (sql) => sql.unsafe(`create database ${name}`))
  return `${TEST_POSTGRES_SERVER}/${name}`
}

export async function withDeps<T>(address: string, work: (deps: Deps) => Promise<T>): Promise<T> {
  const config = parseConfig({ DATABASE_URL: address, DURABILITY: 'normal' })
  // A fixed time, because exports contain it.
  const { storage, deps } = openDeps(config, { now: () => 1_700_000_000_000_000 })
  try {
    await storage.ready
    return await work(deps)
  } finally {
    await storage.close()
  }
}

const MANY = 1_234

/** Adds random systems, the systems of all fixtures, and rows for several pages. */
export async function fillWithEverything(address: string): Promise<void> {
  await withDeps(address, async (deps) => {
    for (const random of fc.sample(anySystem, { numRuns: 12, seed: 7 }))
      await insertGeneratedSystem({ deps }, random)
    const options = { dryRun: false, only: null, isPublic: false, link: 'all' as const }
    for (const name of fixtures) await importFile(deps, fixture(name), 'new', options)
    await createBot(deps, 'Lantern', 'discord')
    const { system } = await createSystem(deps, { name: 'Hill' }, { account: '77', tokenName: 'x' })
    const deleted = await createSystem(deps, { name: 'Gone' }, { account: null, tokenName: 'x' })
    await deleteSystem(deps, deleted.system.id)
    await deps.transact('new', (tx) => addRemainingRows(tx, system.id))
  })
}

/** Adds rows to the tables that `fillWithEverything` leaves empty, and many to some. */
async function addRemainingRows(tx: Db, system_id: number): Promise<void> {
  const names = { uuid: 'u-many', hid: 'manyab', name: 'Many "quotes" \\ and \u{1f98b}' }
  await insert(tx, 'members', { ...names, system_id })
  const [member] = await rows<{ id: number }>(tx, "select id from members where hid = 'manyab'")
  const member_id = member?.id ?? 0
  await insert(tx, 'groups', { uuid: 'g-many', hid: 'manygr', name: 'All', system_id })
  const [group] = await rows<{ id: number }>(tx, "select id from groups where hid = 'manygr'")
  const text = { original: '1', sender: '2', channel: '3' }
  for (let at = 0; at < MANY; at++) {
    const guild = at % 3 === 0 ? null : '5'
    const message = { id: String(at * 7), ...text, guild, system_id, member_id, timestamp: at }
    await insert(tx, 'messages', message)
    await insert(tx, 'switches', { uuid: `s-${at}`, system_id, timestamp: at * 1_000_003 })
  }
  await rows(
    tx,
    `insert into switch_members (switch_id, position, member_id)
     select id, p.position, :member_id from switches cross join (select 0 as position union all select 1) p
     where uuid like 's-%'`,
    { member_id },
  )
  await rows(tx, 'update members set message_count = :many where id = :id', {
    many: MANY,
    id: member_id,
  })
  const group_id = group?.id ?? 0
  await insert(tx, 'group_members', { group_id, member_id })
  await insert(tx, 'status_groups', { group_id, position: 0 })
  await insert(tx, 'pinned_members', { member_id, position: 1 })
  await insert(tx, 'last_activity', { system_id, active_at: 12 })
  await insert(tx, 'invites', { name: 'Friends', hash: 'i', created: 1, uses: 3, used: 1 })
  await insert(tx, 'preferences', { system_id, word: 'part' })
  const url = 'https://a.example/hook'
  await insert(tx, 'webhooks', { system_id, url, token: 't', state: 'active', cursor: 1 })
  await insert(tx, 'deliveries', { system_id, type: 'PING', at: 1, status: 200, attempt: 1 })
  await insert(tx, 'pruned_events', { system_id, last_event_id: 1 })
  await insert(tx, 'guilds', { guild_id: '5', disabled_channels: '["9"]', require_system_tag: 1 })
  await insert(tx, 'link_codes', { system_id, hash: 'l', expires: 2 ** 52 })
  await insert(tx, 'link_failures', { account_id: '8', at: 5 })
  await insert(tx, 'login_codes', { system_id, hash: 'c', expires: 2 ** 52 })
  await insert(tx, 'setup_codes', { hash: 'u', expires: 2 ** 52 })
  const claim = { id: '8', kind: 'message', state: 'done', node: 'n', at: 2 ** 41 }
  await insert(tx, 'discord_claims', { ...claim, channel: '3', sender: '2', digest: 'd' })
  await insert(tx, 'discord_commands', { application: '1', scope: 'global', hash: 'h' })
  const gateway = { shard: 0, shards: 1, session_id: 'g', resume_url: 'wss://x', sequence: 9 }
  await insert(tx, 'discord_sessions', gateway)
  const bot = { application: '1', name: 'Lantern', node: 'n', at: 1, shards: 1, shards_ready: 1 }
  await insert(tx, 'discord_status', { ...bot, guilds: 2 })
  const session = { uuid: 'sess', hash: 's', name: 'Firefox', created: 1, last_used: 2 }
  await insert(tx, 'sessions', { ...session, system_id, expires: 2 ** 52, remember: 1 })
  await addExtRows(tx, system_id, member_id, group_id)
}

/** Adds rows to the tables of the extension API. */
async function addExtRows(
  tx: Db,
  system_id: number,
  member_id: number,
  group_id: number,
): Promise<void> {
  const idOf = async (table: string, uuid: string) =>
    (await rows<{ id: number }>(tx, `select id from ${table} where uuid = :uuid`, { uuid }))[0]
      ?.id ?? 0
  await insert(tx, 'member_ext', { member_id, kind: 'custom_front', archived_at: 3, about: 'x' })
  await insert(tx, 'group_ext', { group_id, emoji: '\u{1f331}', position: 2 })
  await insert(tx, 'ext_settings', { system_id, front_status_privacy: 'public' })
  const field = { uuid: 'f-1', system_id, name: 'Role', type: 'text', created: 1 }
  await insert(tx, 'fields', field)
  await insert(tx, 'field_values', {
    member_id,
    field_id: await idOf('fields', 'f-1'),
    value: '"x"',
  })
  const status = { uuid: 'n-1', system_id, kind: 'status', at: 1, text: 'at work', created: 1 }
  await insert(tx, 'front_notes', { ...status, member_id })
  await insert(tx, 'notes', { uuid: 'n-2', system_id, title: 'Tuesday', date: 1, pinned: 1 })
  await insert(tx, 'rooms', { uuid: 'r-1', system_id, name: 'General' })
  const post = { uuid: 'p-1', system_id, text: 'Hello', written: 1, by_member: member_id }
  await insert(tx, 'posts', { ...post, room_id: await idOf('rooms', 'r-1') })
  const options = JSON.stringify([{ id: 'o', name: 'yes', color: null, veto: false }])
  await insert(tx, 'polls', { uuid: 'q-1', system_id, name: 'Move?', options, created: 1 })
  const vote = { poll_id: await idOf('polls', 'q-1'), member_id, option_id: 'o', created: 1 }
  await insert(tx, 'poll_votes', vote)
  const reminder = { uuid: 'm-1', system_id, name: 'Front check', kind: 'after_switch', created: 1 }
  await insert(tx, 'reminders', { ...reminder, after: 60, on: 'any' })
  await insert(tx, 'buckets', {
    uuid: 'b-1',
    system_id,
    name: 'Friends',
    default_for: '["fields"]',
  })
  const bucket_id = await idOf('buckets', 'b-1')
  await insert(tx, 'bucket_members', { bucket_id, member_id })
  await insert(tx, 'bucket_fields', { bucket_id, field_id: await idOf('fields', 'f-1') })
  await insert(tx, 'bucket_groups', { bucket_id, group_id })
  await insert(tx, 'friendships', { uuid: 'fr-1', created: 1 })
  const friendship_id = await idOf('friendships', 'fr-1')
  const [other] = await rows<{ id: number }>(
    tx,
    'select min(id) as id from systems where id <> :system_id',
    { system_id },
  )
  const sides = [
    { system_id, friend_system_id: other?.id ?? 0, name: 'Sam' },
    { system_id: other?.id ?? 0, friend_system_id: system_id },
  ]
  for (const side of sides)
    await insert(tx, 'friend_sides', { friendship_id, ...side, see_members: 1 })
  await insert(tx, 'bucket_friends', { bucket_id, friendship_id })
  const share = { see_front: true, see_members: false, announce: true, buckets: ['b-1'] }
  const offer = { uuid: 'fi-1', system_id, hash: 'f', share: JSON.stringify(share), name: 'Ro' }
  await insert(tx, 'friend_invites', { ...offer, expires: 2 ** 52 })
  await insert(tx, 'friend_notify_due', { system_id, due: 2 ** 52, announces: 1 })
  await insert(tx, 'deleted_switches', { system_id, uuid: 'gone', at: 1 })
  const origin = { system_id, app: 'simplyplural', collection: 'members', source_id: '1' }
  await insert(tx, 'origins', { ...origin, target: 'u-many' })
  await insert(tx, 'server_keys', { name: 'push', private_jwk: '{}', public_key: 'B', created: 1 })
  const address = { endpoint: 'https://push.example/1', endpoint_hash: 'h', p256dh: 'B', auth: 'a' }
  const [token] = await rows<{ id: number }>(
    tx,
    'select id from tokens where system_id = :system_id',
    { system_id },
  )
  const target = { uuid: 't-1', system_id, token_id: token?.id ?? null, ...address }
  await insert(tx, 'push_targets', { ...target, label: 'Phone', wants: '["posts"]' })
  const target_id = await idOf('push_targets', 't-1')
  await insert(tx, 'push_queue', { target_id, kind: 'posts', subject: 'u-many' })
  const picture = { name: 'A'.repeat(24), type: 'gif', size: 6, bytes: 'R0lGODlh' }
  await insert(tx, 'pictures', { ...picture, system_id, created: 1, unused_since: 2 ** 52 })
  await insert(tx, 'deleted_archives', { system_id, collection: 'notes', through_id: 1 })
  const texts = [
    'x',
    '🌱',
    'Role',
    '"x"',
    'at work',
    'Tuesday',
    'General',
    'Hello',
    'Move?',
    options,
    'Front check',
    'Friends',
    'Sam',
    'Ro',
  ]
  const text_bytes = Buffer.byteLength(texts.join(''))
  await insert(tx, 'ext_usage', { system_id, text_bytes, notes: 1, posts: 1, front_notes: 1 })
}

/** Exports every system, by its short ID. */
export function exportsOf(address: string): Promise<Record<string, string>> {
  return withDeps(address, async (deps) => {
    const files: Record<string, string> = {}
    for (const { id, hid } of await listSystems(deps)) files[hid] = await exportText(deps, id)
    return files
  })
}

/** Lists the findings of the doctor. */
export async function problemsOf(address: string): Promise<string[]> {
  const inspector = await openInspector(address, false, renderRowJson, {})
  try {
    return (await inspector.inspect()).map(({ check, problem }) => `${check}: ${problem}`)
  } finally {
    await inspector.close()
  }
}

/** Tables of running processes and of the engine. */
const notCopied = [
  'change_counters',
  'discord_commands',
  'discord_sessions',
  'discord_status',
  'migrations',
  'task_runs',
  'sqlite_sequence',
]

/** Reads all rows of a file, sorted. */
export function rowsOf(address: string): Record<string, string[]> {
  const tables = Object.entries(dump(address.replace('file:', '')))
  const copied = tables.filter(([name]) => !notCopied.includes(name))
  return Object.fromEntries(
    copied.map(([name, list]) => [name, list.map((row) => JSON.stringify(row)).toSorted()]),
  )
}
