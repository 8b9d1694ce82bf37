import {
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { MAX_PICTURE_BYTES, parsePictureFile } from '../model/pictures/picture'
import type { PictureFiles } from '../service/transfer/import/importRun'
import { Failure } from './command'

/** Path that means standard input or output. */
export const STANDARD = '-'

/** Reads a file to import, decompressing gzip. It never holds more than the limit in memory. */
export async function readImport(path: string, limit: number): Promise<Uint8Array> {
  const name = path === STANDARD ? 'standard input' : path
  const bytes = await readBounded(path, name, limit)
  return isGzip(bytes) ? decompress(bytes, name, limit) : bytes
}

/** Reads a stream, so that inputs without a size, such as pipes, are bounded too. */
async function readBounded(path: string, name: string, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    const stream = path === STANDARD ? Bun.stdin.stream() : Bun.file(path).stream()
    for await (const chunk of stream) {
      size += chunk.length
      if (size > limit) throw tooLarge(name, limit)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(`${name} cannot be read.`)
  }
  return Buffer.concat(chunks)
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b
}

function decompress(bytes: Uint8Array, name: string, limit: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`${name}, decompressed,`, limit)
    throw new Failure(`${name} cannot be decompressed: it is truncated or damaged.`)
  }
}

function tooLarge(name: string, limit: number): Failure {
  return new Failure(`${name} is larger than ${limit} bytes (IMPORT_LIMIT).`)
}

/** Opens a folder with pictures by their names, as an export writes them. */
export function openPictureFolder(path: string): PictureFiles {
  const files = new Map(
    listFiles(path).flatMap((file) => {
      const picture = parsePictureFile(file)
      return picture ? [[picture.name, file] as const] : []
    }),
  )
  return {
    async read(name) {
      const file = files.get(name)
      if (file === undefined) return { why: 'picture_not_in_folder' }
      try {
        // One byte more than allowed is enough to be refused.
        return await Bun.file(join(path, file))
          .slice(0, MAX_PICTURE_BYTES + 1)
          .bytes()
      } catch {
        return { why: 'picture_unreadable' }
      }
    },
  }
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    throw new Failure(`${folder} is not a folder that can be read.`)
  }
}

/** Writes the file atomically. An existing file is overwritten only if forced. */
export function writeExport(path: string, bytes: Uint8Array, isForced: boolean): void {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() && !isForced)
      throw new Failure(`${path} already exists; use --force to overwrite it.`)
    // Pipes and devices cannot be replaced by a rename.
    if (stats && !stats.isFile()) writeFileSync(path, bytes)
    else writeAtomically(stats ? realpathSync(path) : path, bytes)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(`${path} cannot be written.`)
  }
}

/** Creates a folder unless it exists. */
export function createFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch {
    throw new Failure(`${path} cannot be created.`)
  }
}

function writeAtomically(path: string, bytes: Uint8Array): void {
  const partial = `${path}.partial-${process.pid}`
  try {
    writeFileSync(partial, bytes, { flag: 'wx' })
    renameSync(partial, path)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw cause
  }
}
