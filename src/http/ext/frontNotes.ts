import { error } from '../../model/core/errors'
import { type FrontNote, frontNote, patchedFrontNote } from '../../model/front/frontNote'
import { toExt } from '../../serializers/ext'
import { bodySchema } from '../../serializers/schema'
import { draftFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  createFrontNote,
  deleteFrontNote,
  listFrontNotes,
  patchFrontNote,
} from '../../service/front/frontNotes'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseText, parseTime } from '../server/query'
import { routes } from '../server/routeGroup'
import { ownedRoutes, ownReadErrors, pageParameters, parsePage } from './ownedRoutes'

const kinds: readonly string[] = frontNote.fields.kind.choices ?? []

/** Lists and writes status texts and comments. */
export function frontNoteListRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/front/notes',
      async ({ viewer, query }) => {
        const filter = {
          member: parseText('member', query.member),
          kind: parseKind(query.kind),
          since: parseTime('since', query.since),
          until: parseTime('until', query.until),
        }
        const found = await listFrontNotes(deps, viewer, filter, parsePage(query))
        return found.map((redacted) => toExt(frontNote, redacted))
      },
      {
        query: parameters({
          member: parameter({ type: 'string', description: 'Only texts about this member' }),
          kind: parameter({ type: 'string', enum: kinds, description: 'Only texts of this kind' }),
          since: parameter({
            type: 'string',
            format: 'date-time',
            description: 'Only texts about this time or later',
          }),
          until: parameter({
            type: 'string',
            format: 'date-time',
            description: 'Only texts about an earlier time',
          }),
          ...pageParameters,
        }),
        detail: describe({
          tag: 'Switches',
          id: 'listFrontNotes',
          summary: 'List status texts and comments',
          description: 'Newest first, by `at`.',
          requiresAuth: true,
          responses: { 200: ['FrontNote'] },
          errors: [...ownReadErrors, 'memberRefNotFound', 'notYourMemberRef', 'frontNoteNotFound'],
        }),
      },
    )
    .post(
      '/systems/@me/front/notes',
      async ({ viewer, body, set }) => {
        const draft = draftFromV2(frontNote, body)
        const { note, isNew } = await createFrontNote(deps, viewer, draft)
        if (isNew) set.status = 201
        return toExt(frontNote, note)
      },
      {
        body: bodySchema(frontNote, 'draft', { kind: 'comment', text: 'Quiet morning.' }),
        detail: describe({
          tag: 'Switches',
          id: 'createFrontNote',
          summary: 'Set a status or write a comment',
          description:
            'A status is about a member in front at `at`, and lasts until the next one or the end of the stint; `text` null ends it. The status of that member at exactly that time is replaced (200 instead of 201).',
          responses: { 200: 'FrontNote', 201: 'FrontNote' },
          errors: [
            ...writeErrors,
            'forbidden',
            'invalidBody',
            'limitReached',
            'memberRefNotFound',
            'notYourMemberRef',
          ],
        }),
      },
    )
}

/** Changes and deletes one status text or comment. */
export function frontNoteRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: frontNote,
    patchEntity: patchedFrontNote,
    path: 'front-notes',
    name: 'FrontNote',
    noun: 'front note',
    tag: 'Switches',
    component: 'FrontNote',
    missing: 'frontNoteNotFound',
    errors: ['memberRefNotFound', 'notYourMemberRef'],
    docs: {
      patch: 'Changes only the given keys. A change of the text sets `edited`.',
      delete: 'Permanently deletes the status or comment.',
    },
    operations: { patch: patchFrontNote, delete: deleteFrontNote },
    serialize: (redacted) => toExt(frontNote, redacted),
  })
}

function parseKind(value: unknown): FrontNote['kind'] | null {
  const kind = parseText('kind', value)
  if (kind === null || kind === 'status' || kind === 'comment') return kind
  throw error('badRequest', `kind must be one of: ${kinds.join(', ')}`)
}
