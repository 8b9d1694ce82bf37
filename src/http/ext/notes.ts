import { error } from '../../model/core/errors'
import { note } from '../../model/journal/note'
import { noteToList, toExt } from '../../serializers/ext'
import type { Deps } from '../../service/core/deps'
import { createNote, deleteNote, getNote, listNotes, patchNote } from '../../service/journal/notes'
import { describe } from '../server/openapi'
import { parameter, parameters, parseText, requireSingleValue } from '../server/query'
import { routes, waitingClientOf } from '../server/routeGroup'
import { ownedRoutes, ownReadErrors, pageParameters, parsePage } from './ownedRoutes'

const MAX_SEARCH = 200

/** Lists notes. */
export function noteListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit).get(
    '/systems/@me/notes',
    async ({ viewer, query, request }) => {
      const filter = {
        member: parseText('member', query.member),
        search: parseSearch(query.search),
      }
      const client = waitingClientOf(request)
      const found = await listNotes(deps, viewer, filter, parsePage(query), client)
      return found.map(noteToList)
    },
    {
      query: parameters({
        member: parameter({ type: 'string', description: 'Only notes of this member' }),
        search: parameter({
          type: 'string',
          description: 'Only notes whose title or text contains this text, ignoring case',
        }),
        ...pageParameters,
      }),
      detail: describe({
        tag: 'Journal',
        id: 'listNotes',
        summary: 'List notes',
        description: 'Newest first, by `date`. Each note has an `excerpt` instead of its text.',
        requiresAuth: true,
        responses: { 200: ['NoteInList'] },
        errors: [...ownReadErrors, 'memberRefNotFound', 'notYourMemberRef', 'noteNotFound'],
      }),
    },
  )
}

/** Creates, reads, changes and deletes one note. */
export function noteRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: note,
    path: 'notes',
    name: 'Note',
    noun: 'note',
    tag: 'Journal',
    component: 'Note',
    missing: 'noteNotFound',
    errors: ['memberRefNotFound', 'notYourMemberRef'],
    docs: {
      create: 'A note needs a title or a text. It belongs to a member or to the whole system.',
      patch: 'Changes only the given keys. A change of title or text sets `edited`.',
      delete: 'Permanently deletes the note.',
    },
    operations: {
      getOwn: getNote,
      create: createNote,
      patch: patchNote,
      delete: deleteNote,
    },
    serialize: (redacted) => toExt(note, redacted),
  })
}

function parseSearch(value: unknown): string | null {
  const text = requireSingleValue('search', value) ?? null
  if (text !== null && text.length > MAX_SEARCH)
    throw error('badRequest', `search must have at most ${MAX_SEARCH} characters`)
  return text
}
