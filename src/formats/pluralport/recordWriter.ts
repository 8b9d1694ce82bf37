import type { JsonObject } from '../../model/core/entity'
import { formatInstant } from '../../model/core/time'
import { ImportLog } from '../importLog'
import { type ExtSnapshot, type Snapshot, serializeSystem } from '../pluralkit/write'
import { WrittenAssets } from './assets'
import { readField, readValue, writeField, writeValue } from './fields'
import { appNameOut, NAMESPACE } from './format'
import {
  boardPostRecord,
  commentRecord,
  groupExtRecord,
  groupRecord,
  memberExtRecord,
  memberRecord,
  messageRecord,
  noteRecord,
  roomRecord,
  systemRecord,
} from './records'
import { ownRefs, type RecordType, unexpressed } from './recordType'

/** Lists whose rows are records; of front notes, only comments are. */
const recordLists: ReadonlySet<string> = new Set([
  'fields',
  'front_notes',
  'groups',
  'members',
  'notes',
  'posts',
  'rooms',
  'values',
])

/** Modules of the rows that are records by themselves. */
const modules: ReadonlyMap<RecordType, string> = new Map([
  [commentRecord, 'front_comments'],
  [noteRecord, 'notes'],
  [roomRecord, 'chat'],
  [messageRecord, 'chat'],
  [boardPostRecord, 'boards'],
])

/** Converts the rows of one export to records. */
export class RecordWriter {
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
  /** Statuses that other apps can read, because an event has them. */
  readonly #statusesOfEvents = new Set<string>()
  /** Statuses as they are in the list. */
  readonly #statusRows: string[] = []
  readonly #origins = new Map<unknown, JsonObject[]>()
  /** Modules that the file has records of. */
  readonly #modules = new Set(['systems'])
  #hasEvents = false
  #archivedRows = 0

  constructor(readonly snapshot: Snapshot) {
    this.#uuids = new Map(snapshot.members.map(({ hid, uuid }) => [hid, uuid]))
    this.#members = new Set(this.#uuids.values())
  }

  /** Parses the rows of a list of `multitude.ext` one by one, because a list may be long. */
  *rows(name: string): Generator<JsonObject> {
    for (const text of this.#list(name)) yield JSON.parse(text)
  }

  /**
   * Parses the comments on the front, with nothing for each status. A comment has the number of
   * statuses of the same moment before it, because these are in a list of their own.
   */
  *comments(): Generator<JsonObject | undefined> {
    let moment: unknown
    let statuses_before = 0
    for (const row of this.rows('front_notes')) {
      if (row.at !== moment) statuses_before = 0
      moment = row.at
      if (row.kind === 'comment') yield statuses_before === 0 ? row : { ...row, statuses_before }
      else {
        statuses_before++
        yield undefined
      }
    }
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
      const origins = this.#origins.get(row.target)
      if (origins) origins.push(row)
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
    const extension = unexpressed(row, systemRecord.read(record, this.#refs))
    return { ...record, settings: {}, extensions: { [NAMESPACE]: extension } }
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
    const extension = this.#withExt(
      unexpressed(row, memberRecord.read(record, this.#refs)),
      this.#memberExts.has(uuid),
      unexpressed(ext, memberExtRecord.read(record, this.#refs)),
    )
    return { ...record, extensions: { [NAMESPACE]: extension } }
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
    const extension = this.#withExt(
      unexpressed(row, groupRecord.read(record, this.#refs)),
      this.#groupExts.has(uuid),
      unexpressed(ext, groupExtRecord.read(record, this.#refs)),
    )
    return { ...record, extensions: { [NAMESPACE]: extension } }
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
    const extension = unexpressed(
      row,
      readField(record, [], () => undefined),
    )
    return { ...record, extensions: { [NAMESPACE]: extension } }
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
    const extension = unexpressed(row, type.read(record, this.#refs))
    return { ...record, extensions: { [NAMESPACE]: extension } }
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
    const status = `${member} ${at}`
    const note = this.#statuses.get(status) ?? null
    if (note !== null) this.#statusesOfEvents.add(status)
    const front_role = isCustomFront ? 'custom_status' : 'member'
    return { member_id: member, front_role, ...(note !== null && { note }) }
  }

  /** Lists the modules that the file has records of; called after all of them are written. */
  modules(): string[] {
    if (this.#hasEvents) this.#modules.add('front_events')
    if (this.assets.records.length > 0) this.#modules.add('assets')
    return [...this.#modules]
  }

  /** Passes archived rows on and counts them. */
  async *archived(): AsyncGenerator<{ collection: string; rows: readonly string[] }> {
    for await (const piece of this.snapshot.kept) {
      this.#archivedRows += piece.rows.length
      yield piece
    }
  }

  /** Lists what other apps cannot take from the file; called after everything else is written. */
  warnings(rest: ExtSnapshot | null): JsonObject[] {
    const warn = (code: string, record_type: string | null, count: number, message: string) =>
      count > 0 ? [{ level: 'warning', code, record_type, record_id: null, message, count }] : []
    const fields = [...this.fields.values()]
    const lists = [...(rest?.lists ?? [])].filter(([name]) => name !== 'origins')
    return [
      ...warn(
        'asset_uri_only',
        'assets',
        this.assets.records.length,
        'The file has the addresses of pictures, not the pictures.',
      ),
      ...warn(
        'field_type_changed',
        'custom_fields',
        fields.filter(({ type }) => type === 'url').length,
        'Fields of the type url are written as text.',
      ),
      ...warn(
        'extension_only',
        'groups',
        this.snapshot.groups.filter(({ icon }) => icon !== null).length,
        'Only Multitude can read the icons of groups.',
      ),
      ...lists.flatMap(([name, { length }]) =>
        warn(
          'extension_only',
          name,
          name === 'front_notes' ? length - this.#statusesOfEvents.size : length,
          `Only Multitude can read these rows (${name}).`,
        ),
      ),
      ...warn(
        'extension_only',
        null,
        this.#archivedRows,
        'Only Multitude can read the archived rows.',
      ),
    ]
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
        app: appNameOut(app),
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
  #withExt(extension: JsonObject, hasExt: boolean, ext: JsonObject): JsonObject {
    return hasExt ? { ...extension, ext } : extension
  }
}
