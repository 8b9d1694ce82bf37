import { randomUUID } from 'node:crypto'
import { ownedTable } from '../../../db/ownedTables'
import type { Db } from '../../../db/types'
import type { BundleExtRow, Origin } from '../../../formats/bundle'
import { batchesBySize } from '../../../formats/chunks'
import { rowLimits } from '../../../model/access/rowLimits'
import { fillDefaults, type JsonObject } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import { reason } from '../../../model/core/reason'
import type { Reason } from '../../../model/core/reasonMessages'
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
import { writeInBatches } from '../../systems/staging'
import { type ImportRun, leaveOut, NO_SPACE, NOT_IMPORTED, PENDING_ID, wants } from './importRun'
import { usedUp } from './importSpace'
import type { ImportStep } from './importStep'
import type { KnownOrigins } from './knownOrigins'

/** Rows of one list of the extension API. */
export class OwnedRows implements ImportStep {
  readonly reads = 'ext'
  readonly added = new Set<string>()
  /** Keys of existing rows that were found by their name only. */
  readonly named = new Set<string>()
  /** IDs of the options of new rows, by their IDs in the file. */
  readonly options = new Map<string, Map<string, string>>()
  #rows: JsonObject[] = []
  readonly #keys = new Map<string, string>()
  #uuids: ReadonlyMap<string, string> = new Map()
  /** Members and times of statuses of the file. */
  readonly #statuses = new Set<string>()
  /** Hidden statuses at the times of new ones; there is one of each member at a time. */
  readonly #replaced: { member: number; at: number }[] = []

  constructor(
    readonly run: ImportRun,
    readonly origins: KnownOrigins,
    readonly list: OwnedList,
  ) {}

