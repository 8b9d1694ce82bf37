import type { JsonObject } from '../../model/core/entity'
import type { Reason } from '../../model/core/reasonMessages'
import { isObject } from '../../model/core/validation'
import {
  MAX_SWITCHES,
  type NamedPart,
  type Origin,
  type ReadOptions,
  type Subject,
  subjectKinds,
  UnreadableFile,
} from '../bundle'
import type { ImportLog } from '../importLog'
import { isSourceId, readRef, readUuid, rejectTooMany } from '../repair'
import { Assets } from './assets'
import { type Entry, isBlank, objectsIn } from './entry'
import { appNameIn, archiveName, NAMESPACE, NAMESPACE_VERSION } from './format'
import { ownExtension, type RecordType, type Refs, restoredRow } from './recordType'

/** State while one file is converted to the form of our own exports. */
export class ReadContext {
  /** Contents of our namespace of the file; null if another app wrote it. */
  readonly own: JsonObject | null
  readonly system: JsonObject | undefined
  readonly assets: Assets
  /** Origins of rows of other apps, by the UUIDs that the rows have while the file is read. */
  readonly origins = new Map<string, Origin | null>()
  readonly members: Entry[]
  readonly groups: Entry[]
  readonly rooms: Entry[]
  readonly messages: Entry[]
  readonly #uuids = new Map<string, Map<string, string>>()
  readonly #givenOrigins = new Set<string>()
  readonly #customFronts: ReadonlySet<string>
  readonly #otherSystems: Set<string>
  readonly #app: string

