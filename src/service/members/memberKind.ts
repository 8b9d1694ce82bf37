import type { member } from '../../model/members/member'
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import { clearAbouts, freeMemberExt, recordExtEvent } from '../../store/members/memberExts'
import { memberRowKind } from '../../store/members/memberRows'
import { releaseAutoproxy } from '../../store/proxy/releaseAutoproxy'
import { updateDuesWithout } from '../../store/reminders/reminderDues'
import { deleteOrHideMember } from '../../store/systems/deletion'
import { getSettings } from '../../store/systems/settingRows'
import type { EntityKind } from '../core/entityKind'
import { commitWithTagIndex } from './stageTagIndex'

export const memberKind: EntityKind<typeof member> = {
  ...memberRowKind,
  async findRules(deps, tx, systemId) {
    const { member_limit, member_default_private } = await getSettings(deps, tx, systemId)
    return { maxRows: member_limit, isPrivate: member_default_private }
  },
  async putInBuckets(deps, tx, { id, uuid, system_id }) {
    const buckets = await putInDefaultBuckets(tx, system_id, 'members', id)
    if (buckets.length > 0)
      await recordExtEvent(tx, deps.now(), { system_id, uuid }, ['buckets'], { buckets })
  },
  async afterChange(deps, tx, changes) {
    const described = changes.filter(({ changed }) => 'description' in changed)
    await clearAbouts(
      deps,
      tx,
      described.map(({ before }) => before),
    )
  },
  commitBulk: commitWithTagIndex,
  async beforeDelete(deps, tx, row) {
    await releaseAutoproxy(deps, tx, row)
    await freeMemberExt(deps, tx, row)
    await updateDuesWithout(tx, row)
    await scheduleFriendRefresh(tx, row.system_id, deps.now())
  },
  remove: deleteOrHideMember,
}