  async plan(): Promise<void> {
    const { run, list } = this
    const tally = run.report.ext?.[list]
    if (!tally) return
    const rows = run.file.ext[list]
    const { entity, limit, importPart } = ownedKind(list)
    const isWanted = wants(run, importPart)
    if (!isWanted) tally.left_out += rows.length
    // Values refer to fields that are not imported, too.
    if (!isWanted && list !== 'fields') return
    const rowsByKey = await this.#findKnown(rows)
    if (!isWanted) {
      for (const [key, { id }] of rowsByKey) run.ids[list].set(key, id)
      return
    }
    const max = maxRowsOf(limit)
    this.#uuids = await this.#chooseUuids(rows, rowsByKey)
    let capacity = max - (await this.#countStored())
    const statuses = list === 'front_notes' ? await this.#findStatuses(rows) : null
    let unchanged = 0
    let missing = 0
    let whyFull: Reason | null = null
    let above = 0
    for (const incoming of rows) {
      await run.advance(0)
      const { key } = incoming
      const row = rowsByKey.has(key) ? null : this.#toRow(incoming)
      const knownRow = rowsByKey.get(key) ?? (row && this.#findStatus(row, statuses))
      const uuid = knownRow?.uuid ?? this.#uuids.get(key) ?? randomUUID()
      if (knownRow) {
        run.ids[list].set(key, knownRow.id)
        unchanged += 1
      } else if (row === null) {
        missing += 1
        continue
      } else {
        const bytes = textBytes(entity, row)
        if (capacity <= 0) whyFull ??= reason('above_limit', { max })
        else if (whyFull === null && !run.space.take(bytes)) whyFull = NO_SPACE
        // The newest rows come first, and after the first that does not fit, all are left out.
        if (whyFull !== null) {
          above += 1
          continue
        }
        capacity -= 1
        this.#add(key, { ...row, uuid }, bytes)
      }
      const origin = originOf(incoming, list, uuid)
      if (origin) this.origins.add({ ...origin, target: uuid })
    }
    tally.unchanged += unchanged
    tally.added += this.#rows.length
    leaveOut(run, list, missing, NOT_IMPORTED)
    if (whyFull !== null) leaveOut(run, list, above, whyFull)
    await run.advance(rows.length)
  }

  /** Writes the new rows, which are hidden until the import is committed. */
  async stage(): Promise<void> {
    const { list, run } = this
    if (this.#rows.length === 0) return
    const { deps } = run
    const staging = await run.staging()
    await writeInBatches(deps, staging, this.#replaced, async (tx, { member, at }) => {
      await removeStatusAt(deps, tx, staging.systemId, member, at)
    })
    const ofImport = { system_id: staging.systemId, import_id: staging.id }
    const encoded = this.#rows.values().map((row) => encodeOwnedRow(list, { ...row, ...ofImport }))
    await writeAll(run, encoded, async (tx, rows, count) => {
      const inserted = await insertOwnedRows(tx, list, rows)
      if (inserted.length < count)
        throw error('conflict', 'another request wrote the same rows; import again')
      for (const { id, uuid } of inserted) run.ids[list].set(this.#keys.get(uuid) ?? '', id)
    })
    this.#rows = []
    this.#keys.clear()
    this.#uuids = new Map()
  }

  /** Throws if other requests added rows meanwhile, and there is no space for both. */
  async apply(tx: Db, systemId: number): Promise<boolean> {
    const { limit } = ownedKind(this.list)
    // Those with a counter are checked when it is increased.
    if ('counter' in limit || this.added.size === 0) return false
    if ((await countOwnedRows(tx, this.list, systemId)) + this.added.size > limit.max)
      throw usedUp()
    return false
  }

  async #countStored(): Promise<number> {
    const { run, list } = this
    const [{ db }, system] = [run.deps, run.systemId ?? 0]
    if (isCounted(list)) return (await usageOf(db, system))?.[list] ?? 0
    return countOwnedRows(db, list, system)
  }

  #add(key: string, row: JsonObject & { uuid: string }, bytes: number): void {
    const { list, run } = this
    run.space.countStaged({ text_bytes: bytes, ...(isCounted(list) && { [list]: 1 }) })
    this.added.add(key)
    run.ids[list].set(key, PENDING_ID)
    this.#keys.set(row.uuid, key)
    this.#rows.push(row)
  }

  /** Finds existing rows by origin, then by UUID; fields, rooms and buckets by name, too. */
  async #findKnown(rows: readonly BundleExtRow[]): Promise<Map<string, Known>> {
    const { run, list } = this
    const rowsByKey = new Map<string, Known>()
    if (run.systemId === null) return rowsByKey
    await this.origins.load(rows.flatMap((row) => originOf(row, list) ?? []))
    for (const batch of batchesBySize(rows, () => 1)) {
      const uuids = batch.flatMap((row) => this.#givenUuid(row) ?? [])
      const knownRows = await findKnownRows(run.deps.db, list, uuids)
      const byUuid = new Map(
        knownRows.flatMap((row) => (row.system_id === run.systemId ? [[row.uuid, row]] : [])),
      )
      for (const incoming of batch) {
        const row = byUuid.get(this.#givenUuid(incoming) ?? '')
        if (row) rowsByKey.set(incoming.key, row)
      }
      await run.advance(0)
    }
    if (list === 'fields' || list === 'rooms' || list === 'buckets')
      await this.#findByName(list, rows, rowsByKey)
    return rowsByKey
  }

  async #findByName(
    list: keyof typeof namedRows,
    rows: readonly BundleExtRow[],
    rowsByKey: Map<string, Known>,
  ): Promise<void> {
    const { deps, systemId } = this.run
    const existing = await namedRows[list](deps.db, systemId ?? 0)
    const used = new Set([...rowsByKey.values()].map(({ id }) => id))
    for (const { key, values } of rows) {
      if (rowsByKey.has(key)) continue
      const match = existing.find(
        (row) =>
          row.name === values.name &&
          !used.has(row.id) &&
          (!('type' in row) || row.type === values.type),
      )
      if (!match) continue
      used.add(match.id)
      rowsByKey.set(key, match)
      this.named.add(key)
    }
  }

  /** UUID that the row had when it was imported before, or in the file. */
  #givenUuid(row: BundleExtRow): string | undefined {
    const origin = originOf(row, this.list)
    return (origin && this.origins.targetOf(origin)) ?? row.uuid
  }

