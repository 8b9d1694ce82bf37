import { randomInt, randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { createDecoder, type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { isEnabled, visibleRows } from '../../db/visible'
import type { Identity, Row } from '../../model/core/entity'
import type { SerializedJson } from '../../model/core/privacy'
import { HID_ALPHABET, HID_LENGTH, parseRef, type Ref } from '../../model/core/ref'

// SQL text, because the builder has no type for one of three tables.

/** IDs that an import file gives for a row. */
export type GivenIdentity = Partial<Pick<Identity, 'hid' | 'uuid'>>

/** Row ID of an entity and of its system. */
export interface RowLocation {
  id: number
  system_id: number
}

/** A member or group of a system. */
export type Owned<E> = Row<E> & Identity & { system_id: number }

/** A row that was written, with its JSON object for the owner. */
export interface Stored<R> {
  readonly row: R
  readonly json: SerializedJson
}

/** Creates queries that find rows by short ID or UUID, and generate IDs for new rows. */
export function identityQueries<R extends Identity>(table: 'systems' | 'members' | 'groups') {
  const rows = visibleRows[table]
  const where = <Name extends 'id' | 'hid' | 'uuid', Found = R>(
    column: Name,
    condition = sql`true`,
    columns?: SQL,
  ) =>
    query(
      (_, values: Placeholders<Name>) =>
        sql<Found>`select ${columns ?? sql`*`} from ${rows} where ${rows[column]} = ${values[column]} and ${condition}`,
      columns ? undefined : rows._.selectedFields,
    )
  const enabled = isEnabled(table)
  const byId = where('id')
  const byHid = where('hid')
  const byUuid = where('uuid')
  const enabledByHid = where('hid', enabled)
  const enabledByUuid = where('uuid', enabled)
  // Names are passed as one JSON text, because engines limit the number of parameters.
  const byNames = query(
    (_, { names }: Placeholders<'names'>, { inJsonTexts }) =>
      sql<R>`select * from ${rows} where ${inJsonTexts(rows.hid, names)} or ${inJsonTexts(rows.uuid, names)}`,
  )
  // Only short IDs, as most lists have: one index less.
  const byHids = query(
    (_, { names }: Placeholders<'names'>, { inJsonTexts }) =>
      sql<R>`select * from ${rows} where ${inJsonTexts(rows.hid, names)}`,
  )

  const location = sql`id, system_id`
  const locationByHid = where<'hid', RowLocation>('hid', enabled, location)
  const locationByUuid = where<'uuid', RowLocation>('uuid', enabled, location)

  const findById = async (db: Db, id: number) => byId(db).get({ id })

  const find = async (db: Db, ref: Ref) =>
    'uuid' in ref ? byUuid(db).get(ref) : byHid(db).get(ref)

  /** Like `find`, but ignores systems that the operator disabled, and their rows. */
  const findEnabled = async (db: Db, ref: Ref) =>
    'uuid' in ref ? enabledByUuid(db).get(ref) : enabledByHid(db).get(ref)

  /** Returns those of the given IDs that no row on this server has. */
  const availableParts = async (db: Db, { hid, uuid }: GivenIdentity): Promise<GivenIdentity> => {
    const isFree = async (ref: Ref) => (await find(db, ref)) === null
    return {
      ...(hid !== undefined && (await isFree({ hid })) ? { hid } : {}),
      ...(uuid !== undefined && (await isFree({ uuid })) ? { uuid } : {}),
    }
  }

  /** Generates a UUID, and a short ID that no row of this table has. */
  const generate = async (db: Db): Promise<{ uuid: string; hid: string }> => {
    for (;;) {
      const hid = generateHid()
      if ((await find(db, { hid })) === null) return { uuid: randomUUID(), hid }
    }
  }

  return {
    find,
    findEnabled,
    findById,
    availableParts,
    generate,

    /** Finds only the row ID and system of a reference. */
    async locate(db: Db, text: string): Promise<RowLocation | null> {
      const ref = parseRef(text)
      if (ref === null) return null
      return await ('uuid' in ref ? locationByUuid(db).get(ref) : locationByHid(db).get(ref))
    },

    decode: createDecoder<R>(rows._.selectedFields) ?? ((row: R) => row),

    /**
     * Finds the rows of a list of references, in its order, as they are stored; null for a reference
     * without a row.
     */
    async findAllStored(db: Db, refs: readonly string[]): Promise<(R | null)[]> {
      const parsed = refs.map((ref) => parseRef(ref))
      const named = parsed.flatMap((ref) => (ref ? Object.values(ref) : []))
      const hasUuid = parsed.some((ref) => ref !== null && 'uuid' in ref)
      const statement = hasUuid ? byNames(db) : byHids(db)
      const rows = await statement.all({ names: JSON.stringify(named) })
      const rowsByRef = new Map<string, R>()
      for (const row of rows) rowsByRef.set(row.hid, row).set(row.uuid, row)
      return parsed.map((ref) => (ref && rowsByRef.get('uuid' in ref ? ref.uuid : ref.hid)) ?? null)
    },

    /** Keeps those of the given IDs that are free, and generates the others. */
    async chooseIdentity(db: Db, given: GivenIdentity): Promise<{ uuid: string; hid: string }> {
      return { ...(await generate(db)), ...(await availableParts(db, given)) }
    },
  }
}

function generateHid(): string {
  const letters = Array.from(
    { length: HID_LENGTH },
    () => HID_ALPHABET[randomInt(HID_ALPHABET.length)],
  )
  return letters.join('')
}
