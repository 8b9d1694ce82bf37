import { keysOfTag } from '../model/proxy/tags'
import { type RenderJson, schemaHash } from '../model/renderedJson'
import type { ProxyTag } from '../model/validation'
import { entityOf, type RenderedTable, renderedTableOf, renderedTables } from './renderedJson'
import { createDecoder } from './rows'
import { statement } from './statement'
import type { Db, MaybePromise, Value } from './types'
import { isVisible } from './visibility'

/** Checks of rows that apply to both engines. */

export interface Finding {
  check: string
  problem: string
  /** Repairs it; missing if it cannot be repaired. */
  fix?: (tx: Db) => MaybePromise<unknown>
  /** Advice to the operator, if it is other than restoring a backup. */
  remedy?: string
}

/** Inspects a database without migrating it first, because it may be damaged. */
export interface Inspector {
  inspect(): Promise<Finding[]>
  /** Repairs what can be repaired, and returns the remaining findings. */
  repair(): Promise<Finding[]>
  /** Lists what is not damage but may be a risk. */
  findWarnings(): Promise<string[]>
  close(): Promise<void>
}

export type Check = (db: Db, renderJson?: RenderJson) => MaybePromise<Finding[]>

/** Checks in the order of their repair. */
export const checks: readonly Check[] = [
  findMissingSettings,
  findLostAutoproxy,
  findMiscounts,
  findWrongTagKeys,
  findStaleJson,
]

export async function findAll(
  db: Db,
  all: readonly Check[],
  renderJson?: RenderJson,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const check of all) found.push(...(await check(db, renderJson)))
  return found
}

/**
 * Repairs what can be repaired, in an open transaction. `onFailure` throws if no repair can succeed;
 * otherwise a failed repair is found again by the next inspection.
 */
export async function repairAll(
  tx: Db,
  all: readonly Check[],
  onFailure: (cause: unknown) => void,
  renderJson?: RenderJson,
): Promise<void> {
  // Each check runs after the repairs of the previous ones.
  for (const check of all)
    for (const { fix } of await check(tx, renderJson)) if (fix) await attempt(tx, fix, onFailure)
}

export async function attempt(
  tx: Db,
  fix: (tx: Db) => MaybePromise<unknown>,
  onFailure: (cause: unknown) => void,
): Promise<void> {
  await save(tx).run({})
  try {
    await fix(tx)
  } catch (cause) {
    onFailure(cause)
    await undo(tx).run({})
  }
  await release(tx).run({})
}

const save = statement('savepoint fix')
const undo = statement('rollback to savepoint fix')
const release = statement('release savepoint fix')

const MANY_ACCOUNTS = 20

/** Lists links between accounts and systems that may allow impersonation. */
export async function findWarnings(db: Db): Promise<string[]> {
  const imported = await importedAccounts(db).all({})
  const crowded = await crowdedSystems(db).all({ many: MANY_ACCOUNTS })
  return [
    ...imported.map(({ id, hid }) => `account ${id} was linked to system ${hid} by an import`),
    ...crowded.map(({ hid, count }) => `system ${hid} has ${count} accounts`),
  ]
}

const importedAccounts = statement<never, { id: string; hid: string }>(`
   select a.id, s.hid from accounts a join systems s on s.id = a.system_id
   where a.imported = 1 order by s.id, a.id`)

const crowdedSystems = statement<'many', { hid: string; count: number }>(
  ({ count }) => `
   select s.hid, ${count()} as count from accounts a join systems s on s.id = a.system_id
   group by s.id, s.hid having ${count()} > :many order by s.id`,
)

async function findMissingSettings(db: Db): Promise<Finding[]> {
  const found = await withoutSettings(db).all({})
  return found.map(({ id, hid }) => ({
    check: 'settings',
    problem: `system ${hid} has no settings`,
    fix: (tx) => addSettings(tx).run({ id }),
  }))
}

const withoutSettings = statement<never, { id: number; hid: string }>(`
   select id, hid from systems
   where not exists (select 1 from settings where settings.system_id = systems.id)
   and ${isVisible('systems')} order by id`)

const addSettings = statement<'id'>(
  'insert into settings (system_id) values (:id) on conflict do nothing',
)

async function findLostAutoproxy(db: Db): Promise<Finding[]> {
  const found = await lostAutoproxy(db).all({})
  return found.map(({ system, hid, guild }) => ({
    check: 'autoproxy',
    problem: `the autoproxy of system ${hid} in guild ${guild} names a missing member`,
    fix: (tx) => endAutoproxy(tx).run({ system, guild }),
  }))
}

const isLost = `autoproxy_mode = 'member' and autoproxy_member is null`

const lostAutoproxy = statement<never, { system: number; hid: string; guild: string }>(`
   select a.system_id as system, s.hid, a.guild_id as guild
   from autoproxy a join systems s on s.id = a.system_id
   where ${isLost} order by a.system_id, a.guild_id`)

const endAutoproxy = statement<'system' | 'guild'>(`
   update autoproxy set autoproxy_mode = 'off'
   where system_id = :system and guild_id = :guild and ${isLost}`)

/**
 * The counter may exceed the recorded messages, which may have been sent elsewhere, but not be
 * lower.
 */
