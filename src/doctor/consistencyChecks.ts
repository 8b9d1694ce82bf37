import { and, eq, getTableColumns, gt, isNull, lt, lte, notExists, sql } from 'drizzle-orm'
import { type Check, type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPagesById } from '../db/readPages'
import {
  accounts,
  autoproxies,
  groups,
  members,
  messages,
  proxyTagIndex,
  renderedGroups,
  renderedMemberExts,
  renderedMembers,
  renderedSystems,
  systemSettings,
  systems,
} from '../db/tables'
import type { Db, MaybePromise } from '../db/types'
import { visibleMembers, visibleSystems } from '../db/visible'
import { type RenderJson, schemaHash } from '../model/core/schemaHash'
import type { ProxyTag } from '../model/core/validation'
import { group } from '../model/groups/group'
import { member } from '../model/members/member'
import { listedMemberExt } from '../model/members/memberExt'
import { keysOfTag } from '../model/proxy/tags'
import { system } from '../model/systems/system'
import { findListedMemberExts, type ListedMemberExtRow } from '../store/members/memberExtRows'
import { findArchivedPasswords } from './archiveCheck'
import { findWrongFields, findWrongFieldValues, findWrongVotes } from './fieldValueCheck'
import { findForeignBucketRows, findOneSidedFriendships } from './friendCheck'
import { findWrongGroupTrees } from './groupTreeCheck'
import { findWrongPictures } from './pictureCheck'
import { findWrongDues } from './reminderCheck'
import { findWrongUsage } from './usageCheck'
import { findWrongVoteCounts } from './voteCountCheck'

/** Checks of rows that apply to both engines. */

/** Checks in the order of their repair. */
export const checks: readonly Check[] = [
  findMissingSettings,
  findLostAutoproxy,
  findMiscounts,
  findWrongTagKeys,
  findWrongGroupTrees,
  findWrongFields,
  findWrongFieldValues,
  findWrongVotes,
  findWrongVoteCounts,
  findOneSidedFriendships,
  findWrongUsage,
  findWrongDues,
  findForeignBucketRows,
  findWrongPictures,
  findArchivedPasswords,
  findStaleJson,
  findStaleExtJson,
]

export async function findAll(
  db: Db,
  all: readonly Check[],
  renderJson?: RenderJson,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of all) findings.push(...(await check(db, renderJson)))
  return findings
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

// SQL text, because the builder has no savepoints.
const save = query(() => sql`savepoint fix`)
const undo = query(() => sql`rollback to savepoint fix`)
const release = query(() => sql`release savepoint fix`)

const MANY_ACCOUNTS = 20

/** Lists links between accounts and systems that may allow impersonation. */
export async function findWarnings(db: Db): Promise<string[]> {
  const imported = await importedAccounts(db).all({})
  const crowded = await crowdedSystems(db).all({})
  return [
    ...imported.map(({ id, hid }) => `account ${id} was linked to system ${hid} by an import`),
    ...crowded.map(({ hid, count }) => `system ${hid} has ${count} accounts`),
  ]
}

const importedAccounts = query((db) =>
  db
    .select({ id: accounts.id, hid: systems.hid })
    .from(accounts)
    .innerJoin(systems, eq(systems.id, accounts.system_id))
    .where(eq(accounts.imported, true))
    .orderBy(systems.id, accounts.id),
)

const crowdedSystems = query((db, _, { count }) =>
  db
    .select({ hid: systems.hid, count: count().as('count') })
    .from(accounts)
    .innerJoin(systems, eq(systems.id, accounts.system_id))
    .groupBy(systems.id, systems.hid)
    .having(gt(count(), MANY_ACCOUNTS))
    .orderBy(systems.id),
)

async function findMissingSettings(db: Db): Promise<Finding[]> {
  const rows = await withoutSettings(db).all({})
  return rows.map(({ id, hid }) => ({
    check: 'settings',
    problem: `system ${hid} has no settings`,
    fix: (tx) => addSettings(tx).run({ id }),
  }))
}

const withoutSettings = query((db) => {
  const { id, hid } = visibleSystems
  const { system_id } = systemSettings
  const settings = db.select({ system_id }).from(systemSettings).where(eq(system_id, id))
  return db.select({ id, hid }).from(visibleSystems).where(notExists(settings)).orderBy(id)
})

