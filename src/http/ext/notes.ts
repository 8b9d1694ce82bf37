import { error } from '../../model/core/errors'
import { noteToList } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import { createNote, deleteNote, getNote, listNotes, patchNote } from '../../service/journal/notes'
import { memberRefErrors } from '../server/openapi'
import { parameter, parseText, requireSingleValue } from '../server/query'
import { waitingClientOf } from '../server/routeGroup'
import { type OwnedListing, ownedRoutes, parsePage, serializerOf } from './ownedRoutes'

const MAX_SEARCH = 200

const listing: OwnedListing<Parameters<typeof noteToList>[0]> = {
  isPaged: true,
  filters: {
    member: parameter({ type: 'string', description: 'Only notes of this member' }),
    search: parameter({
      type: 'string',
      description: 'Only notes whose title or text contains this text, ignoring case',
    }),
  },
  read(deps, viewer, query, request) {
    const filter = {
      member: parseText('member', query.member),
      search: parseSearch(query.search),
    }
    return listNotes(deps, viewer, filter, parsePage(query), waitingClientOf(request))
  },
  serialize: noteToList,
  description: 'Newest first, by `date`. Each note has an `excerpt` instead of its text.',
  component: 'NoteInList',
  errors: memberRefErrors,
}

export function noteRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'notes',
    tag: 'Journal',
    errors: memberRefErrors,
    docs: {
      create: 'A note needs a title or a text. It belongs to a member or to the whole system.',
      patch: 'Changes only the given keys. A change of title or text sets `edited`.',
      delete: 'Permanently deletes the note.',
    },
    operations: { get: getNote, create: createNote, patch: patchNote, delete: deleteNote },
    serialize: serializerOf('notes'),
    listing,
  })
}

function parseSearch(value: unknown): string | null {
  const text = requireSingleValue('search', value) ?? null
  if (text !== null && text.length > MAX_SEARCH)
    throw error('badRequest', `search must have at most ${MAX_SEARCH} characters`)
  return text
}
