import { t } from 'elysia'
import { error } from '../../model/errors'
import { importParts } from '../../model/transfer'
import { EXAMPLE_MEMBER } from '../../serializers/schema'
import { reportToV2 } from '../../serializers/v2'
import type { Deps } from '../../service/deps'
import { type ExportFile, exportFrontHistory, exportSystem } from '../../service/transfer/export'
import { importLimited } from '../../service/transfer/import'
import type { BodyStream } from '../body'
import { waitingClientOf } from '../context'
import { describe, writeErrors } from '../openapi'
import {
  parameter,
  parameters,
  parseEnum,
  parseEnumList,
  parseFlag,
  parseList,
  parsePathId,
  requiredParameter,
} from '../query'
import { respondWithBytes } from '../response'
import { uploadRoutes } from '../routeGroup'

const TAG = 'Import and export'

/** A whole file as a body: any of the known formats, told apart by its content. */
const file = t.Unsafe<BodyStream>({
  ...t.Unknown(),
  type: 'object',
  additionalProperties: true,
  description: 'An export of PluralKit, Tupperbox or Simply Plural, as it is',
  example: {
    version: 2,
    name: 'Lantern Hill',
    members: [{ id: EXAMPLE_MEMBER, name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: null }] }],
    groups: [],
    switches: [],
  },
})

/** Bringing data in, and taking it away. */
export function transferRoutes(deps: Deps, importLimit: number) {
  return uploadRoutes(importLimit)
    .post(
      '/systems/@me/import',
      async ({ viewer, query, body, request }) => {
        const options = {
          dryRun: parseFlag('dry_run', query.dry_run),
          only: parseEnumList('only', query.only, importParts),
          isPublic: parseFlag('public', query.public),
          link: parseLink(query.link),
        }
        const { signal } = request
        return reportToV2(await importLimited(deps, viewer, body.open(), options, signal))
      },
      {
        body: file,
        query: parameters({
          dry_run: parameter({ type: 'boolean', description: 'Do everything but the write' }),
          only: parameter({
            type: 'string',
            description: `Only these of ${importParts.join(', ')}, with commas between`,
          }),
          public: parameter({
            type: 'boolean',
            description: 'Simply Plural: what all friends could see becomes public',
          }),
          link: parameter({
            type: 'string',
            description:
              'For bots with X-System: accounts that the bot vouches for, with commas between. ' +
              'Those of them that the file names are linked; a file alone links none.',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'importSystem',
          summary: 'Import a file into the own system',
          description:
            'Send the file as it is; the format is told by its content. Ask with `dry_run=true` first and show the report. Imported twice, nothing is there twice.',
          responses: { 200: 'ImportReport' },
          errors: [
            ...writeErrors,
            'forbidden',
            'conflict',
            'memberLimit',
            'groupLimit',
            'tooManyRequests',
          ],
        }),
      },
    )
    .get(
      '/systems/@me/export',
      async ({ viewer, query, request }) => {
        const choice = {
          members: parseList('members', query.members),
          groups: parseList('groups', query.groups),
        }
        const part = parsePart(query.part)
        const client = waitingClientOf(request)
        const { file, hasMore } = await exportSystem(deps, viewer, choice, part, client)
        const response = download(request, file, 'system.json', 'application/json')
        if (hasMore) response.headers.set('link', `<${nextPart(request.url, part)}>; rel="next"`)
        return response
      },
      {
        query: parameters({
          members: parameter({
            type: 'string',
            description: 'Only these members, with commas between',
          }),
          groups: parameter({
            type: 'string',
            description: 'Only these groups with their members, with commas between',
          }),
          part: parameter({
            type: 'integer',
            minimum: 1,
            description: 'Which part of a history of more than 100,000 switches, the newest first',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'exportSystem',
          summary: 'Export the own system',
          description:
            'A file that PluralKit takes too, with the rest under `multitude`. A history of more ' +
            'than 100,000 switches comes in parts, each a file of its own: while more follow, ' +
            '`Link` names the next.',
          requiresAuth: true,
          responses: { 200: t.Object({}, { additionalProperties: true }) },
          errors: [
            'badRequest',
            'unauthorized',
            'notFound',
            'memberRefNotFound',
            'groupRefNotFound',
            'notYourMemberRef',
            'notYourGroupRef',
          ],
        }),
      },
    )
    .get(
      '/systems/@me/export/front-history',
      async ({ viewer, query, request }) => {
        const format = parseEnum('format', query.format, ['csv', 'ics'])
        const client = waitingClientOf(request)
        const file = await exportFrontHistory(deps, viewer, format, client)
        return download(request, file, `front-history.${format}`, types[format])
      },
      {
        query: parameters({
          format: requiredParameter({
            type: 'string',
            enum: ['csv', 'ics'],
            description: 'csv or ics',
            example: 'csv',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'exportFrontHistory',
          summary: 'Export the front history',
          description:
            'One row per unbroken presence of a member: a table (`csv`) or a calendar (`ics`).',
          requiresAuth: true,
          responses: { 200: t.String() },
          types: ['text/csv', 'text/calendar'],
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
}

/** The accounts that a bot vouches for. */
function parseLink(given: unknown): ReadonlySet<string> {
  const named = parseList('link', given) ?? []
  return new Set(named.map((id) => parsePathId('link', id)))
}

function parsePart(given: unknown): number {
  if (given === undefined) return 1
  if (typeof given !== 'string' || !/^[1-9]\d{0,4}$/.test(given))
    throw error('badRequest', 'part must be a whole number, 1 or more')
  return Number(given)
}

/** Relative, because only a proxy knows under which address it is reached. */
function nextPart(url: string, part: number): string {
  const { searchParams } = new URL(url)
  searchParams.set('part', String(part + 1))
  return `export?${searchParams}`
}

const types = { csv: 'text/csv; charset=utf-8', ics: 'text/calendar; charset=utf-8' }

function download(request: Request, file: ExportFile, name: string, type: string): Response {
  return respondWithBytes(request, file, {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
  })
}
