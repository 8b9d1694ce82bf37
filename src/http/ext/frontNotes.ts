import { error } from '../../model/core/errors'
import type { Redacted } from '../../model/core/privacy'
import { type FrontNote, frontNote, patchedFrontNote } from '../../model/front/frontNote'
import { bodySchema } from '../../serializers/schema'
import { draftFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  createFrontNote,
  deleteFrontNote,
  listFrontNotes,
  patchFrontNote,
} from '../../service/front/frontNotes'
import { describe, memberRefErrors, ownWriteErrors } from '../server/openapi'
import { parameter, parseText, parseTime } from '../server/query'
import { type OwnedListing, ownedRoutes, parsePage, serializerOf } from './ownedRoutes'

const kinds: readonly string[] = frontNote.fields.kind.choices ?? []

const listPath = 'systems/@me/front/notes'

const serialize = serializerOf('front_notes')

const listing: OwnedListing<Redacted<typeof frontNote>> = {
  isPaged: true,
  filters: {
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
  },
  read(deps, viewer, query) {
    const filter = {
      member: parseText('member', query.member),
      kind: parseKind(query.kind),
      since: parseTime('since', query.since),
      until: parseTime('until', query.until),
    }
    return listFrontNotes(deps, viewer, filter, parsePage(query))
  },
  serialize,
  summary: 'List status texts and comments',
  description: 'Newest first, by `at`.',
  errors: memberRefErrors,
}

/** Status texts and comments. */
export function frontNoteRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'front_notes',
    patchEntity: patchedFrontNote,
    listPath,
    tag: 'Switches',
    errors: memberRefErrors,
    docs: {
      patch: 'Changes only the given keys. A change of the text sets `edited`.',
      delete: 'Permanently deletes the status or comment.',
    },
    operations: { patch: patchFrontNote, delete: deleteFrontNote },
    serialize,
    listing,
  }).post(
    `/${listPath}`,
    async ({ viewer, body, set }) => {
      const draft = draftFromV2(frontNote, body)
      const { note, isNew } = await createFrontNote(deps, viewer, draft)
      if (isNew) set.status = 201
      return serialize(note)
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
        errors: [...ownWriteErrors, 'invalidBody', 'limitReached', ...memberRefErrors],
      }),
    },
  )
}

function parseKind(value: unknown): FrontNote['kind'] | null {
  const kind = parseText('kind', value)
  if (kind === null || kind === 'status' || kind === 'comment') return kind
  throw error('badRequest', `kind must be one of: ${kinds.join(', ')}`)
}
