import { randomInt, randomUUID } from 'node:crypto'
import { createDecoder } from '../db/rows'
import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { isEnabled, isVisible } from '../db/visibility'
import type { Entity, Identity, Row } from '../model/entity'
import { HID_ALPHABET, HID_LENGTH, parseRef, type Ref } from '../model/ref'

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
  readonly json: string
}

/** Creates queries that find rows by short ID or UUID, and generate IDs for new rows. */
export function identityQueries<R extends Identity>(
  entity: Entity,
  table: 'systems' | 'members' | 'groups',
) {
  const where = <Name extends string>(condition: string) =>
    statement<Name, R>(`select * from ${table} where ${condition}`)
  const byId = where<'id'>(`id = :id and ${isVisible(table)}`)
  const byHid = where<'hid'>('hid = :hid')
  const byUuid = where<'uuid'>('uuid = :uuid')
  const enabledByHid = where<'hid'>(`hid = :hid and ${isEnabled(table)}`)
  const enabledByUuid = where<'uuid'>(`uuid = :uuid and ${isEnabled(table)}`)
  // Names are passed as one JSON text, because engines limit the number of parameters.
  const byNames = statement<'names', R>(
    ({ inJsonTexts }) =>
      `select * from ${table}
       where ${inJsonTexts('hid', ':names')} or ${inJsonTexts('uuid', ':names')}`,
  )

  const locationByHid = statement<'hid', RowLocation>(
    `select id, system_id from ${table} where hid = :hid and ${isEnabled(table)}`,
  )
  const locationByUuid = statement<'uuid', RowLocation>(
    `select id, system_id from ${table} where uuid = :uuid and ${isEnabled(table)}`,
  )

  const decode = createDecoder(entity)
  const decoded = (raw: R | null) => raw && decode(raw)

  const findById = async (db: Db, id: number) => decoded(await byId(db).get({ id }))

  const find = async (db: Db, ref: Ref) =>
    decoded(await ('uuid' in ref ? byUuid(db).get(ref) : byHid(db).get(ref)))

  /** Like `find`, but ignores systems that the operator disabled, and their rows. */
  const findEnabled = async (db: Db, ref: Ref) =>
    decoded(await ('uuid' in ref ? enabledByUuid(db).get(ref) : enabledByHid(db).get(ref)))

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

    decode,

    /**
     * Finds the rows of a list of references, in its order, as they are stored; null for a reference
     * without a row.
     */
    async findAllStored(db: Db, refs: readonly string[]): Promise<(R | null)[]> {
      const parsed = refs.map((ref) => parseRef(ref))
      const named = parsed.flatMap((ref) => (ref ? Object.values(ref) : []))
      const rows = await byNames(db).all({ names: JSON.stringify(named) })
      const known = new Map<string, R>()
      for (const row of rows) known.set(row.hid, row).set(row.uuid, row)
      return parsed.map((ref) => (ref && known.get('uuid' in ref ? ref.uuid : ref.hid)) ?? null)
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
