import { formatInstant } from '../../model/core/time'
import {
  type ExtSnapshot,
  list,
  type Snapshot,
  serializeConfig,
  serializeExtras,
  serializeGroup,
  serializeMember,
  writeArchived,
  writeExt,
} from '../pluralkit/write'
import { NAMESPACE, NAMESPACE_VERSION, PLURALPORT_VERSION } from './format'
import { boardPostRecord, commentRecord, messageRecord, noteRecord, roomRecord } from './records'
import { RecordWriter } from './recordWriter'

/**
 * Writes a PluralPort file in chunks. What the format has no place for is under our namespace: of a
 * record, the keys that reading it would not restore; of the file, lists without a counterpart.
 */
export async function* writePluralport(snapshot: Snapshot): AsyncGenerator<string> {
  const writer = new RecordWriter(snapshot)
  yield* writer.prepare()
  const head = {
    pluralport_version: PLURALPORT_VERSION,
    exported_at: formatInstant(snapshot.exportedAt),
    producer: { app: 'Multitude', exporter_version: PLURALPORT_VERSION },
    systems: [writer.system()],
  }
  yield JSON.stringify(head).slice(0, -1)
  yield ','
  yield* list('members', snapshot.members, (row) => writer.member(serializeMember(row)))
  yield ','
  yield* list('groups', snapshot.groups, (row) => writer.group(serializeGroup(row)))
  yield ','
  yield* list('group_memberships', writer.memberships(), (row) => row)
  yield ',"taxonomy_terms":[],"taxonomy_assignments":[],'
  yield* list('custom_fields', writer.fields.values(), (row) => writer.field(row))
  yield ','
  yield* list('custom_field_values', writer.rows('values'), (row) => writer.value(row))
  yield ',"front_periods":[],"front_events":['
  yield* writer.events()
  yield '],'
  yield* list('front_comments', writer.comments(), (row) => row && writer.row(commentRecord, row))
  yield ','
  yield* list('notes', writer.rows('notes'), (row) => writer.row(noteRecord, row))
  yield ',"chat":{'
  yield* list('conversations', writer.rows('rooms'), (row) => writer.row(roomRecord, row))
  yield ','
  yield* list('messages', writer.rows('posts'), (row) =>
    row.room === null ? undefined : writer.row(messageRecord, row),
  )
  yield ',"attachments":[],"reactions":[]},"boards":{'
  yield* list('posts', writer.rows('posts'), (row) =>
    row.room === null ? writer.row(boardPostRecord, row) : undefined,
  )
  yield '},'
  yield* list('assets', writer.assets.records, (row) => row)
  const rest = writer.rest()
  yield `,"capabilities":${JSON.stringify({ modules: writer.modules() })}`
  yield `,"extensions":{${JSON.stringify(NAMESPACE)}:`
  yield* writeOwn({ ...snapshot, kept: writer.archived() }, rest)
  // At the end, when everything has been counted.
  yield `},"warnings":${JSON.stringify(writer.warnings(rest))}}`
}

/** Writes what no record has. */
async function* writeOwn(snapshot: Snapshot, ext: ExtSnapshot | null): AsyncGenerator<string> {
  const head = {
    version: NAMESPACE_VERSION,
    config: serializeConfig(snapshot),
    ...serializeExtras(snapshot),
  }
  yield `${JSON.stringify(head).slice(0, -1)},"kept":`
  yield* writeArchived(snapshot)
  if (ext) {
    yield ',"ext":'
    yield* writeExt(ext)
  }
  yield '}'
}
