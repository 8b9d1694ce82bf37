import { statement } from '../db/statement'
import type { TextDialect } from '../db/textDialect'
import type { Db } from '../db/types'
import { HIDE_SQL, hiddenIdentity, isVisible } from '../db/visibility'
import { yieldToEventLoop } from '../db/yieldToEventLoop'
import { error } from '../model/errors'
import type { Deps } from './deps'
import { removeSomeTags, tagIndexOf } from './tagIndex'

// Few rows are deleted at once; many are only hidden, and deleted in batches afterwards, after a kill
// by the next process. See "Deletion" in ARCHITECTURE.md.

/** Number of rows that can be deleted in one short transaction. */
const INLINE_LIMIT = 500

export async function deleteOrHideSystem(tx: Db, id: number): Promise<void> {
  if (isFew(await sizeOfSystem(tx).get({ id }))) return void (await deleteSystem(tx).run({ id }))
  // Without these rows no caller can authenticate as the system or write to it.
  for (const remove of deleteAccess) await remove(tx).run({ id })
  for (const hide of hideSystem) await hide(tx).run({ id })
  await hideSwitches(tx).run({ id })
}

export async function deleteOrHideMember(tx: Db, id: number): Promise<void> {
  if (isFew(await sizeOfMember(tx).get({ id }))) return void (await deleteMember(tx).run({ id }))
  const hidden = await insertHiddenSystem(tx).get(hiddenIdentity())
  for (const remove of deleteDerivedRows) await remove(tx).run({ id })
  await moveMember(tx).run({ id, hidden: hidden?.id ?? null })
}

/** Deletes or hides all switches of a system. */
export async function deleteOrHideSwitches(tx: Db, id: number): Promise<void> {
  const isSmall = isFew(await sizeOfHistory(tx).get({ id }))
  await (isSmall ? deleteSwitches : hideSwitches)(tx).run({ id })
}

/** Throws if the system was deleted while the write waited for its lock. */
export async function requireExists(tx: Db, id: number): Promise<void> {
  if (!(await existingSystem(tx).get({ id }))) throw error('systemNotFound')
}

type IsStopped = () => boolean

const never: IsStopped = () => false

/** Deletes the hidden rows of all deletions, of this process and of others. */
export async function purgeDeleted(deps: Deps, isStopped = never): Promise<void> {
  for (const { id, last } of await pendingDeletion(deps.db).all({}))
    await purgeSwitches(deps, id, last, isStopped)
  for (const { id } of await hiddenSystems(deps.db).all({}))
    await purgeHiddenSystem(deps, id, isStopped)
}

/** Deletes a hidden system with all its rows. */
export async function purgeHiddenSystem(deps: Deps, id: number, isStopped = never): Promise<void> {
  await purgeTags(deps, await tagIndexOf(deps.db, id), isStopped)
  for (const removeSome of hiddenSystemBatches)
    await inBatches(
      deps,
      isStopped,
      async (tx, most) => (await removeSome(tx).all({ id, most })).length,
    )
  if (!isStopped())
    await deps.transact('new', async (tx) => void (await deleteSystem(tx).run({ id })))
}

/** Deletes a set of proxy tag keys that is no longer in use. */
export async function purgeTags(deps: Deps, setId: number, isStopped = never): Promise<void> {
  await inBatches(deps, isStopped, (tx, most) => removeSomeTags(tx, setId, most))
}

async function purgeSwitches(
  deps: Deps,
  id: number,
  last: number,
  isStopped: IsStopped,
): Promise<void> {
  // Continue after the last batch, so that new switches in between are not scanned again.
  let from = -Infinity
  await inBatches(deps, isStopped, async (tx, most) => {
    const deleted = await deleteHiddenSwitches(tx).all({ id, last, from, most })
    for (const { timestamp } of deleted) from = Math.max(from, timestamp)
    return deleted.length
  })
  if (!isStopped())
    await deps.transact(
      { system: id },
      async (tx) => void (await clearWatermark(tx).run({ id, last })),
    )
}

/** Target for the time that one batch holds the write lock. The batch size adapts to it. */
const BATCH_MS = 10
const FIRST_BATCH = 100
const MIN_BATCH = 10
const MAX_BATCH = 1000

/** Deletes rows in batches, each in a short transaction, so that other writes wait only briefly. */
async function inBatches(
  deps: Deps,
  isStopped: IsStopped,
  remove: (tx: Db, most: number) => Promise<number>,
): Promise<void> {
  let most = FIRST_BATCH
  while (!isStopped()) {
    let elapsed = 0
    const deleted = await deps.transact(
      'new',
      async (tx) => {
        const began = performance.now()
        const count = await remove(tx, most)
        elapsed = performance.now() - began
        return count
      },
      'slice',
    )
    // A short batch is not the last one: another transaction may have deleted some of its rows.
    if (deleted === 0) return
    // The time differs, because the deletion of some rows cascades to many others.
    if (elapsed < BATCH_MS / 2) most = Math.min(most * 2, MAX_BATCH)
    if (elapsed > BATCH_MS) most = Math.max(Math.ceil(most / 2), MIN_BATCH)
    await yieldToEventLoop()
  }
}

function isFew(found: { size: number } | null): boolean {
  return (found?.size ?? 0) <= INLINE_LIMIT
}

