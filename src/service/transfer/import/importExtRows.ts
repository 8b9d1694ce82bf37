import { randomUUID } from 'node:crypto'
import { ownedTable } from '../../../db/ownedTables'
import type { Db } from '../../../db/types'
import { type BundleExtRow, type Origin, subjectKinds } from '../../../formats/bundle'
import { batchesBySize } from '../../../formats/chunks'
import { rowLimits } from '../../../model/access/rowLimits'
import { fillDefaults, type JsonObject } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import { isUuid } from '../../../model/core/ref'
import { textBytes } from '../../../model/core/textSize'
import { maxRowsOf, type OwnedList, ownedKind } from '../../../model/ownedKinds'
import type { ExtPart } from '../../../model/transfer/transfer'
import { removeStatusAt } from '../../../store/front/statuses'
import {
  bucketsWithoutFriends,
  countOwnedRows,
  encodeOwnedRow,
  fieldsOfSystem,
  findKnownRows,
  findTakenUuids,
  insertOwnedRows,
  roomsOfSystem,
  statusesAt,
  usageOf,
} from '../../../store/transfer/importExtRows'
import { originKey } from '../../../store/transfer/originRows'
import { writeInBatches } from '../../systems/staging'
import type { TextBudget } from './importBudget'
import type { Import } from './importContext'
import { NO_SPACE } from './importExtEntities'

/** Row IDs by the keys of the file. Rows that a dry run plans have the ID 0. */
export type RowIds = Map<string, number>

/** Reports rows that are not imported, all for the same reason. */
export function leaveOut(work: Import, part: ExtPart, count: number, why: string): void {
  if (count === 0 || !work.report.ext) return
  work.report.ext[part].left_out += count
  work.report.repairs.push({
    kind: subjectKinds[part],
    name: null,
    field: part,
    was: null,
    now: null,
    why,
    left_out: count,
  })
}

export const NOT_IMPORTED = 'belongs to a row that is not imported'

export interface AddedRows {
  /** Row IDs of existing and new rows. */
  readonly ids: RowIds
  /** Keys of new rows. */
  readonly added: ReadonlySet<string>
  /** Keys of existing rows that were found by their name only. */
  readonly named: ReadonlySet<string>
  /** IDs of the options of new rows, by their IDs in the file. */
  readonly options: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Plans and stages rows with UUIDs. */
export async function addOwnedRows(
  work: Import,
  budget: TextBudget,
  part: OwnedList,
  rooms: RowIds,
): Promise<AddedRows> {
  const adding = new OwnedRows(work, part, rooms)
  await adding.plan(budget)
  await adding.write()
  return adding
}

/** Finds the existing rows of a part that is not imported, because others refer to them. */
export async function findOwnedRows(work: Import, part: OwnedList): Promise<AddedRows> {
  const finding = new OwnedRows(work, part, new Map())
  await finding.find()
  return finding
}

class OwnedRows implements AddedRows {
  readonly ids: RowIds = new Map()
  readonly added = new Set<string>()
  readonly named = new Set<string>()
  readonly options = new Map<string, Map<string, string>>()
  readonly #rows: JsonObject[] = []
  readonly #keys = new Map<string, string>()
  #uuids: ReadonlyMap<string, string> = new Map()
  /** Members and times of statuses of the file. */
  readonly #statuses = new Set<string>()
  /** Hidden statuses at the times of new ones; there is one of each member at a time. */
  readonly #replaced: { member: number; at: number }[] = []

  constructor(
    readonly work: Import,
    readonly part: OwnedList,
    readonly rooms: RowIds,
  ) {}

  async find(): Promise<void> {
    const known = await this.#findKnown(this.work.ext[this.part])
    for (const [key, { id }] of known) this.ids.set(key, id)
  }

