import { randomInt, randomUUID } from 'node:crypto'
import { createDecoder } from '../db/rows'
import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { isEnabled, isVisible } from '../db/visibility'
import type { Entity, Identity, Row } from '../model/entity'
import { HID_ALPHABET, HID_LENGTH, parseRef, type Ref } from '../model/ref'

/** What a file says of an identity. */
export type GivenIdentity = Partial<Pick<Identity, 'hid' | 'uuid'>>

/** A row's number and its system's. */
export interface RowLocation {
  id: number
  system_id: number
}

/** A member or group of a system. */
export type Owned<E> = Row<E> & Identity & { system_id: number }

/** How rows with a short ID and a UUID are found, and how new ones get theirs. */
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
  // As one JSON text, so that their number is not bounded by the engine's parameters.
  const amongAll = statement<'names', R>(
    ({ inJsonTexts }) =>
      `select * from ${table}
       where ${inJsonTexts('hid', ':names')} or ${inJsonTexts('uuid', ':names')}`,
  )

  const placeByHid = statement<'hid', RowLocation>(
    `select id, system_id from ${table} where hid = :hid and ${isEnabled(table)}`,
  )
  const placeByUuid = statement<'uuid', RowLocation>(
    `select id, system_id from ${table} where uuid = :uuid and ${isEnabled(table)}`,
  )

  const decode = createDecoder(entity)
  const decoded = (raw: R | null) => raw && decode(raw)

  const findById = async (db: Db, id: number) => decoded(await byId(db).get({ id }))

  const find = async (db: Db, ref: Ref) =>
    decoded(await ('uuid' in ref ? byUuid(db).get(ref) : byHid(db).get(ref)))

  /** The same, but for what the operator has disabled. */
  const findEnabled = async (db: Db, ref: Ref) =>
    decoded(await ('uuid' in ref ? enabledByUuid(db).get(ref) : enabledByHid(db).get(ref)))

  /** What of an identity that was given elsewhere is free here. */
  const availableParts = async (db: Db, { hid, uuid }: GivenIdentity): Promise<GivenIdentity> => {
    const isFree = async (ref: Ref) => (await find(db, ref)) === null
    return {
      ...(hid !== undefined && (await isFree({ hid })) ? { hid } : {}),
      ...(uuid !== undefined && (await isFree({ uuid })) ? { uuid } : {}),
    }
  }

  /** A new UUID, and a short ID that nobody of this kind has yet. */
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

    /** Only which row a reference names, and whose it is. */
    async locate(db: Db, text: string): Promise<RowLocation | null> {
      const ref = parseRef(text)
      if (ref === null) return null
      return await ('uuid' in ref ? placeByUuid(db).get(ref) : placeByHid(db).get(ref))
    },

    decode,

    /**
     * The rows that the references name, in their order, as they are stored; null for each that
     * names nothing.
     */
    async findAllStored(db: Db, refs: readonly string[]): Promise<(R | null)[]> {
      const parsed = refs.map((ref) => parseRef(ref))
      const named = parsed.flatMap((ref) => (ref ? Object.values(ref) : []))
      const rows = await amongAll(db).all({ names: JSON.stringify(named) })
      const known = new Map<string, R>()
      for (const row of rows) known.set(row.hid, row).set(row.uuid, row)
      return parsed.map((ref) => (ref && known.get('uuid' in ref ? ref.uuid : ref.hid)) ?? null)
    },

    /** The given identity as far as it is free here; the rest is drawn. */
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
