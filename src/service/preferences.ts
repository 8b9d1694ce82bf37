import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { DEFAULT_WORD, type Preferences, type PreferencesPatch } from '../model/preferences'
import { requireSystem, type Viewer } from '../model/privacy'
import { requireExists } from './deletion'
import type { Deps } from './deps'
import { groupRepository } from './groups'
import { memberRepository } from './members'

export async function getPreferences({ db }: Deps, viewer: Viewer): Promise<Preferences> {
  return preferencesOf(db, requireSystem(viewer, 'manage'))
}

export async function patchPreferences(
  deps: Deps,
  viewer: Viewer,
  patch: PreferencesPatch,
): Promise<Preferences> {
  const systemId = requireSystem(viewer, 'manage')
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    await storePreferences(tx, systemId, patch)
    return preferencesOf(tx, systemId)
  })
}

export async function preferencesOf(db: Db, system: number): Promise<Preferences> {
  const pinned = await pinnedOf(db).all({ system })
  const statuses = await statusesOf(db).all({ system })
  return {
    pinned: pinned.map(({ uuid }) => uuid),
    statuses: statuses.map(({ uuid }) => uuid),
    word: (await wordOf(db).get({ system }))?.word ?? DEFAULT_WORD,
  }
}

/** Returns the preferences; null if all have their defaults. */
export async function findPreferences(db: Db, systemId: number): Promise<Preferences | null> {
  const all = await preferencesOf(db, systemId)
  const isUnset = all.word === DEFAULT_WORD && all.pinned.length === 0 && all.statuses.length === 0
  return isUnset ? null : all
}

/** Stores the given preferences. A list replaces the stored list. */
async function storePreferences(
  tx: Db,
  system: number,
  { pinned, statuses, word }: PreferencesPatch,
): Promise<void> {
  const members = pinned && (await memberRepository.getOwnAll(tx, system, pinned))
  const groups = statuses && (await groupRepository.getOwnAll(tx, system, statuses))
  if (word !== undefined) await setWord(tx).run({ system, word })
  if (members) await unpinAll(tx).run({ system })
  if (groups) await unmarkAll(tx).run({ system })
  const idsOf = (rows: readonly { id: number }[] = []) => rows.map(({ id }) => id)
  await markRows(tx, idsOf(members), idsOf(groups))
}

/** Stores preferences of an import file where none are set. Returns whether any were stored. */
export async function fillPreferences(
  tx: Db,
  system: number,
  { word, pinned, statuses }: { word?: string; pinned: number[]; statuses: number[] },
): Promise<boolean> {
  const known = await preferencesOf(tx, system)
  const isNewWord = word !== undefined && word !== known.word && known.word === DEFAULT_WORD
  if (isNewWord) await setWord(tx).run({ system, word })
  const members = known.pinned.length === 0 ? pinned : []
  const groups = known.statuses.length === 0 ? statuses : []
  await markRows(tx, members, groups)
  return isNewWord || members.length > 0 || groups.length > 0
}

async function markRows(tx: Db, members: number[], groups: number[]): Promise<void> {
  for (const [position, id] of members.entries()) await pin(tx).run({ id, position })
  for (const [position, id] of groups.entries()) await mark(tx).run({ id, position })
}

const wordOf = statement<'system', { word: string }>(
  'select word from preferences where system_id = :system',
)

const setWord = statement<'system' | 'word'>(`
   insert into preferences (system_id, word) values (:system, :word)
   on conflict (system_id) do update set word = excluded.word`)

const pinnedOf = statement<'system', { uuid: string }>(`
   select members.uuid from members join pinned_members on pinned_members.member_id = members.id
   where members.system_id = :system order by pinned_members.position`)

const statusesOf = statement<'system', { uuid: string }>(`
   select groups.uuid from groups join status_groups on status_groups.group_id = groups.id
   where groups.system_id = :system order by status_groups.position`)

const unpinAll = statement<'system'>(`
   delete from pinned_members
   where member_id in (select id from members where system_id = :system)`)

const unmarkAll = statement<'system'>(`
   delete from status_groups where group_id in (select id from groups where system_id = :system)`)

/** Ignores a repeated member, so that it keeps its first position. */
const pin = statement<'id' | 'position'>(
  'insert into pinned_members (member_id, position) values (:id, :position) on conflict do nothing',
)

const mark = statement<'id' | 'position'>(
  'insert into status_groups (group_id, position) values (:id, :position) on conflict do nothing',
)