  async plan(budget: TextBudget): Promise<void> {
    const { work, part } = this
    const incoming = work.ext[part]
    const { entity, limit } = ownedKind(part)
    const max = maxRowsOf(limit)
    const known = await this.#findKnown(incoming)
    this.#uuids = await this.#chooseUuids(incoming, known)
    let capacity = max - (await this.#countStored())
    const statuses = part === 'front_notes' ? await this.#findStatuses(incoming) : null
    const tally = work.report.ext?.[part]
    let unchanged = 0
    let missing = 0
    let whyFull: string | null = null
    let above = 0
    for (const one of incoming) {
      await work.step(0)
      const row = known.has(one.key) ? null : this.#toRow(one)
      const found = known.get(one.key) ?? (row && this.#findStatus(row, statuses))
      const uuid = found?.uuid ?? this.#uuids.get(one.key) ?? randomUUID()
      if (found) {
        this.ids.set(one.key, found.id)
        unchanged += 1
      } else if (row === null) {
        missing += 1
        continue
      } else {
        const bytes = textBytes(entity, row)
        if (capacity <= 0) whyFull ??= `above the limit of ${max}`
        else if (whyFull === null && !budget.take(bytes)) whyFull = NO_SPACE
        // The newest rows come first, and after the first that does not fit, all are left out.
        if (whyFull !== null) {
          above += 1
          continue
        }
        capacity -= 1
        this.#add(one.key, { ...row, uuid }, bytes)
      }
      const origin = originOf(one, part, uuid)
      if (origin) work.newOrigins.push({ ...origin, target: uuid })
    }
    if (tally) {
      tally.unchanged += unchanged
      tally.added += this.#rows.length
    }
    leaveOut(work, part, missing, NOT_IMPORTED)
    leaveOut(work, part, above, whyFull ?? '')
    await work.step(incoming.length)
  }

  /** Returns the number of rows that the system has. */
  async #countStored(): Promise<number> {
    const { work, part } = this
    const [{ db }, system] = [work.deps, work.systemId ?? 0]
    if (isCounted(part)) return (await usageOf(db, system))?.[part] ?? 0
    return countOwnedRows(db, part, system)
  }

  #add(key: string, row: JsonObject & { uuid: string }, bytes: number): void {
    const { part, work } = this
    work.extUsage.text_bytes += bytes
    if (isCounted(part)) work.extUsage[part] += 1
    this.added.add(key)
    this.ids.set(key, 0)
    this.#keys.set(row.uuid, key)
    this.#rows.push(row)
  }

  /** Writes the new rows, which are hidden until the import is committed. */
  async write(): Promise<void> {
    const { part, work } = this
    if (this.#rows.length === 0 || work.options.dryRun) return
    const { deps } = work
    const staging = await work.staging()
    await writeInBatches(deps, staging, this.#replaced, async (tx, { member, at }) => {
      await removeStatusAt(deps, tx, staging.systemId, member, at)
    })
    const ofImport = { system_id: staging.systemId, import_id: staging.id }
    const encoded = this.#rows.values().map((row) => encodeOwnedRow(part, { ...row, ...ofImport }))
    await writeAll(work, encoded, async (tx, rows, count) => {
      const inserted = await insertOwnedRows(tx, part, rows)
      if (inserted.length < count)
        throw error('conflict', 'another request wrote the same rows; import again')
      for (const { id, uuid } of inserted) this.ids.set(this.#keys.get(uuid) ?? '', id)
    })
  }

  /** Finds existing rows by origin, then by UUID; fields, rooms and buckets by name, too. */
  async #findKnown(incoming: readonly BundleExtRow[]): Promise<Map<string, Known>> {
    const { work, part } = this
    const known = new Map<string, Known>()
    if (work.systemId === null) return known
    await work.loadOrigins(incoming.flatMap((one) => originOf(one, part) ?? []))
    for (const batch of batchesBySize(incoming, () => 1)) {
      const uuids = batch.flatMap((one) => this.#givenUuid(one) ?? [])
      const found = await findKnownRows(work.deps.db, part, uuids)
      const own = found.filter(({ system_id }) => system_id === work.systemId)
      const byUuid = new Map(own.map((row) => [row.uuid, row]))
      for (const one of batch) {
        const row = byUuid.get(this.#givenUuid(one) ?? '')
        if (row) known.set(one.key, row)
      }
      await work.step(0)
    }
    if (part === 'fields' || part === 'rooms' || part === 'buckets')
      await this.#findByName(part, incoming, known)
    return known
  }

  async #findByName(
    part: keyof typeof namedRows,
    incoming: readonly BundleExtRow[],
    known: Map<string, Known>,
  ): Promise<void> {
    const { deps, systemId } = this.work
    const existing = await namedRows[part](deps.db, systemId ?? 0)
    const used = new Set([...known.values()].map(({ id }) => id))
    for (const { key, values } of incoming) {
      if (known.has(key)) continue
      const row = existing.find(
        (one) =>
          one.name === values.name &&
          !used.has(one.id) &&
          (!('type' in one) || one.type === values.type),
      )
      if (!row) continue
      used.add(row.id)
      known.set(key, row)
      this.named.add(key)
    }
  }

  /** UUID that the row had when it was imported before, or in the file. */
  #givenUuid(one: BundleExtRow): string | undefined {
    const origin = originOf(one, this.part)
    return (origin && this.work.originTargets.get(originKey(origin))) ?? one.uuid
  }

