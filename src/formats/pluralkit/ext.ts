import { type Entity, isEmptyPatch, type JsonObject, type Row } from '../../model/core/entity'
import type { Reason } from '../../model/core/reasonMessages'
import { isUuid } from '../../model/core/ref'
import { isObject, Problem } from '../../model/core/validation'
import { groupExt } from '../../model/groups/groupExt'
import { note } from '../../model/journal/note'
import { vote } from '../../model/journal/poll'
import type { CustomFieldDraft } from '../../model/members/customField'
import { parseValue } from '../../model/members/fieldValue'
import { memberExt } from '../../model/members/memberExt'
import { type OwnedList, ownedKinds, type ReferenceTo } from '../../model/ownedKinds'
import { reminder, validateReminder } from '../../model/reminders/reminder'
import { extSettings } from '../../model/systems/extSettings'
import { type ExtPart, extParts } from '../../model/transfer/transfer'
import {
  type Bundle,
  type BundleBucketContents,
  type BundleExtRow,
  type BundleGroup,
  type BundleMember,
  emptyBundle,
  type Subject,
  UnreadableFile,
} from '../bundle'
import { newestFirst } from '../extRows'
import type { ImportLog } from '../importLog'
import { isSourceId, readUuid, repairFields } from '../repair'

/** Version of the key `multitude.ext` that this program writes and reads. */
export const EXT_VERSION = 1

/** Parses what the extension API adds to a system, from our own exports. */
export function readExt(
  { ext }: JsonObject,
  members: readonly BundleMember[],
  groups: readonly BundleGroup[],
  log: ImportLog,
): Pick<Bundle, 'ext' | 'extSettings' | 'origins'> {
  const empty = emptyBundle('pluralkit')
  if (ext === undefined) return { ext: empty.ext, origins: [] }
  if (!isObject(ext)) throw new UnreadableFile('broken', '"multitude.ext" is not an object.')
  if (ext.version !== EXT_VERSION) {
    const version = typeof ext.version === 'number' ? ext.version : 'of another kind'
    throw new UnreadableFile(
      'broken',
      `multitude.ext has version ${version}, this server reads ${EXT_VERSION}`,
    )
  }
  requireLists(ext)
  const reader = new ExtReader(ext, log, members, groups)
  reader.readEntities()
  reader.readRows()
  return {
    ext: reader.ext,
    ...(isObject(ext.settings) && {
      extSettings: repairFields(extSettings, ext.settings, { kind: 'settings', name: null }, log),
    }),
    origins: readOrigins(ext.origins),
  }
}

/** Throws if values that should be lists are none; the message names all of them. */
function requireLists(ext: JsonObject): void {
  const names = ['members', 'groups', 'origins', ...extParts]
  const wrong = names.filter((name) => !Array.isArray(ext[name] ?? []))
  if (wrong.length === 0) return
  const problems = wrong.map((name) => `"multitude.ext.${name}" is not a list.`)
  throw new UnreadableFile('broken', problems.join(' '))
}

/** State while the key is parsed. */
class ExtReader {
  readonly ext: Bundle['ext'] = emptyBundle('pluralkit').ext
  readonly #members: ReadonlyMap<string, BundleMember>
  readonly #groups: ReadonlyMap<string, BundleGroup>

  constructor(
    readonly file: JsonObject,
    readonly log: ImportLog,
    members: readonly BundleMember[],
    groups: readonly BundleGroup[],
  ) {
    this.#members = new Map(members.flatMap((row) => (row.uuid ? [[row.uuid, row]] : [])))
    this.#groups = new Map(groups.flatMap((row) => (row.uuid ? [[row.uuid, row]] : [])))
  }

