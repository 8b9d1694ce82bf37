import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promises as streams } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { reasonOf } from '../sqlite/errors'
import { fsync, fsyncDir, partialName, removePartials, statOf } from '../sqlite/tempFiles'
import { discard } from '../sqlite/vacuumCopy'
import { StorageError } from '../types'

/** First bytes of every zstd file. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Writes a compressed backup, under a temporary name until it is complete. */
export async function compressBackup(
  to: string,
  writePlain: (plain: string) => Promise<void>,
): Promise<void> {
  if (statOf(to)) throw new StorageError(`${to} exists already.`)
  const plain = partialName(`${to}.plain`)
  const compressed = partialName(to)
  try {
    await writePlain(plain)
    await streams.pipeline(
      createReadStream(plain),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      writeTo(compressed),
    )
    fsync(compressed, 'r+')
    renameSync(compressed, to)
    fsyncDir(dirname(to))
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${reasonOf(to, cause)}.`)
  } finally {
    discard(plain)
    discard(compressed)
  }
}

/**
 * Passes the path of the uncompressed backup to `work`; that is `from` itself if it is not
 * compressed.
 */
export async function withDecompressed<T>(
  from: string,
  folder: string,
  work: (plain: string) => Promise<T>,
): Promise<T> {
  if (!isCompressed(from)) return work(from)
  const plain = partialName(join(folder, 'unpacked'))
  try {
    mkdirSync(folder, { recursive: true })
    removePartials(folder)
    await streams.pipeline(createReadStream(from), createZstdDecompress(), writeTo(plain))
  } catch (cause) {
    rmSync(plain, { force: true })
    throw new StorageError(`${from} cannot be unpacked: ${reasonOf(plain, cause)}.`)
  }
  try {
    return await work(plain)
  } catch (cause) {
    // The caller knows the compressed file only.
    if (cause instanceof StorageError)
      throw new StorageError(cause.message.replaceAll(plain, from), cause.fault)
    throw cause
  } finally {
    discard(plain)
  }
}

/** Creates the file readable by its owner only. */
function writeTo(path: string) {
  return createWriteStream(path, { flags: 'wx', mode: 0o600 })
}

function isCompressed(path: string): boolean {
  if (!statOf(path)?.isFile()) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(MAGIC.length)
    return readSync(file, start) === MAGIC.length && start.equals(MAGIC)
  } finally {
    closeSync(file)
  }
}