  /** Returns the UUIDs of existing and new rows; those of the file as far as they are free. */
  async #chooseUuids(
    rows: readonly BundleExtRow[],
    rowsByKey: ReadonlyMap<string, Known>,
  ): Promise<Map<string, string>> {
    const chosen = new Map<string, string>()
    const used = new Set<string>()
    for (const batch of batchesBySize(rows, () => 1)) {
      const uuids = batch.flatMap((row) => this.#givenUuid(row) ?? [])
      for (const uuid of await findTakenUuids(this.run.deps.db, this.list, uuids)) used.add(uuid)
      for (const row of batch) {
        const uuidInFile = this.#givenUuid(row)
        const isFree = uuidInFile !== undefined && !used.has(uuidInFile)
        const uuid = rowsByKey.get(row.key)?.uuid ?? (isFree ? uuidInFile : randomUUID())
        used.add(uuid)
        chosen.set(row.key, uuid)
        if (row.uuid !== undefined && row.uuid !== uuid) this.origins.replace(row.uuid, uuid)
      }
      await this.run.advance(0)
    }
    return chosen
  }

  /** Returns the statuses of the system at the times of the file's, by member and time. */
  async #findStatuses(rows: readonly BundleExtRow[]): Promise<Statuses> {
    const { run } = this
    const statuses: Statuses = new Map()
    if (run.systemId === null) return statuses
    const incoming = rows.filter(({ values }) => values.kind === 'status')
    for (const batch of batchesBySize(incoming, () => 1)) {
      const times = batch.map(({ values }) => values.at)
      for (const row of await statusesAt(run.deps.db, run.systemId, times))
        statuses.set(`${row.member_id} ${row.at}`, row)
      await run.advance(0)
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
    const status = statuses.get(key)
    if (status?.is_visible === 0)
      this.#replaced.push({ member: Number(row.member_id), at: Number(row.at) })
    else if (status && (status.text === row.text || row.text === null))
      return { id: status.id, uuid: status.uuid }
    else if (status) row.kind = 'comment'
    return null
  }

  /** Returns the row as it is stored; null if it refers to a row that is not imported. */
  #toRow({ key, values, refs }: BundleExtRow): JsonObject | null {
    const { run, list } = this
    const { entity, imported = entity, references, timeKeys, fixed } = ownedKind(list)
    const { columns } = ownedTable(list)
    const row: JsonObject = { ...fillDefaults(imported, {}), ...values, ...fixed }
    for (const name of timeKeys) row[name] ??= run.deps.now()
    for (const [name, target] of Object.entries(references)) {
      const ref = refs[name] ?? null
      if (target === 'post') {
        row[name] = this.#replyTo(ref)
        continue
      }
      delete row[name]
      const ids = target === 'room' ? run.ids.rooms : run.ids.members
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
  list: OwnedList,
  target?: string,
): Origin | undefined {
  if (origin || uuid === undefined || uuid === target) return origin
  return { app: OWN_APP, collection: list, id: uuid }
}

/** Returns whether `ext_usage` has the number of these rows, which may be many. */
function isCounted(list: OwnedList): list is keyof typeof rowLimits & OwnedList {
  return list in rowLimits
}

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

/** Returns the last of the rows with the same references. Rows of deleted members are all different. */
export async function lastOfEach(
  { file, advance }: ImportRun,
  part: ExtPart,
  ...names: [string, string]
): Promise<Iterable<BundleExtRow>> {
  const last = new Map<unknown, BundleExtRow>()
  for (const row of file.ext[part]) {
    const refs = names.map((name) => row.refs[name] ?? null)
    last.set(refs.includes(null) ? row : JSON.stringify(refs), row)
    await advance(0)
  }
  return last.values()
}

/** Writes rows in batches of similar size, as the JSON of each batch. */
export async function writeAll(
  run: ImportRun,
  rows: Iterable<object>,
  write: (tx: Db, rows: string, count: number) => Promise<unknown>,
): Promise<void> {
  const batches: object[][] = []
  for (const batch of batchesBySize(rows, (row) => JSON.stringify(row).length)) {
    batches.push(batch)
    await run.advance(0)
  }
  if (batches.length === 0) return
  await writeInBatches(run.deps, await run.staging(), batches, async (tx, batch) => {
    await write(tx, JSON.stringify(batch), batch.length)
  })
}
