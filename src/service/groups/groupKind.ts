import type { group } from '../../model/groups/group'
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { giveChildrenToParent, recordGroupEvent } from '../../store/groups/groupDeletion'
import { deleteGroupRow, groupRowKind } from '../../store/groups/groupRows'
import { getSettings } from '../../store/systems/settingRows'
import type { EntityKind } from '../core/entityKind'

export const groupKind: EntityKind<typeof group> = {
  ...groupRowKind,
  async findRules(deps, tx, systemId) {
    const { group_limit, group_default_private } = await getSettings(deps, tx, systemId)
    return { maxRows: group_limit, isPrivate: group_default_private }
  },
  async putInBuckets(deps, tx, { id, uuid, system_id }) {
    const buckets = await putInDefaultBuckets(tx, system_id, 'groups', id)
    if (buckets.length > 0)
      await recordGroupEvent(tx, deps.now(), { system_id, uuid }, ['buckets'], { buckets })
  },
  commitBulk: (_deps, _systemId, _changes, commit) => commit(null),
  beforeDelete: giveChildrenToParent,
  remove: deleteGroupRow,
}
