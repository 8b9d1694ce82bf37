import { ownedTable } from '../../db/ownedTables'
import { visibleMemberUuid } from '../../db/visible'
import { error } from '../../model/core/errors'
import { Problem } from '../../model/core/validation'
import { type EntityOf, type OwnedList, ownedKind } from '../../model/ownedKinds'
import { getOwnEntities } from '../core/entityRows'
import { type OwnedRowKind, ownedRowFacts, type Reference } from '../core/ownedRows'
import { kindOf } from './memberKinds'
import { memberRowKind } from './memberRows'

/** Reference to a member of the system, which may be a custom front. */
function anyMember(column: string): Reference {
  return {
    column,
    uuid: visibleMemberUuid,
    async resolve(tx, systemId, ref) {
      const [member] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
      if (!member) throw error('memberRefNotFound', ref)
      return member
    },
  }
}

/** Reference to the member who wrote a text. Custom fronts write none. */
function author(column: string): Reference {
  const { uuid, resolve } = anyMember(column)
  return {
    column,
    uuid,
    isAuthor: true,
    async resolve(tx, systemId, ref, key) {
      const member = await resolve(tx, systemId, ref, key)
      if ((await kindOf(tx, member.id)) === 'custom_front')
        throw error('invalidBody', { [key]: [new Problem('custom_front')] })
      return member
    },
  }
}

/** Returns what the tables of kinds say about a kind, with its references to members. */
export function ownedRowKind<L extends OwnedList>(list: L): OwnedRowKind<EntityOf<L>> {
  const { columns } = ownedTable(list)
  const references: Record<string, Reference> = {}
  for (const [key, target] of Object.entries(ownedKind(list).references)) {
    const column = columns[key] ?? key
    if (target === 'member') references[key] = anyMember(column)
    if (target === 'author') references[key] = author(column)
  }
  return { ...ownedRowFacts(list), references }
}