  /** Adds what members and groups have to the members and groups of the file. */
  readEntities(): void {
    for (const row of this.#objects('members')) {
      const owner = this.#members.get(String(row.member))
      if (!owner) continue
      const subject: Subject = { kind: 'member', name: owner.values.name }
      owner.ext = repairFields(memberExt, row, subject, this.log)
    }
    for (const row of this.#objects('groups')) {
      const owner = this.#groups.get(String(row.group))
      if (!owner) continue
      const subject: Subject = { kind: 'group', name: owner.values.name }
      const { parent: _, ...values } = repairFields(groupExt, row, subject, this.log)
      owner.ext = { ...values, parent: this.#groups.get(String(row.parent))?.key ?? null }
    }
  }

  readRows(): void {
    for (const part of extParts)
      if (part === 'values') this.#readValues()
      // Polls have their votes.
      else if (part !== 'votes') this.ext[part] = this.#list(part)
  }

  #readValues(): void {
    const fields = new Map(this.ext.fields.map((row) => [row.key, row.values]))
    for (const row of this.#rows('values', 'field')) {
      const [member, field] = [this.#memberKey(row.member), String(row.field)]
      const owner = fields.get(field) as CustomFieldDraft | undefined
      const parsed = owner ? parseValue({ options: null, ...owner }, row.value) : null
      if (member === null || parsed === null || parsed instanceof Problem)
        this.#drop('values', 'field', 'value', 'not_field_value')
      else
        this.ext.values.push({
          key: `${member} ${field}`,
          values: { value: parsed },
          refs: { member, field },
        })
    }
  }

  #list(part: OwnedList): BundleExtRow[] {
    const { name: kind, order, references, ...fields } = ownedKinds[part]
    const entity = 'imported' in fields ? fields.imported : fields.entity
    const rows: BundleExtRow[] = []
    const seen = new Set<string>()
    for (const row of this.#rows(part, kind)) {
      const uuid = readUuid(row.id)
      const key = uuid ?? `#${part}${rows.length}`
      const subject: Subject = { kind, name: typeof row.name === 'string' ? row.name : null }
      const values: JsonObject = repairFields(entity, row, subject, this.log)
      const missing = entity.entries.find(([name, field]) => field.required && !(name in values))
      if (missing || isIncomplete(entity, values) || seen.has(key)) {
        this.#drop(part, kind, missing?.[0] ?? 'id', 'incomplete')
        continue
      }
      seen.add(key)
      const refs: Record<string, string | null> = {}
      for (const [name, target] of Object.entries(references)) {
        refs[name] = this.#ref(target, row[name])
        delete values[name]
      }
      if (values.kind === 'status') {
        const status = `${refs.member} ${values.at}`
        if (refs.member === null || seen.has(status)) {
          this.#drop(part, kind, 'at', 'incomplete')
          continue
        }
        seen.add(status)
      }
      const contents = part === 'buckets' && { contents: this.#contents(row) }
      rows.push({ key, ...(uuid && { uuid }), values, refs, ...contents })
      if (part === 'polls') this.#readVotes(key, row, values)
    }
    return order === 'position' ? rows : newestFirst(rows.toReversed(), order)
  }

  #readVotes(pollKey: string, row: JsonObject, { options }: JsonObject): void {
    const optionIds = new Set((Array.isArray(options) ? options : []).map(({ id }) => id))
    for (const voteRow of Array.isArray(row.votes) ? row.votes.filter(isObject) : []) {
      const subject: Subject = { kind: 'poll', name: String(row.name) }
      const { member: _, ...values } = repairFields(vote, voteRow, subject, this.log)
      const member = this.#memberKey(voteRow.member)
      if (!optionIds.has(voteRow.option)) this.#drop('votes', 'poll', 'option', 'unknown_option')
      else
        this.ext.votes.push({
          key: `${pollKey} ${this.ext.votes.length}`,
          values: { ...values, option: voteRow.option },
          refs: { poll: pollKey, member },
        })
    }
  }

  /** Parses what a bucket contains, without what is not in the file. */
  #contents(row: JsonObject): BundleBucketContents {
    const fields = new Set(this.ext.fields.map(({ key }) => key))
    const keysOf = (list: unknown, keyOf: (uuid: string) => string | null | undefined) => [
      ...new Set((Array.isArray(list) ? list : []).flatMap((uuid) => keyOf(String(uuid)) ?? [])),
    ]
    return {
      members: keysOf(row.members, (uuid) => this.#memberKey(uuid)),
      groups: keysOf(row.groups, (uuid) => this.#groups.get(uuid)?.key),
      fields: keysOf(row.fields, (uuid) => (fields.has(uuid) ? uuid : null)),
    }
  }

  #ref(target: ReferenceTo, ref: unknown): string | null {
    if (typeof ref !== 'string' || !isUuid(ref)) return null
    const uuid = ref.toLowerCase()
    return target === 'room' || target === 'post' ? uuid : this.#memberKey(uuid)
  }

  #memberKey(uuid: unknown): string | null {
    return this.#members.get(String(uuid))?.key ?? null
  }

  /** Returns the objects in a list. Other items are logged as dropped rows. */
  #rows(part: ExtPart, kind: Subject['kind']): JsonObject[] {
    const rows = this.#objects(part)
    const lost = this.#itemsOf(part).length - rows.length
    if (lost > 0) this.#drop(part, kind, part, 'not_object', lost)
    return rows
  }

  #objects(name: string): JsonObject[] {
    return this.#itemsOf(name).filter(isObject)
  }

  #itemsOf(name: string): unknown[] {
    return (this.file[name] ?? []) as unknown[]
  }

  #drop(part: ExtPart, kind: Subject['kind'], field: string, reason: Reason, count = 1): void {
    this.log.dropRow(part, { kind, name: null }, field, null, reason, count)
  }
}

/** Returns true for a note without text, or a reminder without the keys of its kind. */
function isIncomplete(entity: Entity, values: JsonObject): boolean {
  if (entity === note) return !values.title && !values.text
  if (entity !== reminder) return false
  return !isEmptyPatch(
    validateReminder({ ...reminder.defaults, ...values } as Row<typeof reminder>),
  )
}

function readOrigins(rows: unknown): Bundle['origins'] {
  return (Array.isArray(rows) ? rows : []).flatMap((row) => {
    const { app, collection, id, target }: JsonObject = isObject(row) ? row : {}
    const uuid = readUuid(target)
    if (!isSourceId(app) || !isSourceId(collection) || !isSourceId(id)) return []
    return uuid === undefined ? [] : [{ app, collection, id, target: uuid }]
  })
}
