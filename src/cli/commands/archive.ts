import { archiveToExt } from '../../serializers/ext'
import { listArchive } from '../../service/transfer/archive/archivedRows'
import { convertArchive } from '../../service/transfer/archive/convertArchive'
import { type Command, columns } from '../command'
import { printable } from '../format'
import { describeReport } from './importReport'
import { resolveSystem } from './resolveSystem'

export const archiveCommands: Command[] = [
  {
    name: 'archive list',
    summary: 'List archived rows of a system',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const collections = await listArchive(call.deps(), viewer)
      const rows = collections.map(({ collection, rows: count, bytes, convertible }) => [
        printable(collection),
        String(count),
        String(bytes),
        convertible > 0 ? 'yes' : 'no',
      ])
      return {
        json: collections.map(archiveToExt),
        text:
          rows.length === 0
            ? 'This system has no archived rows.'
            : columns([['collection', 'rows', 'bytes', 'convertible'], ...rows]),
      }
    },
  },
  {
    name: 'archive convert',
    summary: 'Convert archived rows',
    args: ['SYSTEM'],
    flags: { 'dry-run': { type: 'boolean', doc: 'Show the result without writing anything' } },
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const dryRun = call.flags['dry-run'] === true
      const report = await convertArchive(call.deps(), viewer, { dryRun })
      return { json: report, text: describeReport(report) }
    },
  },
]