  /** Returns the UUIDs of existing and new rows; those of the file as far as they are free. */
  async #chooseUuids(
    incoming: readonly BundleExtRow[],
    known: ReadonlyMap<string, Known>,
  ): Promise<Map<string, string>> {
    const chosen = new Map<string, string>()
    const used = new Set<string>()
    for (const batch of batchesBySize(incoming, () => 1)) {
      const uuids = batch.flatMap((one) => this.#givenUuid(one) ?? [])
      for (const uuid of await findTakenUuids(this.work.deps.db, this.part, uuids)) used.add(uuid)
      for (const one of batch) {
        const given = this.#givenUuid(one)
        const isFree = given !== undefined && !used.has(given)
        const uuid = known.get(one.key)?.uuid ?? (isFree ? given : randomUUID())
        used.add(uuid)
        chosen.set(one.key, uuid)
        if (one.uuid !== undefined && one.uuid !== uuid) this.work.newUuids.set(one.uuid, uuid)
      }
      await this.work.step(0)
    }
    return chosen
  }

  /** Returns the statuses of the system at the times of the file's, by member and time. */
  async #findStatuses(incoming: readonly BundleExtRow[]): Promise<Statuses> {
    const { deps, systemId } = this.work
    const statuses: Statuses = new Map()
    if (systemId === null) return statuses
    const given = incoming.filter(({ values }) => values.kind === 'status')
    for (const batch of batchesBySize(given, () => 1)) {
      const times = batch.map(({ values }) => values.at)
      for (const row of await statusesAt(deps.db, systemId, times))
        statuses.set(`${row.member_id} ${row.at}`, row)
      await this.work.step(0)
    }
    return statuses
  }

  /**
   * Returns the equal status that exists at the time of a new one. A different status stays, and the
   * new one becomes a comment, because a member has one status at a time.
   */
  #findStatus(row: JsonObject, statuses: Statuses | null): Known | null {
    if (row.kind !== 'status' || !statuses) return null
    const key = `${row.member_id} ${row.at}`
    // Two members of a file may be the same one here.
    if (this.#statuses.has(key)) {
      row.kind = 'comment'
      return null
    }
    this.#statuses.add(key)
    const found = statuses.get(key)
    if (found?.is_visible === 0)
      this.#replaced.push({ member: Number(row.member_id), at: Number(row.at) })
    else if (found && (found.text === row.text || row.text === null))
      return { id: found.id, uuid: found.uuid }
    else if (found) row.kind = 'comment'
    return null
  }

  /** Returns the row as it is stored; null if it refers to a row that is not imported. */
  #toRow({ key, values, refs }: BundleExtRow): JsonObject | null {
    const { work, part } = this
    const { entity, imported = entity, references, timeKeys, fixed } = ownedKind(part)
    const { columns } = ownedTable(part)
    const row: JsonObject = { ...fillDefaults(imported, {}), ...values, ...fixed }
    for (const name of timeKeys) row[name] ??= work.deps.now()
    for (const [name, target] of Object.entries(references)) {
      const ref = refs[name] ?? null
      if (target === 'post') {
        row[name] = this.#replyTo(ref)
        continue
      }
      delete row[name]
      const ids = target === 'room' ? this.rooms : work.memberIds
      const id = ref === null ? null : ids.get(ref)
      if (id === undefined && name !== 'by') return null
      row[columns[name] ?? name] = id ?? null
    }
    if (Array.isArray(row.options)) row.options = this.#nameOptions(key, row.options)
    return row
  }

  /** A post may reply to one that was deleted, of which only the UUID is known. */
  #replyTo(key: string | null): string | null {
    if (key === null) return null
    return this.#uuids.get(key) ?? (isUuid(key) ? key : null)
  }

  #nameOptions(key: string, options: readonly { id: string }[]): object[] {
    const ids = new Map<string, string>()
    this.options.set(key, ids)
    return options.map((option) => {
      const id = isUuid(option.id) ? option.id : randomUUID()
      ids.set(option.id, id)
      return { ...option, id }
    })
  }
}

/** App of rows that were exported here and got another UUID, because theirs was not free. */
const OWN_APP = 'multitude'

/**
 * Returns the origin of a row. A row of our own exports is found by its UUID, and needs an origin
 * only if it has another UUID here.
 */
function originOf(
  { origin, uuid }: BundleExtRow,
  part: ExtPart,
  target?: string,
): Origin | undefined {
  if (origin || uuid === undefined || uuid === target) return origin
  return { app: OWN_APP, collection: part, id: uuid }
}

/** Returns whether `ext_usage` has the number of these rows, which may be many. */
function isCounted(part: OwnedList): part is keyof typeof rowLimits & OwnedList {
  return part in rowLimits
}

/** Rows that are found by name. */
const namedRows = {
  fields: fieldsOfSystem,
  rooms: roomsOfSystem,
  buckets: bucketsWithoutFriends,
}

interface Known {
  id: number
  uuid: string
}

type Statuses = Map<string, Known & { text: string | null; is_visible: number }>

/** Writes rows in batches of similar size, as the JSON of each batch. */
export async function writeAll(
  work: Import,
  rows: Iterable<object>,
  write: (tx: Db, rows: string, count: number) => Promise<unknown>,
): Promise<void> {
  if (work.options.dryRun) return
  const batches: object[][] = []
  for (const batch of batchesBySize(rows, (row) => JSON.stringify(row).length)) {
    batches.push(batch)
    await work.step(0)
  }
  if (batches.length === 0) return
  await writeInBatches(work.deps, await work.staging(), batches, async (tx, batch) => {
    await write(tx, JSON.stringify(batch), batch.length)
  })
}