async function findMiscounts(db: Db): Promise<Finding[]> {
  const found = await miscounts(db).all({})
  return found.map(({ id, hid, counted, recorded }) => ({
    check: 'counters',
    problem: `member ${hid} counts ${counted} messages, but ${recorded} are recorded`,
    fix: (tx) => raiseCounter(tx).run({ id, recorded }),
  }))
}

const miscounts = statement<never, { id: number; hid: string; counted: number; recorded: number }>(
  ({ count }) => `
   select m.id, m.hid, m.message_count as counted, ${count()} as recorded
   from members m join messages g on g.member_id = m.id
   group by m.id, m.hid, m.message_count having ${count()} > m.message_count order by m.id`,
)

const raiseCounter = statement<'id' | 'recorded'>(
  'update members set message_count = :recorded where id = :id and message_count < :recorded',
)

/** Rows in memory at a time: there may be millions. */
const PAGE = 500

interface Tagged {
  id: number
  hid: string
  index_id: number
  proxy_tags: string
}

const KEY_COLUMNS = [
  'index_id',
  'position',
  ...Object.keys(keysOfTag({ prefix: null, suffix: null })),
]

/** Finds members whose proxy tags differ from the keys that messages are looked up by. */
async function findWrongTagKeys(db: Db): Promise<Finding[]> {
  const wrong: Finding[] = []
  for (let after = 0; ; ) {
    const page = await taggedPage(db).all({ after })
    const last = page.at(-1)
    if (!last) return wrong
    const keys = Map.groupBy(await keysOf(db).all({ after, last: last.id }), (key) => key.member_id)
    for (const row of page) wrong.push(...checkTags(row, keys.get(row.id) ?? []))
    after = last.id
  }
}

const taggedPage = statement<'after', Tagged>(`
   select m.id, m.hid, coalesce(s.tag_index_id, s.id) as index_id, m.proxy_tags
   from members m join systems s on s.id = m.system_id
   where m.id > :after and ${isVisible('m')} order by m.id limit ${PAGE}`)

const keysOf = statement<'after' | 'last', Record<string, Value>>(`
   select member_id, ${KEY_COLUMNS.join()} from proxy_tag_index
   where member_id > :after and member_id <= :last order by member_id, index_id, position`)

function checkTags(row: Tagged, keys: readonly Record<string, Value>[]): Finding[] {
  const check = 'proxy tags'
  const tags = parseTags(row.proxy_tags)
  if (!tags) return [{ check, problem: `the tags of member ${row.hid} cannot be read` }]
  const expected = tags.map((tag, position): Record<string, Value> => {
    return { index_id: row.index_id, position, ...keysOfTag(tag) }
  })
  const current = keys.filter(({ index_id }) => index_id === row.index_id)
  if (formatKeys(expected) === formatKeys(current)) return []
  const fix = async (tx: Db) => {
    await removeKeys(tx).run({ member: row.id })
    for (const key of expected) await addKey(tx).run({ member: row.id, ...key })
  }
  return [{ check, problem: `the tags of member ${row.hid} do not match their keys`, fix }]
}

function formatKeys(keys: readonly Record<string, Value>[]): string {
  return JSON.stringify(keys.map((key) => KEY_COLUMNS.map((name) => key[name])))
}

const removeKeys = statement<'member'>('delete from proxy_tag_index where member_id = :member')

const addKey = statement<string>(`
   insert into proxy_tag_index (member_id, ${KEY_COLUMNS.join()})
   values (:member, ${KEY_COLUMNS.map((name) => `:${name}`).join()})`)

function parseTags(json: string): ProxyTag[] | null {
  try {
    const tags: unknown = JSON.parse(json)
    return Array.isArray(tags) ? tags : null
  } catch {
    return null
  }
}

/** Finds cached JSON that differs from the JSON of its row. The repair deletes it. */
async function findStaleJson(db: Db, renderJson?: RenderJson): Promise<Finding[]> {
  if (!renderJson) return []
  const wrong: Finding[] = []
  for (const table of renderedTables) wrong.push(...(await findStaleJsonOf(db, table, renderJson)))
  return wrong
}

async function findStaleJsonOf(
  db: Db,
  table: RenderedTable,
  renderJson: RenderJson,
): Promise<Finding[]> {
  const entity = entityOf(table)
  const cacheTable = renderedTableOf(table)
  const decode = createDecoder(entity)
  const pages = statement<'after' | 'schemaHash', RenderedRow>(`
     select t.*, f.owner_json, f.public_json from ${table} t
     join ${cacheTable} f on f.id = t.id and f.schema_hash = :schemaHash
     where t.id > :after order by t.id limit ${PAGE}`)(db)
  const remove = statement<'id'>(`delete from ${cacheTable} where id = :id`)
  const wrong: Finding[] = []
  for (let after = 0; ; ) {
    const page = await pages.all({ after, schemaHash: schemaHash(entity) })
    const last = page.at(-1)
    if (!last) return wrong
    for (const { owner_json, public_json, ...raw } of page) {
      const row = decode(raw)
      if (
        owner_json === renderJson(entity, row, 'owner') &&
        public_json === renderJson(entity, row, 'public')
      )
        continue
      wrong.push({
        check: 'rendered JSON',
        problem: `the cached JSON of ${entity.name} ${row.hid} is stale`,
        fix: (tx) => remove(tx).run({ id: row.id }),
      })
    }
    after = last.id
  }
}

interface RenderedRow {
  id: number
  hid: string
  owner_json: string
  public_json: string
}
