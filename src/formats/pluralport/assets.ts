import type { JsonObject } from '../../model/entity'
import { isObject } from '../../model/validation'
import type { Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { readRef } from '../repair'
import { textOf } from '../simplyplural/rows'
import { archiveName } from './format'

/** Largest picture that the server stores. */
export const MAX_PICTURE_BYTES = 512 * 1024

/** A picture that is inside the file, or an address of one. */
export interface PictureUse {
  subject: Subject
  /** Key of the row that would hold the address. */
  field: string
}

/**
 * Returns the address of a picture that a file contains as data, null if it is not stored. This is
 * the one place that decides what becomes of such data.
 */
export function importPicture(
  data: InlineData,
  { subject, field }: PictureUse,
  log: ImportLog,
): string | null {
  const why =
    data.bytes > MAX_PICTURE_BYTES
      ? 'the picture is larger than 512 KiB'
      : 'the picture is inside the file, and only addresses of pictures are imported'
  log.repair(subject, field, null, null, why)
  log.skip(archiveName('assets'))
  return null
}

/** Data of an asset, in base64. */
export interface InlineData {
  base64: string
  /** Number of bytes after decoding. */
  bytes: number
}

/** Assets of a file by their ID. */
export class Assets {
  readonly #rows = new Map<string, JsonObject>()
  readonly #used = new Set<string>()

  constructor(
    rows: readonly JsonObject[],
    readonly log: ImportLog,
  ) {
    for (const row of rows) {
      const id = readRef(row.id)
      if (id !== undefined && !this.#rows.has(id)) this.#rows.set(id, row)
    }
  }

  /** Returns the address of the picture that a record names; null without one. */
  picture(ref: unknown, use: PictureUse): string | null {
    if (ref === undefined || ref === null || ref === '') return null
    const id = readRef(ref) ?? ''
    const asset = this.#rows.get(id)
    if (!asset) {
      this.log.repair(use.subject, use.field, ref, null, 'no such asset in this file')
      return null
    }
    this.#used.add(id)
    const address = textOf(asset.uri)?.trim()
    if (address !== undefined && !address.startsWith('data:')) return address
    const data = inlineData(asset)
    if (data) return importPicture(data, use, this.log)
    this.log.repair(use.subject, use.field, null, null, 'the asset has neither address nor data')
    return null
  }

  /** Archives assets that are no pictures of the system, its members or its groups, without data. */
  archiveOthers(rows: readonly JsonObject[]): void {
    for (const row of rows) {
      if (this.#used.has(readRef(row.id) ?? '')) continue
      const { data_base64: _, data_uri: __, ...rest } = row
      if (inlineData(row)) this.log.skip(archiveName('assets'))
      else this.log.archive(archiveName('assets'), rest)
    }
  }
}

function inlineData(asset: JsonObject): InlineData | null {
  const uri = textOf(asset.data_uri) ?? textOf(asset.uri)
  const given = textOf(asset.data_base64) ?? /^data:[^,]{0,200};base64,(.*)$/s.exec(uri ?? '')?.[1]
  if (given === undefined) return null
  const padding = /={0,2}$/.exec(given)?.[0].length ?? 0
  return { base64: given, bytes: Math.floor((given.length * 3) / 4) - padding }
}

/** Collects the pictures of an export, which has their addresses only. */
export class WrittenAssets {
  readonly records: JsonObject[] = []
  /** Addresses by the IDs of the assets. */
  readonly addresses = new Map<string, string>()

  /** Returns the ID of an asset for an address; null without one. */
  add(owner: string, kind: 'avatar' | 'banner', address: unknown): string | null {
    if (typeof address !== 'string') return null
    const id = `${owner}:${kind}`
    this.records.push({ id, kind, uri: address })
    this.addresses.set(id, address)
    return id
  }
}

/** Returns the objects of a list; other values are no rows. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
