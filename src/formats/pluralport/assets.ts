import type { JsonObject } from '../../model/core/entity'
import type { Reason } from '../../model/core/reasonMessages'
import { MAX_PICTURE_BYTES } from '../../model/pictures/picture'
import type { BundlePicture, Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { importedPicture, TOO_LARGE } from '../pictures/importedPicture'
import { readRef, textOf } from '../repair'
import { archiveName } from './format'

/** The record that has a picture, for the report. */
export interface PictureUse {
  subject: Subject
  /** Key of the row that would hold the address. */
  field: string
}

/** Address of the picture of an asset, or why it has none. */
type Picture = { address: string } | { why: Reason }

/** Pictures of a file by their data, so that equal ones are stored once. */
type Pictures = Map<string, BundlePicture>

/**
 * Checks a picture that a file contains as data, and adds it to the pictures of the bundle. Its
 * address is one that the import replaces by that of the stored picture.
 */
function addPicture({ base64, bytes }: InlineData, log: ImportLog, pictures: Pictures): Picture {
  const collection = archiveName('assets')
  const skip = (why: Reason) => {
    log.skip(collection)
    return { why }
  }
  // Checked before it is decoded, because it may be long.
  if (bytes > MAX_PICTURE_BYTES) return skip(TOO_LARGE)
  const isBase64 = /^[\w+/-]*={0,2}$/.test(base64)
  const stripped = importedPicture(Buffer.from(isBase64 ? base64 : '', 'base64'))
  if ('why' in stripped) return skip(stripped.why)
  const data = Buffer.from(stripped.bytes).toString('base64')
  const picture = pictures.get(data)
  const address = picture?.address ?? `https://picture.invalid/${pictures.size}`
  if (!picture) pictures.set(data, { address, type: stripped.type, base64: data, collection })
  return { address }
}

/** Data of an asset, in base64. */
interface InlineData {
  base64: string
  /** Number of bytes after decoding. */
  bytes: number
}

/** Assets of a file by their ID. */
export class Assets {
  readonly #rows = new Map<string, JsonObject>()
  /** Pictures of the assets that records name. Many records may name the same large one. */
  readonly #pictures = new Map<string, Picture>()
  readonly #inline: Pictures = new Map()

  constructor(
    rows: readonly JsonObject[],
    readonly log: ImportLog,
  ) {
    for (const row of rows) {
      const id = readRef(row.id)
      if (id !== undefined && !this.#rows.has(id)) this.#rows.set(id, row)
    }
  }

  /** Pictures inside the file that records name. */
  get pictures(): BundlePicture[] {
    return [...this.#inline.values()]
  }

  /** Returns the address of the picture that a record names; null without one. */
  picture(ref: unknown, { subject, field }: PictureUse): string | null {
    if (ref === undefined || ref === null || ref === '') return null
    const id = readRef(ref) ?? ''
    const asset = this.#rows.get(id)
    if (!asset) {
      this.log.repair(subject, field, ref, null, 'no_such_asset')
      return null
    }
    const picture = this.#pictures.get(id) ?? readPicture(asset, this.log, this.#inline)
    this.#pictures.set(id, picture)
    if ('address' in picture) return picture.address
    this.log.repair(subject, field, null, null, picture.why)
    return null
  }

  /** Archives assets that are no pictures of the system, its members or its groups, without data. */
  archiveOthers(rows: readonly JsonObject[]): void {
    for (const row of rows) {
      if (this.#pictures.has(readRef(row.id) ?? '')) continue
      const { data_base64: _, data_uri: __, ...rest } = row
      if (inlineData(row)) this.log.skip(archiveName('assets'))
      else this.log.archive(archiveName('assets'), rest)
    }
  }
}

function readPicture(asset: JsonObject, log: ImportLog, pictures: Pictures): Picture {
  const address = textOf(asset.uri)?.trim()
  if (address !== undefined && !address.startsWith('data:')) return { address }
  const data = inlineData(asset)
  return data ? addPicture(data, log, pictures) : { why: 'asset_empty' }
}

function inlineData(asset: JsonObject): InlineData | null {
  const uri = textOf(asset.data_uri) ?? textOf(asset.uri) ?? ''
  // Only the beginning is searched, because the data may be long.
  const header = /^data:[^,]*;base64,/.exec(uri.slice(0, MAX_HEADER))?.[0]
  const data = textOf(asset.data_base64) ?? (header && uri.slice(header.length))
  if (data === undefined) return null
  const base64 = data.replace(/\s+/g, '')
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return { base64, bytes: Math.floor((base64.length * 3) / 4) - padding }
}

/** Longest beginning of a data URI, with its type. */
const MAX_HEADER = 300

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