/** Creates a statement that counts rows, up to just above `INLINE_LIMIT` for each source. */
function createSize(...from: (string | ((dialect: TextDialect) => string))[]) {
  return statement<'id', { size: number }>((dialect) => {
    const counts = from.map(
      (rows) =>
        `(select ${dialect.count()} from (select 1 from ${typeof rows === 'string' ? rows : rows(dialect)} limit ${INLINE_LIMIT + 1}) few)`,
    )
    return `select ${counts.join(' + ')} as size`
  })
}

const ofSystem = (table: string) => `${table} where system_id = :id`
const ofMember = (table: string) => `${table} where member_id = :id`

const history = [
  ofSystem('switches'),
  ({
    orderedJoin,
  }: TextDialect) => `(select id from ${ofSystem('switches')} limit ${INLINE_LIMIT + 1}) s
   ${orderedJoin} switch_members m on m.switch_id = s.id`,
]

const sizeOfHistory = createSize(...history)

const sizeOfMember = createSize(ofMember('switch_members'), ofMember('messages'))

const sizeOfSystem = createSize(
  ...history,
  ...['members', 'groups', 'messages', 'events', 'import_archive', 'autoproxy'].map(ofSystem),
  'proxy_tag_index where index_id = (select coalesce(tag_index_id, id) from systems where id = :id)',
)

const existingSystem = statement<'id'>(
  `select id from systems where id = :id and ${isVisible('systems')}`,
)

const deleteSystem = statement<'id'>('delete from systems where id = :id')
const deleteMember = statement<'id'>('delete from members where id = :id')
const deleteSwitches = statement<'id'>('delete from switches where system_id = :id')

const deleteAccess = [
  'tokens',
  'sessions',
  'login_codes',
  'preferences',
  'accounts',
  'link_codes',
  'settings',
  'webhooks',
  'deliveries',
  'pending_imports',
].map((table) => statement<'id'>(`delete from ${ofSystem(table)}`))

const hideSystem = [
  `systems set ${HIDE_SQL} where id = :id`,
  `members set ${HIDE_SQL} where system_id = :id`,
  `groups set ${HIDE_SQL} where system_id = :id`,
].map((rest) => statement<'id'>(`update ${rest}`))

/** Row IDs of switches only grow, so switches that are logged later stay visible. */
const hideSwitches = statement<'id'>(`
   update systems set deleted_through_switch_id = (select coalesce(max(id), 0) from switches)
   where id = :id`)

const insertHiddenSystem = statement<'hid' | 'uuid', { id: number }>(
  'insert into systems (hid, uuid) values (:hid, :uuid) returning id',
)

const deleteDerivedRows = ['group_members', 'proxy_tag_index', 'pinned_members'].map((table) =>
  statement<'id'>(`delete from ${ofMember(table)}`),
)

const moveMember = statement<'id' | 'hidden'>(
  `update members set ${HIDE_SQL}, system_id = :hidden, proxy_tags = '[]' where id = :id`,
)

const pendingDeletion = statement<never, { id: number; last: number }>(
  'select id, deleted_through_switch_id as last from systems where deleted_through_switch_id > 0',
)

const deleteHiddenSwitches = statement<'id' | 'last' | 'from' | 'most', { timestamp: number }>(`
   delete from switches where id in (
     select id from switches where system_id = :id and timestamp > :from and +id <= :last
     order by timestamp limit :most
   ) returning timestamp`)

/** Does nothing if the history was deleted again meanwhile, or hidden switches are left. */
const clearWatermark = statement<'id' | 'last'>(
  `update systems set deleted_through_switch_id = 0 where id = :id and deleted_through_switch_id = :last
   and not exists (select 1 from switches where system_id = :id and +id <= :last)`,
)

/** Hidden systems, except the staging systems of running imports. */
const hiddenSystems = statement<never, { id: number }>(`
   select id from systems where not ${isVisible('systems')}
   and id not in (select staging_system_id from pending_imports)`)

/** In an order in which the remaining rows are consistent after each batch. */
const hiddenSystemBatches = [
  ...[
    'switches',
    'messages',
    'events',
    'import_archive',
    'autoproxy',
    'system_guilds',
    'groups',
  ].map((table) =>
    someRows(`delete from ${table}`, table, (row) => `select ${row} from ${ofSystem(table)}`),
  ),
  someRows('delete from switch_members', 'switch_members', inMembers('switch_members')),
  // Records of messages remain when their member is deleted.
  someRows('update messages set member_id = null', 'messages', inMembers('messages')),
  someRows('delete from member_guilds', 'member_guilds', inMembers('member_guilds')),
  someRows('delete from members', 'members', (row) => `select ${row} from ${ofSystem('members')}`),
]

function someRows(
  change: string,
  table: string,
  select: (row: string, dialect: TextDialect) => string,
) {
  return statement<'id' | 'most'>((dialect) => {
    const row = dialect.rowId(table)
    const selected = `${select(`${table}.${row}`, dialect)} limit :most`
    return `${change} where ${row} in (${selected}) returning 1`
  })
}

function inMembers(table: string) {
  return (row: string, { orderedJoin }: TextDialect) => `select ${row} from members
    ${orderedJoin} ${table} on ${table}.member_id = members.id where members.system_id = :id`
}
