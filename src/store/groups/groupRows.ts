import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { groups } from '../../db/tables'
import type { Db } from '../../db/types'
import { group } from '../../model/groups/group'
import type { EntityRowKind } from '../core/entityRows'

export const groupRowKind: EntityRowKind<typeof group> = {
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
}

export async function deleteGroupRow(tx: Db, id: number): Promise<void> {
  await deleteRow(tx).run({ id })
}

const deleteRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(groups).where(eq(groups.id, id)),
)
