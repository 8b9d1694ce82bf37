import { visibleMemberUuid } from '../../db/visible'
import { error } from '../../model/core/errors'
import { Problem } from '../../model/core/validation'
import { getOwnEntities } from '../core/entityRows'
import type { Reference } from '../core/ownedRows'
import { kindOf } from './memberKinds'
import { memberRowKind } from './memberRows'

/** Reference to a member of the system, which may be a custom front. */
export function anyMember(column: string): Reference {
  return {
    column,
    uuid: visibleMemberUuid,
    async resolve(tx, systemId, ref) {
      const [found] = await getOwnEntities(tx, memberRowKind, systemId, [ref])
      if (!found) throw error('memberRefNotFound', ref)
      return found
    },
  }
}

/** Reference to the member who wrote a text. Custom fronts write none. */
export function author(column: string): Reference {
  const { uuid, resolve } = anyMember(column)
  return {
    column,
    uuid,
    isAuthor: true,
    async resolve(tx, systemId, ref, key) {
      const found = await resolve(tx, systemId, ref, key)
      if ((await kindOf(tx, found.id)) === 'custom_front')
        throw error('invalidBody', { [key]: [new Problem('custom_front')] })
      return found
    },
  }
}
