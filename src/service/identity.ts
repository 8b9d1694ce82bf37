import { randomInt, randomUUID } from 'node:crypto'
import { eq, or, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/open'
import { prepared } from '../db/prepared'
import type { Identity } from '../model/entity'
import { HID_ALPHABET, HID_LENGTH, parseRef, type Ref } from '../model/ref'

/** What a file says of an identity. */
export type GivenIdentity = Partial<Pick<Identity, 'hid' | 'uuid'>>

type IdentifiedTable = SQLiteTable & { id: SQLiteColumn; uuid: SQLiteColumn; hid: SQLiteColumn }

/** How rows with a short ID and a UUID are found, and how new ones get theirs. */
export function identified<R extends Identity>(table: IdentifiedTable) {
  const byId = prepared((db) => select(db, eq(table.id, sql.placeholder('id'))))
  const byHid = prepared((db) => select(db, eq(table.hid, sql.placeholder('hid'))))
  const byUuid = prepared((db) => select(db, eq(table.uuid, sql.placeholder('uuid'))))
  const amongAll = prepared((db) => select(db, or(within(table.hid), within(table.uuid))))

  function select(db: Db, condition: ReturnType<typeof or>) {
    return db.select().from(table).where(condition).prepare()
  }

  const findById = async (db: Db, id: number) => ((await byId(db).get({ id })) as R) ?? null

  const find = async (db: Db, ref: Ref) => {
    const found = 'uuid' in ref ? await byUuid(db).get(ref) : await byHid(db).get(ref)
    return (found as R) ?? null
  }

  return {
    find,
    findById,

    /** The rows that the references name, in their order; null for each that names nothing. */
    async findAll(db: Db, refs: readonly string[]): Promise<(R | null)[]> {
      const parsed = refs.map((ref) => parseRef(ref))
      const names = parsed.flatMap((ref) => (ref ? Object.values(ref) : []))
      const rows = (await amongAll(db).all({ names: JSON.stringify(names) })) as R[]
      const known = new Map(
        rows.flatMap((row) => [[row.hid, row] as const, [row.uuid, row] as const]),
      )
      return parsed.map((ref) => (ref && known.get('uuid' in ref ? ref.uuid : ref.hid)) ?? null)
    },

    /** What of an identity that was given elsewhere is free here. */
    async freeOf(db: Db, { hid, uuid }: GivenIdentity): Promise<GivenIdentity> {
      const isFree = async (ref: Ref) => (await find(db, ref)) === null
      return {
        ...(hid !== undefined && (await isFree({ hid })) ? { hid } : {}),
        ...(uuid !== undefined && (await isFree({ uuid })) ? { uuid } : {}),
      }
    },

    /** A new UUID, and a short ID that nobody of this kind has yet. */
    async draw(db: Db): Promise<{ uuid: string; hid: string }> {
      for (;;) {
        const hid = drawHid()
        if ((await find(db, { hid })) === null) return { uuid: randomUUID(), hid }
      }
    },
  }
}

/** The names come as one JSON text, so that their number is not bounded by SQLite's parameters. */
function within(column: SQLiteColumn) {
  return sql`${column} in (select value from json_each(${sql.placeholder('names')}))`
}

function drawHid(): string {
  const letters = Array.from(
    { length: HID_LENGTH },
    () => HID_ALPHABET[randomInt(HID_ALPHABET.length)],
  )
  return letters.join('')
}