const addSettings = query((db, { id }: Placeholders<'id'>) =>
  db.insert(systemSettings).values({ system_id: id }).onConflictDoNothing(),
)

async function findLostAutoproxy(db: Db): Promise<Finding[]> {
  const rows = await lostAutoproxy(db).all({})
  return rows.map(({ system_id, hid, guild_id }) => ({
    check: 'autoproxy',
    problem: `the autoproxy of system ${hid} in guild ${guild_id} names a missing member`,
    fix: (tx) => endAutoproxy(tx).run({ system: system_id, guild: guild_id }),
  }))
}

const { system_id, guild_id, autoproxy_mode, autoproxy_member } = autoproxies

const isLost = and(eq(autoproxy_mode, 'member'), isNull(autoproxy_member))

const lostAutoproxy = query((db) =>
  db
    .select({ system_id, hid: systems.hid, guild_id })
    .from(autoproxies)
    .innerJoin(systems, eq(systems.id, system_id))
    .where(isLost)
    .orderBy(system_id, guild_id),
)

const endAutoproxy = query((db, values: Placeholders<'system' | 'guild'>) =>
  db
    .update(autoproxies)
    .set({ autoproxy_mode: 'off' })
    .where(and(eq(system_id, values.system), eq(guild_id, values.guild), isLost)),
)

/**
 * The counter may exceed the recorded messages, which may have been sent elsewhere, but not be
 * lower.
 */
async function findMiscounts(db: Db): Promise<Finding[]> {
  const rows = await miscounts(db).all({})
  return rows.map(({ id, hid, message_count, recorded }) => ({
    check: 'counters',
    problem: `member ${hid} counts ${message_count} messages, but ${recorded} are recorded`,
    fix: (tx) => raiseCounter(tx).run({ id, recorded }),
  }))
}

const miscounts = query((db, _, { count }) => {
  const { id, hid, message_count } = members
  return db
    .select({ id, hid, message_count, recorded: count().as('recorded') })
    .from(members)
    .innerJoin(messages, eq(messages.member_id, id))
    .groupBy(id, hid, message_count)
    .having(gt(count(), message_count))
    .orderBy(id)
})

const raiseCounter = query((db, { id, recorded }: Placeholders<'id' | 'recorded'>) =>
  db
    .update(members)
    .set({ message_count: recorded })
    .where(and(eq(members.id, id), lt(members.message_count, recorded))),
)

interface Tagged {
  id: number
  hid: string
  index_id: number
  proxy_tags: string
}

type TagKey = typeof proxyTagIndex.$inferSelect

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

const taggedPage = query((db, { after }: Placeholders<'after'>) => {
  const { id, hid, system_id, proxy_tags } = visibleMembers
  return db
    .select({
      id,
      hid,
      index_id: sql<number>`coalesce(${systems.tag_index_id}, ${systems.id})`.as('index_id'),
      // As stored, because the JSON may be damaged.
      proxy_tags: sql<string>`${proxy_tags}`.as('proxy_tags'),
    })
    .from(visibleMembers)
    .innerJoin(systems, eq(systems.id, system_id))
    .where(gt(id, after))
    .orderBy(id)
    .limit(PAGE)
})

const keysOf = query((db, { after, last }: Placeholders<'after' | 'last'>) => {
  const { member_id, index_id, position } = proxyTagIndex
  return db
    .select()
    .from(proxyTagIndex)
    .where(and(gt(member_id, after), lte(member_id, last)))
    .orderBy(member_id, index_id, position)
})

function checkTags(row: Tagged, keys: readonly TagKey[]): Finding[] {
  const check = 'proxy tags'
  const tags = parseTags(row.proxy_tags)
  if (!tags) return [{ check, problem: `the tags of member ${row.hid} cannot be read` }]
  const expected = tags.map((tag, position): TagKey => {
    return { member_id: row.id, index_id: row.index_id, position, ...keysOfTag(tag) }
  })
  const current = keys.filter(({ index_id }) => index_id === row.index_id)
  if (Bun.deepEquals(expected, current)) return []
  const fix = async (tx: Db) => {
    await removeKeys(tx).run({ member: row.id })
    await addKeys(tx).run({ rows: JSON.stringify(expected) })
  }
  return [{ check, problem: `the tags of member ${row.hid} do not match their keys`, fix }]
}

