import type { Db } from '../../db/types'
import type { Preferences, PreferencesPatch } from '../../model/access/preferences'
import { requireSystem, type Viewer } from '../../model/core/privacy'
import {
  markRows,
  preferencesOf,
  setWord,
  unmarkAll,
  unpinAll,
} from '../../store/access/preferenceRows'
import { getOwnEntities } from '../../store/core/entityRows'
import { groupRowKind } from '../../store/groups/groupRows'
import { makeCustomFronts, recordExtEvent } from '../../store/members/memberExts'
import { memberRowKind } from '../../store/members/memberRows'
import { requireExists } from '../../store/systems/deletion'
import type { Deps } from '../core/deps'

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
    await storePreferences(deps, tx, systemId, patch)
    return preferencesOf(tx, systemId)
  })
}

/** Stores the given preferences. A list replaces the stored list; members of `statuses` become custom fronts. */
async function storePreferences(
  deps: Deps,
  tx: Db,
  system: number,
  { pinned, statuses, word }: PreferencesPatch,
): Promise<void> {
  const members = pinned && (await getOwnEntities(tx, memberRowKind, system, pinned))
  const groups = statuses && (await getOwnEntities(tx, groupRowKind, system, statuses))
  if (word !== undefined) await setWord(tx, system, word)
  if (members) await unpinAll(tx, system)
  if (groups) await unmarkAll(tx, system)
  const idsOf = (rows: readonly { id: number }[] = []) => rows.map(({ id }) => id)
  await markRows(tx, idsOf(members), idsOf(groups))
  const changed = await makeCustomFronts(tx, idsOf(groups))
  for (const row of changed)
    await recordExtEvent(tx, deps.now(), row, ['kind'], { kind: 'custom_front' })
}
