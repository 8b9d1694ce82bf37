import type { Viewer } from '../../model/core/privacy'
import { type OwnedList, ownedKind } from '../../model/ownedKinds'
import type { Deps } from '../../service/core/deps'
import {
  createPlain,
  deletePlain,
  getPlain,
  listPlain,
  orderPlain,
  patchPlain,
} from '../../service/core/plainRows'
import { memberRefErrors } from '../server/openapi'
import { ownedRoutes, parsePage, serializerOf } from './ownedRoutes'

/** Routes of a kind without peculiarities. */
export function plainRoutes(list: OwnedList) {
  return (deps: Deps, bodyLimit: number) => {
    const { name, order, references } = ownedKind(list)
    const noun = name.replaceAll('_', ' ')
    const isOrdered = order === 'position'
    const errors = Object.keys(references).length > 0 ? memberRefErrors : []
    const serialize = serializerOf(list)
    return ownedRoutes(deps, bodyLimit, {
      list,
      tag: 'Journal',
      errors,
      docs: {
        create: isOrdered ? `A new ${noun} is the last one of the list.` : '',
        patch: 'Changes only the given keys.',
        delete: `Permanently deletes the ${noun}.`,
      },
      operations: {
        get: (deps, viewer, id) => getPlain(deps, viewer, list, id),
        create: (deps, viewer, draft) => createPlain(deps, viewer, list, draft),
        patch: (deps, viewer, id, patch) => patchPlain(deps, viewer, list, id, patch),
        delete: (deps, viewer, id) => deletePlain(deps, viewer, list, id),
        ...(isOrdered && {
          order: (deps: Deps, viewer: Viewer, ids: readonly string[]) =>
            orderPlain(deps, viewer, list, ids),
        }),
      },
      serialize,
      listing: {
        read: (deps, viewer, query) =>
          listPlain(deps, viewer, list, isOrdered ? null : parsePage(query)),
        isPaged: !isOrdered,
        serialize,
        description: isOrdered ? 'By `position`.' : `Newest first, by \`${order}\`.`,
      },
    })
  }
}
