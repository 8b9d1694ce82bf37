import { and, eq, type SQL } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import { type Member, member } from '../../model/members/member'
import type { EntityRowKind } from '../core/entityRows'
import { indexTags, tagIndexOf } from './tagIndex'

export const memberRowKind: EntityRowKind<typeof member> = {
  entity: member,
  table: 'members',
  errors: {
    missing: 'memberNotFound',
    foreign: 'notYourMember',
    full: 'memberLimit',
    missingRef: 'memberRefNotFound',
    foreignRef: 'notYourMemberRef',
  },
  events: { created: 'CREATE_MEMBER', changed: 'UPDATE_MEMBER', removed: 'DELETE_MEMBER' },
  derived: {
    from: 'proxy_tags',
    async sync(tx, { id, system_id, proxy_tags }) {
      await indexTags(tx, id, proxy_tags, await tagIndexOf(tx, system_id))
    },
  },
}

export async function listAllMembers(db: Db, systemId: number): Promise<Member[]> {
  return await allMembers(db).all({ system: systemId })
}

/** Lists the members of a system that everybody may see. */
export async function listPublicMembers(db: Db, systemId: number): Promise<Member[]> {
  return await publicMembers(db).all({ system: systemId })
}

const allMembers = listWhere()
const publicMembers = listWhere(eq(visibleMembers.visibility, 'public'))

function listWhere(condition?: SQL) {
  return query((db, { system }: Placeholders<'system'>) =>
    db
      .select()
      .from(visibleMembers)
      .where(and(eq(visibleMembers.system_id, system), condition))
      .orderBy(visibleMembers.id),
  )
}
