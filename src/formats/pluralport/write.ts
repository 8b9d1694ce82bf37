import type { JsonObject } from '../../model/entity'
import { formatInstant } from '../../model/time'
import { ImportLog } from '../importLog'
import {
  type ExtSnapshot,
  list,
  type Snapshot,
  serializeConfig,
  serializeExtras,
  serializeGroup,
  serializeMember,
  serializeSystem,
  writeArchived,
  writeExt,
} from '../pluralkit/write'
import { WrittenAssets } from './assets'
import { readField, readValue, writeField, writeValue } from './fields'
import { NAMESPACE, NAMESPACE_VERSION, PLURALPORT_VERSION } from './format'
import {
  boardPostRecord,
  commentRecord,
  groupExtRecord,
  groupRecord,
  memberExtRecord,
  memberRecord,
  messageRecord,
  noteRecord,
  ownRefs,
  type RecordType,
  roomRecord,
  systemRecord,
  unexpressed,
} from './records'

/**
 * Writes a PluralPort file in chunks. What the format has no place for is under our namespace: of a
 * record, the keys that reading it would not restore; of the file, lists without a counterpart.
 */
export async function* writePluralport(snapshot: Snapshot): AsyncGenerator<string> {
  const writing = new Writing(snapshot)
  yield* writing.prepare()
  const head = {
    pluralport_version: PLURALPORT_VERSION,
    exported_at: formatInstant(snapshot.exportedAt),
    producer: { app: 'Multitude', exporter_version: PLURALPORT_VERSION },
    systems: [writing.system()],
  }
  yield JSON.stringify(head).slice(0, -1)
  yield ','
  yield* list('members', snapshot.members, (row) => writing.member(serializeMember(row)))
  yield ','
  yield* list('groups', snapshot.groups, (row) => writing.group(serializeGroup(row)))
  yield ','
  yield* list('group_memberships', writing.memberships(), (row) => row)
  yield ',"taxonomy_terms":[],"taxonomy_assignments":[],'
  yield* list('custom_fields', writing.fields.values(), (row) => writing.field(row))
  yield ','
  yield* list('custom_field_values', writing.rows('values'), (row) => writing.value(row))
  yield ',"front_periods":[],"front_events":['
  yield* writing.events()
  yield '],'
  yield* list('front_comments', writing.rows('front_notes'), (row) =>
    row.kind === 'comment' ? writing.row(commentRecord, row) : undefined,
  )
  yield ','
  yield* list('notes', writing.rows('notes'), (row) => writing.row(noteRecord, row))
  yield ',"chat":{'
  yield* list('conversations', writing.rows('rooms'), (row) => writing.row(roomRecord, row))
  yield ','
  yield* list('messages', writing.rows('posts'), (row) =>
    row.room === null ? undefined : writing.row(messageRecord, row),
  )
  yield ',"attachments":[],"reactions":[]},"boards":{'
  yield* list('posts', writing.rows('posts'), (row) =>
    row.room === null ? writing.row(boardPostRecord, row) : undefined,
  )
  yield '},'
  yield* list('assets', writing.assets.records, (row) => row)
  const rest = writing.rest()
  yield `,"capabilities":${JSON.stringify({ modules: writing.modules() })}`
  yield `,"warnings":${JSON.stringify(writing.warnings(rest))}`
  yield `,"extensions":{${JSON.stringify(NAMESPACE)}:`
  yield* writeOwn(snapshot, rest)
  yield '}}'
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

/** Lists whose rows are records; of front notes, only comments are. */
const recordLists: ReadonlySet<string> = new Set([
  'members',
  'groups',
  'fields',
  'values',
  'front_notes',
  'notes',
  'rooms',
  'posts',
])

/** Modules of the rows that are records by themselves. */
const modules: ReadonlyMap<RecordType, string> = new Map([
  [commentRecord, 'front_comments'],
  [noteRecord, 'notes'],
  [roomRecord, 'chat'],
  [messageRecord, 'chat'],
  [boardPostRecord, 'boards'],
])

/** State while one file is written. */
class Writing {
  readonly assets = new WrittenAssets()
  readonly fields = new Map<unknown, JsonObject>()
  readonly #refs = ownRefs(this.assets.addresses)
  readonly #log = new ImportLog()
  /** UUIDs of members by their short IDs. */
  readonly #uuids: ReadonlyMap<string, string>
  readonly #members: ReadonlySet<unknown>
  readonly #memberExts = new Map<unknown, JsonObject>()
  readonly #groupExts = new Map<unknown, JsonObject>()
  /** Texts of statuses by member and time. */
  readonly #statuses = new Map<string, unknown>()
  /** Statuses as they are in the list. */
  readonly #statusRows: string[] = []
  readonly #origins = new Map<unknown, JsonObject[]>()
  /** Modules that the file has records of. */
  readonly #modules = new Set(['systems'])
  #hasEvents = false

  constructor(readonly snapshot: Snapshot) {
    this.#uuids = new Map(snapshot.members.map(({ hid, uuid }) => [hid, uuid]))
    this.#members = new Set(this.#uuids.values())
  }

  /** Parses the rows of a list of `multitude.ext` one by one, because a list may be long. */
  *rows(name: string): Generator<JsonObject> {
    for (const text of this.#list(name)) yield JSON.parse(text)
  }

  #list(name: string): readonly string[] {
    return this.snapshot.ext?.lists.get(name) ?? []
  }

  /**
   * Reads what records of other lists contain, before anything is written. The pieces are empty:
   * other requests are answered between them.
   */
  *prepare(): Generator<''> {
    for (const row of this.rows('members')) {
      this.#memberExts.set(row.member, row)
      yield ''
    }
    for (const row of this.rows('groups')) this.#groupExts.set(row.group, row)
    for (const row of this.rows('fields')) this.fields.set(row.id, row)
    for (const text of this.#list('front_notes')) {
      const { kind, member, at, text: status }: JsonObject = JSON.parse(text)
      if (kind === 'status') {
        this.#statuses.set(`${member} ${at}`, status)
        this.#statusRows.push(text)
      }
      yield ''
    }
    for (const row of this.rows('origins')) {
      const known = this.#origins.get(row.target)
      if (known) known.push(row)
      else this.#origins.set(row.target, [row])
      yield ''
    }
  }

  /** Returns what has no records: lists without a counterpart, and statuses with their times. */
  rest(): ExtSnapshot | null {
    const { ext } = this.snapshot
    if (!ext) return null
    const lists = new Map([...ext.lists].filter(([name]) => !recordLists.has(name)))
    lists.set('front_notes', this.#statusRows)
    return { head: ext.head, lists: new Map([...lists].filter(([, rows]) => rows.length > 0)) }
  }

  system(): JsonObject {
    const { uuid, webhook_url: _, ...row } = serializeSystem(this.snapshot.system)
    const record = {
      ...this.#identity(uuid),
      ...systemRecord.write(row),
      ...this.#pictures(String(uuid), row),
    }
    const own = unexpressed(row, systemRecord.read(record, this.#refs))
    return { ...record, settings: {}, extensions: { [NAMESPACE]: own } }
  }

  member({ uuid, ...row }: JsonObject): JsonObject {
    this.#modules.add('members')
    const { member: _, ...ext }: JsonObject = this.#memberExts.get(uuid) ?? {}
    const record = {
      ...this.#identity(uuid),
      system_id: this.#systemId,
      ...memberRecord.write(row),
      ...memberExtRecord.write(ext),
      ...this.#pictures(String(uuid), row),
    }
    const own = this.#withExt(
      unexpressed(row, memberRecord.read(record, this.#refs)),
      this.#memberExts.has(uuid),
      unexpressed(ext, memberExtRecord.read(record, this.#refs)),
    )
    return { ...record, extensions: { [NAMESPACE]: own } }
  }

  group({ uuid, ...row }: JsonObject): JsonObject {
    this.#modules.add('groups')
    const { group: _, ...ext }: JsonObject = this.#groupExts.get(uuid) ?? {}
    const record = {
      ...this.#identity(uuid),
      system_id: this.#systemId,
      ...groupRecord.write(row),
      ...groupExtRecord.write({ parent: null, emoji: null, position: 0, ...ext }),
    }
    const own = this.#withExt(
      unexpressed(row, groupRecord.read(record, this.#refs)),
      this.#groupExts.has(uuid),
      unexpressed(ext, groupExtRecord.read(record, this.#refs)),
    )
    return { ...record, extensions: { [NAMESPACE]: own } }
  }

  *memberships(): Generator<JsonObject> {
    for (const { uuid: group, members } of this.snapshot.groups)
      for (const hid of members) {
        const member = this.#uuids.get(hid)
        yield { id: `${group}:${member}`, group_id: group, member_id: member }
      }
  }

  field({ id, ...row }: JsonObject): JsonObject {
    this.#modules.add('custom_fields')
    const record = { ...this.#identity(id), system_id: this.#systemId, ...writeField(row) }
    const own = unexpressed(
      row,
      readField(record, [], () => undefined),
    )
    return { ...record, extensions: { [NAMESPACE]: own } }
  }

  value({ member, field: id, value }: JsonObject): JsonObject {
    const field = this.fields.get(id) ?? {}
    const written = writeValue(field, value)
    const restored = readValue(field, written, { kind: 'field', name: null }, this.#log)
    return {
      id: `${member}:${id}`,
      field_id: id,
      subject_type: 'member',
      subject_id: member,
      value: written,
      extensions: { [NAMESPACE]: unexpressed({ value }, { value: restored }) },
    }
  }

  /** Writes a row that is a record by itself. */
  row(type: RecordType, { id, ...row }: JsonObject): JsonObject {
    this.#modules.add(modules.get(type) ?? '')
    const hasSystem = type !== messageRecord
    const record = {
      ...this.#identity(id),
      ...(hasSystem && { system_id: this.#systemId }),
      ...this.#withoutUnknown(type.write(row)),
    }
    const own = unexpressed(row, type.read(record, this.#refs))
    return { ...record, extensions: { [NAMESPACE]: own } }
  }

  /** Removes references to members that a partial export does not have. */
  #withoutUnknown(record: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(record).map(([key, value]) =>
        key.endsWith('member_id') && !this.#members.has(value) ? [key, null] : [key, value],
      ),
    )
  }

  async *events(): AsyncGenerator<string> {
    for await (const page of this.snapshot.switches) {
      const records = page.map(({ uuid, timestamp, members }) => {
        const at = formatInstant(timestamp)
        const assignments = members.map((hid) => this.#assignment(hid, at))
        return JSON.stringify({ id: uuid, system_id: this.#systemId, at, assignments })
      })
      if (records.length === 0) continue
      yield `${this.#hasEvents ? ',' : ''}${records.join()}`
      this.#hasEvents = true
    }
  }

  #assignment(hid: string, at: string): JsonObject {
    const member = this.#uuids.get(hid)
    const isCustomFront = this.#memberExts.get(member)?.kind === 'custom_front'
    const note = this.#statuses.get(`${member} ${at}`) ?? null
    const front_role = isCustomFront ? 'custom_status' : 'member'
    return { member_id: member, front_role, ...(note !== null && { note }) }
  }

  /** Lists the modules that the file has records of; called after all of them are written. */
  modules(): string[] {
    if (this.#hasEvents) this.#modules.add('front_events')
    if (this.assets.records.length > 0) this.#modules.add('assets')
    return [...this.#modules]
  }

  /** Lists what other apps cannot take from the file. */
  warnings(rest: ExtSnapshot | null): JsonObject[] {
    const warnings: JsonObject[] = []
    const pictures = this.assets.records.length
    if (pictures > 0)
      warnings.push({
        level: 'warning',
        code: 'asset_uri_only',
        record_type: 'assets',
        record_id: null,
        message: 'The file has the addresses of pictures, not the pictures.',
        count: pictures,
      })
    for (const [name, rows] of rest?.lists ?? [])
      if (name !== 'origins')
        warnings.push({
          level: 'warning',
          code: 'extension_only',
          record_type: name,
          record_id: null,
          message: `Only Multitude can read these rows (${name}).`,
          count: rows.length,
        })
    return warnings
  }

  get #systemId(): string {
    return this.snapshot.system.uuid
  }

  /** Returns the ID of a record, with its IDs in apps that it was imported from. */
  #identity(uuid: unknown): JsonObject {
    const sources = this.#origins.get(uuid) ?? []
    return {
      id: uuid,
      source_refs: sources.map(({ app, collection, id }) => ({
        app: app === 'simplyplural' ? 'simply_plural' : app,
        collection,
        id,
      })),
    }
  }

  #pictures(owner: string, { avatar_url, banner }: JsonObject): JsonObject {
    return {
      avatar_asset_id: this.assets.add(owner, 'avatar', avatar_url),
      banner_asset_id: this.assets.add(owner, 'banner', banner),
    }
  }

  /** Adds what is missing of the row of the extension API; it is present if there is such a row. */
  #withExt(own: JsonObject, hasExt: boolean, ext: JsonObject): JsonObject {
    return hasExt ? { ...own, ext } : own
  }
}