const removeKeys = query((db, values: Placeholders<'member'>) =>
  db.delete(proxyTagIndex).where(eq(proxyTagIndex.member_id, values.member)),
)

const addKeys = query((db, { rows }: Placeholders<'rows'>, { rowsIn }) =>
  db
    .insert(proxyTagIndex)
    .select(rowsIn(rows, proxyTagIndex, Object.keys(getTableColumns(proxyTagIndex)))),
)

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
  for (const { entity, pages, remove } of cachedJson)
    for await (const page of readPagesById(pages(db))) {
      for (const { owner_json, public_json, ...row } of page) {
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
    }
  return wrong
}

const cachedJson = [
  { entity: system, table: systems, cache: renderedSystems },
  { entity: member, table: members, cache: renderedMembers },
  { entity: group, table: groups, cache: renderedGroups },
].map(({ entity, table, cache }) => {
  const { id, schema_hash, owner_json, public_json } = cache
  return {
    entity,
    pages: query((db, { after }: Placeholders<'after'>) =>
      db
        .select({ ...getTableColumns(table), owner_json, public_json })
        .from(table)
        .innerJoin(cache, and(eq(id, table.id), eq(schema_hash, schemaHash(entity))))
        .where(gt(table.id, after))
        .orderBy(table.id)
        .limit(PAGE),
    ),
    remove: query((db, values: Placeholders<'id'>) => db.delete(cache).where(eq(id, values.id))),
  }
})

/**
 * Does the same for what the extension API adds to members, which is read from several tables. A
 * cached entry counts as stale only if it is still stored after its row was read.
 */
async function findStaleExtJson(db: Db, renderJson?: RenderJson): Promise<Finding[]> {
  if (!renderJson) return []
  const wrong: Finding[] = []
  for await (const page of readPagesById(cachedExts(db))) {
    const rows = new Map((await readableExts(db, page)).map((row) => [row.id, row]))
    for (const { id, hid, owner_json, public_json } of page) {
      const row = rows.get(id)
      if (!row) continue
      const isFresh =
        !row.hasHiddenValues &&
        owner_json === renderJson(listedMemberExt, row, 'owner') &&
        public_json === renderJson(listedMemberExt, row, 'public')
      if (isFresh || !(await sameExt(db).get({ id, owner_json, public_json }))) continue
      wrong.push({
        check: 'rendered JSON',
        problem: `the cached JSON of the extensions of member ${hid} is stale`,
        fix: (tx) => removeCachedExt(tx).run({ id }),
      })
    }
  }
  return wrong
}

/** Reads members one by one if some of them have values that cannot be read, and leaves these out. */
async function readableExts(
  db: Db,
  page: readonly { id: number }[],
): Promise<ListedMemberExtRow[]> {
  const ids = page.map(({ id }) => id)
  try {
    return await findListedMemberExts(db, ids)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    if (page.length === 1) return []
    const rows: ListedMemberExtRow[] = []
    for (const row of page) rows.push(...(await readableExts(db, [row])))
    return rows
  }
}

const { owner_json, public_json, schema_hash } = renderedMemberExts

const cachedExts = query((db, { after }: Placeholders<'after'>) =>
  db
    .select({ id: renderedMemberExts.id, hid: visibleMembers.hid, owner_json, public_json })
    .from(renderedMemberExts)
    .innerJoin(visibleMembers, eq(visibleMembers.id, renderedMemberExts.id))
    .where(and(gt(renderedMemberExts.id, after), eq(schema_hash, schemaHash(listedMemberExt))))
    .orderBy(renderedMemberExts.id)
    .limit(PAGE),
)

const sameExt = query((db, values: Placeholders<'id' | 'owner_json' | 'public_json'>) =>
  db
    .select({ id: renderedMemberExts.id })
    .from(renderedMemberExts)
    .where(
      and(
        eq(renderedMemberExts.id, values.id),
        eq(owner_json, values.owner_json),
        eq(public_json, values.public_json),
      ),
    ),
)

const removeCachedExt = query((db, values: Placeholders<'id'>) =>
  db.delete(renderedMemberExts).where(eq(renderedMemberExts.id, values.id)),
)