  constructor(
    readonly file: JsonObject,
    readonly options: ReadOptions,
    readonly log: ImportLog,
  ) {
    this.own = ownOfFile(file)
    const { producer } = file
    const app = isObject(producer) ? producer.app_id : null
    this.#app = isSourceId(app) ? appNameIn(app) : 'pluralport'
    const systems = objectsIn(file.systems)
    this.system = systems.find(({ parent_system_id }) => !parent_system_id) ?? systems[0]
    const others = systems.filter((system) => system !== this.system)
    this.#otherSystems = new Set(others.flatMap(({ id }) => readRef(id) || []))
    this.#otherSystems.delete(readRef(this.system?.id) ?? '')
    for (const other of others) log.archive(archiveName('systems'), other)
    if (others.length > 0) {
      const why = 'other_systems_archived'
      log.repair({ kind: 'file', name: null }, 'systems', systems.length, 1, why)
    }
    this.assets = new Assets(objectsIn(file.assets), log)
    this.members = this.entries('members', 'members')
    this.groups = this.entries('groups', 'groups')
    const chat = isObject(file.chat) ? file.chat : {}
    this.rooms = this.entries('chat.conversations', 'rooms', chat.conversations)
    this.messages = this.entries('chat.messages', 'posts', chat.messages)
    this.#customFronts = new Set(
      this.members.flatMap(({ record, uuid }) => (record.is_custom_front === true ? uuid : [])),
    )
  }

  /**
   * Returns the records of a collection that belong to the system. Those of further systems are
   * archived; values that are no records, and records whose ID is given twice, are reported.
   */
  entries(collection: string, part: NamedPart, list: unknown = this.file[collection]): Entry[] {
    const entries: Entry[] = []
    const uuids = new Map<string, string>()
    this.#uuids.set(collection, uuids)
    const items = Array.isArray(list) ? list : []
    const drop = (count: number, reason: Reason) => {
      const subject: Subject = { kind: subjectKinds[part], name: null }
      if (count > 0) this.log.dropRow(part, subject, part, null, reason, count)
    }
    drop(items.filter((item) => !isObject(item)).length, 'not_object')
    let foreign = 0
    let repeated = 0
    for (const [index, record] of items.entries()) {
      if (!isObject(record)) continue
      const ref = readRef(record.id)
      const id = isSourceId(ref) ? ref : `#${collection} ${index}`
      const isOther = this.#otherSystems.has(readRef(record.system_id) ?? '')
      if (isOther || uuids.has(ref ?? id)) {
        this.log.archive(archiveName(collection), record)
        if (isOther) foreign += 1
        else repeated += 1
        continue
      }
      const uuid = this.newUuid(collection, id, record)
      uuids.set(ref ?? id, uuid)
      entries.push({ record, id, uuid, own: this.own && ownExtension(record) })
      this.#rejectTooMany(collection, entries.length)
    }
    drop(foreign, 'other_system_archived')
    drop(repeated, 'given_twice')
    return entries
  }

  /** Rejects a file that the reader of our own form would reject, before it is converted. */
  #rejectTooMany(collection: string, count: number): void {
    const { maxMembers, maxGroups } = this.options
    if (collection === 'members') rejectTooMany('tooManyMembers', count, maxMembers)
    else if (collection === 'groups') rejectTooMany('tooManyGroups', count, maxGroups)
    else if (collection === 'front_events') rejectTooMany('tooManySwitches', count, MAX_SWITCHES)
  }

  /**
   * Returns the UUID of a row: its ID if we wrote the file, else a temporary one. Rows of other apps
   * are found again by their origin.
   */
  newUuid(collection: string, id: string, record: JsonObject): string {
    const ownUuid = this.own ? readUuid(id) : undefined
    if (ownUuid !== undefined) return ownUuid
    const uuid = crypto.randomUUID()
    this.origins.set(uuid, this.#originOf(collection, id, record))
    return uuid
  }

  /** Returns the first app that a record names as its source, else the app that wrote the file. */
  #originOf(collection: string, id: string, record: JsonObject): Origin | null {
    const refs = objectsIn(record.source_refs).flatMap(({ app, collection, id: sourceId }) => {
      const source = readRef(sourceId)
      return isSourceId(app) && isSourceId(collection) && isSourceId(source)
        ? [{ app: appNameIn(app), collection, id: source }]
        : []
    })
    const origins = [...refs, { app: this.#app, collection, id }].filter((origin) =>
      isSourceId(origin.id),
    )
    const isFree = (origin: Origin) => !this.#givenOrigins.has(JSON.stringify(origin))
    const origin = origins.find(isFree) ?? null
    if (origin) this.#givenOrigins.add(JSON.stringify(origin))
    return origin
  }

  find(collection: string, id: unknown): string | null {
    return this.#uuids.get(collection)?.get(readRef(id) ?? '') ?? null
  }

  /** Returns the UUID of a member, or an unknown reference, which is reported later. */
  memberRef(id: unknown): string | null {
    return this.find('members', id) ?? readRef(id) ?? null
  }

  idsOf(collection: string): ReadonlyMap<string, string> {
    return this.#uuids.get(collection) ?? new Map()
  }

  /** References of the records of one subject, whose pictures are reported under its name. */
  refs(subject: Subject, fields: Readonly<Record<string, string>> = {}): Refs {
    const member = (id: unknown) => this.find('members', id)
    return {
      member,
      writer: (id) => {
        const uuid = member(id)
        return uuid !== null && this.#customFronts.has(uuid) ? null : uuid
      },
      group: (id) => this.find('groups', id),
      room: (id) => this.find('chat.conversations', id),
      message: (id) => this.find('chat.messages', id),
      picture: (id) =>
        this.assets.picture(id, { subject, field: fields[String(id)] ?? 'avatar_url' }),
    }
  }

  /** Converts a record that is a row by itself. */
  rowOf(type: RecordType, { record, uuid, own }: Entry): JsonObject {
    const read = type.read(record, this.refs({ kind: 'file', name: null }))
    return { ...restoredRow(read, own), id: uuid }
  }

  /**
   * Archives the keys of a record that are not imported, unless they are empty; all of them if
   * nothing of the record is imported.
   */
  archiveRest(collection: string, { record }: Entry, imported: readonly string[] | null): void {
    const name = archiveName(collection)
    if (imported === null) {
      this.log.archive(name, record)
      return
    }
    const extensions = isObject(record.extensions)
      ? Object.fromEntries(
          Object.entries(record.extensions).filter(
            ([key, value]) => key !== NAMESPACE && !isBlank(value),
          ),
        )
      : record.extensions
    const rest = Object.entries({ ...record, extensions }).filter(
      ([key, value]) => !imported.includes(key) && !technicalKeys.has(key) && !isBlank(value),
    )
    if (rest.length > 0) this.log.archive(name, { id: record.id, ...Object.fromEntries(rest) })
  }
}

/** Keys that hold nothing that people wrote. */
const technicalKeys: ReadonlySet<string> = new Set([
  'id',
  'system_id',
  'source_refs',
  'sort_order',
  'source_kind',
  'updated_at',
])

function ownOfFile({ extensions }: JsonObject): JsonObject | null {
  const extension = isObject(extensions) ? extensions[NAMESPACE] : undefined
  if (!isObject(extension)) return null
  if (extension.version === NAMESPACE_VERSION) return extension
  const version = typeof extension.version === 'number' ? extension.version : 'of another kind'
  throw new UnreadableFile(
    'broken',
    `extensions.${NAMESPACE} has version ${version}, this server reads ${NAMESPACE_VERSION}`,
  )
}
