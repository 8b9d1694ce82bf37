import { t } from 'elysia'
import type { Deps } from '../../service/deps'
import { type ExportFile, exportFrontHistory, exportSystem } from '../../service/exporting'
import { importFile } from '../../service/importing'
import { importParts } from '../../service/importWork'
import { requireSystem } from '../../service/systems'
import { describe, writeErrors } from '../docs'
import { parameter, parameters, readChoices, readFlag, readList, readWord } from '../query'
import { answerBytes, fileRoutes } from '../viewer'

const TAG = 'Import and export'

/** A whole file as a body: any of the known formats, told apart by its content. */
const file = t.Unsafe<{ bytes: Uint8Array }>({
  ...t.Unknown(),
  type: 'object',
  additionalProperties: true,
  description: 'An export of PluralKit, Tupperbox or Simply Plural, as it is',
})

/** Bringing data in, and taking it away. */
export function transferRoutes(deps: Deps, importLimit: number) {
  return fileRoutes(importLimit)
    .post(
      '/systems/@me/import',
      async ({ viewer, query, body }) => {
        const systemId = requireSystem(viewer)
        const dryRun = readFlag('dry_run', query.dry_run)
        const only = readChoices('only', query.only, importParts)
        const isPublic = readFlag('public', query.public)
        return importFile(deps, body.bytes, { systemId }, { dryRun, only, isPublic })
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
        }),
        detail: describe({
          tag: TAG,
          summary: 'Import a file into the own system',
          answers: { 200: 'ImportReport' },
          errors: [...writeErrors, 'memberLimit', 'groupLimit'],
        }),
      },
    )
    .get(
      '/systems/@me/export',
      async ({ viewer, query }) => {
        const choice = {
          members: readList('members', query.members),
          groups: readList('groups', query.groups),
        }
        const file = await exportSystem(deps, requireSystem(viewer), choice)
        return download(file, 'system.json', 'application/json')
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
        }),
        detail: describe({
          tag: TAG,
          summary: 'Export the own system',
          description: 'A file that PluralKit takes too, with the rest under `multitude`.',
          answers: { 200: t.Object({}, { additionalProperties: true }) },
          errors: [
            'badRequest',
            'unauthorized',
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
      async ({ viewer, query }) => {
        const format = readWord('format', query.format, ['csv', 'ics'])
        const file = await exportFrontHistory(deps, requireSystem(viewer), format)
        return download(file, `front-history.${format}`, types[format])
      },
      {
        query: parameters({
          format: parameter({ type: 'string', enum: ['csv', 'ics'], description: 'csv or ics' }),
        }),
        detail: describe({
          tag: TAG,
          summary: 'Export the front history',
          description: 'One row per unbroken presence of a member.',
          answers: { 200: t.String() },
          types: ['text/csv', 'text/calendar'],
          errors: ['badRequest', 'unauthorized'],
        }),
      },
    )
}

const types = { csv: 'text/csv; charset=utf-8', ics: 'text/calendar; charset=utf-8' }

function download(file: ExportFile, name: string, type: string): Response {
  return answerBytes(file, {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
  })
}
