import { t } from 'elysia'
import { error } from '../../model/core/errors'
import {
  type ExportPosition,
  formatExportPosition,
  parseExportPosition,
} from '../../model/transfer/exportPosition'
import { allImportParts, exportFormats, exportLists } from '../../model/transfer/transfer'
import { EXAMPLE_MEMBER } from '../../serializers/schema'
import { reportToV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  type ExportFile,
  exportFrontHistory,
  exportSystem,
} from '../../service/transfer/export/export'
import { importLimited } from '../../service/transfer/import/import'
import { arrivalLimits } from '../server/bodyArrival'
import { describe, writeErrors } from '../server/openapi'
import {
  parameter,
  parameters,
  parseEnum,
  parseEnumList,
  parseFlag,
  parseList,
  parsePathId,
  requiredParameter,
  requireSingleValue,
} from '../server/query'
import { respondAndDetach } from '../server/response'
import { type BodyStream, uploadRoutes, waitingClientOf } from '../server/routeGroup'

const TAG = 'Import and export'

/** File as a body, in any known format; the format is detected from the content. */
export const importBody = t.Unsafe<BodyStream>({
  ...t.Unknown(),
  type: 'object',
  additionalProperties: true,
  description:
    'Unmodified export file of PluralKit, Tupperbox or Simply Plural, or a PluralPort file',
  example: {
    version: 2,
    name: 'Lantern Hill',
    members: [{ id: EXAMPLE_MEMBER, name: 'Wren', proxy_tags: [{ prefix: 'w:', suffix: null }] }],
    groups: [],
    switches: [],
  },
})

/** Parameters of every import. */
export const importParameters = {
  dry_run: parameter({
    type: 'boolean',
    description: 'Validate and report without saving anything',
  }),
  only: parameter({
    type: 'string',
    description: `Comma-separated list of parts to import: ${allImportParts.join(', ')}`,
  }),
  public: parameter({
    type: 'boolean',
    description: 'Simply Plural only: make public what all friends could see',
  }),
  private: parameter({
    type: 'boolean',
    description:
      'Make every member and group of the file private, and keep the privacy of the system',
  }),
}

export function parseImportOptions(query: { [K in keyof typeof importParameters]?: unknown }) {
  const options = {
    dryRun: parseFlag('dry_run', query.dry_run),
    only: parseEnumList('only', query.only, allImportParts),
    isPublic: parseFlag('public', query.public),
    isPrivate: parseFlag('private', query.private),
  }
  if (options.isPublic && options.isPrivate)
    throw error('badRequest', 'public and private exclude each other')
  return options
}

/** Imports and exports. */
export function transferRoutes(deps: Deps, importLimit: number) {
  return uploadRoutes(importLimit, arrivalLimits.import)
    .post(
      '/systems/@me/import',
      async ({ viewer, query, body, request }) => {
        const options = { ...parseImportOptions(query), link: parseLink(query.link) }
        const { signal } = request
        return reportToV2(await importLimited(deps, viewer, body.open(), options, signal))
      },
      {
        body: importBody,
        query: parameters({
          ...importParameters,
          link: parameter({
            type: 'string',
            description:
              'For bots with `X-System`: comma-separated list of accounts that the bot has verified. ' +
              'Accounts in both the list and the file are linked; a file alone links none.',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'importSystem',
          summary: 'Import a file',
          description:
            'Send the file unmodified as the body; its format is detected from the content. Call with `dry_run=true` first and show the report to the user. Importing a file again creates no duplicates.',
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
        const format = query.format ?? 'pluralkit'
        const choice = {
          format: parseEnum('format', format, exportFormats),
          members: parseList('members', query.members),
          groups: parseList('groups', query.groups),
          with: parseEnumList('with', query.with, exportLists),
        }
        const at = parsePart(query.part, query.from)
        const client = waitingClientOf(request)
        const { file, next } = await exportSystem(deps, viewer, choice, at, client)
        const name = choice.format === 'pluralport' ? 'pluralport.json' : 'system.json'
        const response = await download(request, file, name, 'application/json')
        if (next) response.headers.set('link', `<${linkTo(next, request.url)}>; rel="next"`)
        return response
      },
      {
        query: parameters({
          format: parameter({
            type: 'string',
            enum: [...exportFormats],
            description:
              'Format of the file: `pluralkit` (default), or `pluralport`, which other apps read',
          }),
          members: parameter({
            type: 'string',
            description: 'Comma-separated list of members to export',
          }),
          with: parameter({
            type: 'string',
            description: `For a partial export: comma-separated list of what to include of the whole system: ${exportLists.join(', ')}`,
          }),
          groups: parameter({
            type: 'string',
            description: 'Comma-separated list of groups to export, with their members',
          }),
          part: parameter({
            type: 'integer',
            minimum: 1,
            description:
              'Part of a history of more than 100,000 switches (20,000 with `format=pluralport`), newest first',
          }),
          from: parameter({
            type: 'string',
            description:
              'Where the part begins, from the link to it. Without it, the server reads all parts before it, too.',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'exportSystem',
          summary: 'Export your system',
          description:
            'Returns a file that PluralKit can import too; additional data is under `multitude`. A ' +
            'history of more than 100,000 switches is split into parts, each a complete file. While ' +
            'more parts follow, the `Link` header refers to the next one. With `format=pluralport`, the ' +
            'file follows draft 0.1 of PluralPort, and additional data is under `extensions`.',
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
            description: 'File format',
            example: 'csv',
          }),
        }),
        detail: describe({
          tag: TAG,
          id: 'exportFrontHistory',
          summary: 'Export the front history',
          description:
            'Returns one row per stint of a member, as a table (`csv`) or a calendar (`ics`).',
          requiresAuth: true,
          responses: { 200: t.String() },
          types: ['text/csv', 'text/calendar'],
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
}

/** Parses the accounts that a bot has verified. */
function parseLink(value: unknown): ReadonlySet<string> {
  const accounts = parseList('link', value) ?? []
  return new Set(accounts.map((id) => parsePathId('link', id)))
}

/** Parses the number of a part, or its position if the request has that. */
function parsePart(value: unknown, from: unknown): number | ExportPosition {
  if (value !== undefined && (typeof value !== 'string' || !/^[1-9]\d{0,4}$/.test(value)))
    throw error('badRequest', 'part must be a whole number, 1 or more')
  const part = Number(value ?? 1)
  const text = requireSingleValue('from', from)
  if (text === undefined) return part
  const position = parseExportPosition(part, text)
  if (!position) throw error('badRequest', 'from must be that of the link to a part')
  return position
}

/** URL of the next part; relative, because the server may not know its public address. */
function linkTo(next: ExportPosition, url: string): string {
  const { searchParams } = new URL(url)
  searchParams.set('part', String(next.part))
  searchParams.set('from', formatExportPosition(next))
  return `export?${searchParams}`
}

const types = { csv: 'text/csv; charset=utf-8', ics: 'text/calendar; charset=utf-8' }

function download(request: Request, file: ExportFile, name: string, type: string) {
  return respondAndDetach(request, file, () => ({
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
  }))
}
