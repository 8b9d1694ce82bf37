import type { Dialect } from '../db/dialect'
import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { HIDE_SQL, hiddenIdentity, isVisible } from '../db/visibility'
import { error } from '../model/errors'
import type { Deps } from './deps'
import { removeSomeTags, tagIndexOf } from './proxy/tagIndex'

/**
 * What has few rows is deleted at once. What has many is only taken out of everybody's sight, in the
 * transaction that deletes it: a system or a member loses its name, a history is forgotten. Its rows
 * are removed in slices afterwards, by whoever runs next if need be.
 */

/** So many rows are deleted in a moment. */
const INLINE_LIMIT = 500

export async function deleteOrHideSystem(tx: Db, id: number): Promise<void> {
  if (isFew(await sizeOfSystem(tx).get({ id }))) return void (await deleteSystem(tx).run({ id }))
  // Without these nobody can come as the system, nor write to it.
  for (const remove of access) await remove(tx).run({ id })
  for (const takeName of namesOfSystem) await takeName(tx).run({ id })
  await hideSwitches(tx).run({ id })
}

export async function deleteOrHideMember(tx: Db, id: number): Promise<void> {
  if (isFew(await sizeOfMember(tx).get({ id }))) return void (await deleteMember(tx).run({ id }))
  const place = await insertHiddenSystem(tx).get(hiddenIdentity())
  for (const remove of besideMember) await remove(tx).run({ id })
  await moveMember(tx).run({ id, place: place?.id ?? null })
}

/** All switches of a system. */
export async function deleteOrHideSwitches(tx: Db, id: number): Promise<void> {
  const isSmall = isFew(await sizeOfHistory(tx).get({ id }))
  await (isSmall ? deleteSwitches : hideSwitches)(tx).run({ id })
}

/** For writes: the system may have been deleted while they waited for their turn. */
export async function requireExists(tx: Db, id: number): Promise<void> {
  if (!(await stillThere(tx).get({ id }))) throw error('systemNotFound')
}

type IsStopped = () => boolean

const never: IsStopped = () => false

/** Removes the rows of all that was deleted, by this process or by another one. */
export async function purgeDeleted(deps: Deps, isStopped = never): Promise<void> {
  for (const { id, last } of await pendingDeletion(deps.db).all({}))
    await purgeSwitches(deps, id, last, isStopped)
  for (const { id } of await hiddenSystems(deps.db).all({}))
    await purgeHiddenSystem(deps, id, isStopped)
}

/** A system without a name, with everything in it. */
export async function purgeHiddenSystem(deps: Deps, id: number, isStopped = never): Promise<void> {
  await purgeTags(deps, await tagIndexOf(deps.db, id), isStopped)
  for (const some of partsOfHiddenSystem)
    await inBatches(deps, isStopped, async (tx, most) => (await some(tx).all({ id, most })).length)
  if (!isStopped())
    await deps.transact('new', async (tx) => void (await deleteSystem(tx).run({ id })))
}

/** Keys that nobody asks for any more. */
export async function purgeTags(deps: Deps, setId: number, isStopped = never): Promise<void> {
  await inBatches(deps, isStopped, (tx, most) => removeSomeTags(tx, setId, most))
}

async function purgeSwitches(
  deps: Deps,
  id: number,
  last: number,
  isStopped: IsStopped,
): Promise<void> {
  // New ones may lie between them, and are not looked at again and again.
  let from = -Infinity
  await inBatches(deps, isStopped, async (tx, most) => {
    const gone = await someDeletedSwitches(tx).all({ id, last, from, most })
    for (const { timestamp } of gone) from = Math.max(from, timestamp)
    return gone.length
  })
  if (!isStopped())
    await deps.transact(
      { system: id },
      async (tx) => void (await keptSwitches(tx).run({ id, last })),
    )
}

/** How long one slice may hold the write lock, and how many rows it removes for a start. */
const BATCH_MS = 10
const FIRST_BATCH = 100
const MIN_BATCH = 10
const MAX_BATCH = 1000

