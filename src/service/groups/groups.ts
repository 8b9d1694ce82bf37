import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groups } from '../../db/tables'
import { group } from '../../model/groups/group'
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { giveChildrenToParent, recordGroupEvent } from '../../store/groups/groupDeletion'
import { createOwnedRepository } from '../core/ownedEntity'

export const groupRepository = createOwnedRepository<typeof group>({
  entity: group,
  table: 'groups',
  errors: {
    missing: 'groupNotFound',
    foreign: 'notYourGroup',
    full: 'groupLimit',
    missingRef: 'groupRefNotFound',
    foreignRef: 'notYourGroupRef',
  },
  events: { created: 'CREATE_GROUP', changed: 'UPDATE_GROUP', removed: 'DELETE_GROUP' },
  limitOf: (settings) => settings.group_limit,
  isPrivateIn: (settings) => settings.group_default_private,
  commitBulk: (_deps, _systemId, _changes, commit) => commit(null),
  async putInBuckets(deps, tx, { id, uuid, system_id }) {
    const buckets = await putInDefaultBuckets(tx, system_id, 'groups', id)
    if (buckets.length > 0)
      await recordGroupEvent(tx, deps.now(), { system_id, uuid }, ['buckets'], { buckets })
  },
  beforeDelete: giveChildrenToParent,
  remove: async (tx, id) => void (await deleteRow(tx).run({ id })),
})

const deleteRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(groups).where(eq(groups.id, id)),
)

export const {
  insert: insertGroup,
  create: createGroup,
  change: patchGroup,
  changeMany: patchGroups,
  changeAll: patchAllGroups,
  remove: deleteGroup,
} = groupRepository
