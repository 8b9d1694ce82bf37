import { t } from 'elysia'
import { error } from '../../model/core/errors'
import { archivePageToExt, archiveToExt } from '../../serializers/ext'
import { reportToV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  deleteArchive,
  listArchive,
  readArchive,
} from '../../service/transfer/archive/archivedRows'
import { convertLimited } from '../../service/transfer/archive/convertArchive'
import { describe, ownReadErrors, ownWriteErrors } from '../server/openapi'
import { parameter, parameters, parseFlag, parseLimit, requireSingleValue } from '../server/query'
import { routes } from '../server/routeGroup'
import { importParameters } from '../v2/transfer'

const TAG = 'Import and export'

const collectionParams = t.Object({
  collection: t.String({ description: 'Name of the collection' }),
})

/** Archived rows: what imported files held and Multitude has no objects for. */
export function archiveRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/@me/archive',
      async ({ viewer }) => (await listArchive(deps, viewer)).map(archiveToExt),
      {
        detail: describe({
          tag: TAG,
          id: 'listArchive',
          summary: 'List archived collections',
          description:
            'Rows of imported files that have no counterpart here are archived by collection.',
          requiresAuth: true,
          responses: { 200: ['ArchivedCollection'] },
          errors: ownReadErrors,
        }),
      },
    )
    .get(
      '/systems/@me/archive/:collection',
      async ({ viewer, params, query }) => {
        const page = { after: parseAfter(query.after), limit: parseLimit(query.limit, 100, 1_000) }
        return archivePageToExt(await readArchive(deps, viewer, params.collection, page))
      },
      {
        params: collectionParams,
        query: parameters({
          limit: parameter({
            type: 'integer',
            description: 'Number of rows: 100 by default, at most 1,000',
          }),
          after: parameter({ type: 'string', description: '`next` of the page before' }),
        }),
        detail: describe({
          tag: TAG,
          id: 'readArchive',
          summary: 'Read archived rows',
          description:
            'Returns the rows of a collection as they were in the file, oldest first. A page ends before 4 MiB.',
          requiresAuth: true,
          responses: { 200: 'ArchivePage' },
          errors: [...ownReadErrors, 'archiveNotFound'],
        }),
      },
    )
    .delete(
      '/systems/@me/archive/:collection',
      async ({ viewer, params, set }) => {
        await deleteArchive(deps, viewer, params.collection)
        set.status = 204
      },
      {
        params: collectionParams,
        detail: describe({
          tag: TAG,
          id: 'deleteArchive',
          summary: 'Delete archived rows',
          description: 'Permanently deletes all rows of a collection.',
          responses: { 204: null },
          errors: [...ownWriteErrors, 'archiveNotFound'],
        }),
      },
    )
    .post(
      '/systems/@me/archive/convert',
      async ({ viewer, query, request }) => {
        const options = { dryRun: parseFlag('dry_run', query.dry_run) }
        return reportToV2(await convertLimited(deps, viewer, options, request.signal))
      },
      {
        query: parameters({ dry_run: importParameters.dry_run }),
        detail: describe({
          tag: TAG,
          id: 'convertArchive',
          summary: 'Convert archived rows',
          description:
            'Turns archived rows of Simply Plural into notes, posts, polls and the other objects of this API. Call with `dry_run=true` first and show the report to the user. Converted rows leave the archive; rows whose member cannot be found stay. Converting again changes nothing.',
          responses: { 200: 'ImportReport' },
          errors: [...ownWriteErrors, 'conflict', 'tooManyRequests'],
        }),
      },
    )
}

function parseAfter(value: unknown): number {
  const text = requireSingleValue('after', value) ?? '0'
  if (!/^\d{1,15}$/.test(text)) throw error('badRequest', 'after must be the next of a page')
  return Number(text)
}