/** Removes some rows after the other, in transactions so short that nobody waits for them. */
async function inBatches(
  deps: Deps,
  isStopped: IsStopped,
  remove: (tx: Db, most: number) => Promise<number>,
): Promise<void> {
  let most = FIRST_BATCH
  while (!isStopped()) {
    let took = 0
    const gone = await deps.transact(
      'new',
      async (tx) => {
        const began = performance.now()
        const count = await remove(tx, most)
        took = performance.now() - began
        return count
      },
      'slice',
    )
    // Fewer than asked for are not the last: another transaction may have deleted some of them.
    if (gone === 0) return
    // Some rows have many others that go with them.
    if (took < BATCH_MS / 2) most = Math.min(most * 2, MAX_BATCH)
    if (took > BATCH_MS) most = Math.max(Math.ceil(most / 2), MIN_BATCH)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function isFew(found: { size: number } | null): boolean {
  return (found?.size ?? 0) <= INLINE_LIMIT
}

/** How many rows there are, as far as that matters. */
function createSize(...from: (string | ((say: Dialect) => string))[]) {
  return statement<'id', { size: number }>((say) => {
    const counts = from.map(
      (rows) =>
        `(select ${say.count()} from (select 1 from ${typeof rows === 'string' ? rows : rows(say)} limit ${INLINE_LIMIT + 1}) few)`,
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
  }: Dialect) => `(select id from ${ofSystem('switches')} limit ${INLINE_LIMIT + 1}) s
   ${orderedJoin} switch_members m on m.switch_id = s.id`,
]

const sizeOfHistory = createSize(...history)

const sizeOfMember = createSize(ofMember('switch_members'), ofMember('messages'))

const sizeOfSystem = createSize(
  ...history,
  ...['members', 'groups', 'messages', 'events', 'archive', 'autoproxy'].map(ofSystem),
  'proxy_tag_keys where set_id = (select coalesce(tag_set, id) from systems where id = :id)',
)

const stillThere = statement<'id'>(
  `select id from systems where id = :id and ${isVisible('systems')}`,
)

const deleteSystem = statement<'id'>('delete from systems where id = :id')
const deleteMember = statement<'id'>('delete from members where id = :id')
const deleteSwitches = statement<'id'>('delete from switches where system_id = :id')

const access = [
  'tokens',
  'sessions',
  'login_codes',
  'preferences',
  'accounts',
  'link_codes',
  'settings',
  'webhooks',
  'deliveries',
  'imports',
].map((table) => statement<'id'>(`delete from ${ofSystem(table)}`))

const namesOfSystem = [
  `systems set ${HIDE_SQL} where id = :id`,
  `members set ${HIDE_SQL} where system_id = :id`,
  `groups set ${HIDE_SQL} where system_id = :id`,
].map((rest) => statement<'id'>(`update ${rest}`))

/** Numbers of switches only grow, so those that come later are not meant. */
const hideSwitches = statement<'id'>(`
   update systems set forgotten_switches = (select coalesce(max(id), 0) from switches)
   where id = :id`)

const insertHiddenSystem = statement<'hid' | 'uuid', { id: number }>(
  'insert into systems (hid, uuid) values (:hid, :uuid) returning id',
)

const besideMember = ['group_members', 'proxy_tag_keys', 'pinned_members'].map((table) =>
  statement<'id'>(`delete from ${ofMember(table)}`),
)

const moveMember = statement<'id' | 'place'>(
  `update members set ${HIDE_SQL}, system_id = :place, proxy_tags = '[]' where id = :id`,
)

const pendingDeletion = statement<never, { id: number; last: number }>(
  'select id, forgotten_switches as last from systems where forgotten_switches > 0',
)

const someDeletedSwitches = statement<'id' | 'last' | 'from' | 'most', { timestamp: number }>(`
   delete from switches where id in (
     select id from switches where system_id = :id and timestamp > :from and +id <= :last
     order by timestamp limit :most
   ) returning timestamp`)

/** Unless it was deleted once more meanwhile, or another process still removes some. */
const keptSwitches = statement<'id' | 'last'>(
  `update systems set forgotten_switches = 0 where id = :id and forgotten_switches = :last
   and not exists (select 1 from switches where system_id = :id and +id <= :last)`,
)

/** Where no import is under way. */
const hiddenSystems = statement<never, { id: number }>(`
   select id from systems where not ${isVisible('systems')}
   and id not in (select place_id from imports)`)

/** In an order in which the rows that are left always make sense. */
const partsOfHiddenSystem = [
  ...['switches', 'messages', 'events', 'archive', 'autoproxy', 'system_guilds', 'groups'].map(
    (table) =>
      someRows(`delete from ${table}`, table, (row) => `select ${row} from ${ofSystem(table)}`),
  ),
  someRows('delete from switch_members', 'switch_members', inMembers('switch_members')),
  // Messages outlive their member.
  someRows('update messages set member_id = null', 'messages', inMembers('messages')),
  someRows('delete from member_guilds', 'member_guilds', inMembers('member_guilds')),
  someRows('delete from members', 'members', (row) => `select ${row} from ${ofSystem('members')}`),
]

function someRows(change: string, table: string, chosen: (row: string, say: Dialect) => string) {
  return statement<'id' | 'most'>((say) => {
    const row = say.rowId(table)
    const some = `${chosen(`${table}.${row}`, say)} limit :most`
    return `${change} where ${row} in (${some}) returning 1`
  })
}

function inMembers(table: string) {
  return (row: string, { orderedJoin }: Dialect) => `select ${row} from members
    ${orderedJoin} ${table} on ${table}.member_id = members.id where members.system_id = :id`
}
