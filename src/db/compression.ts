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
import { reasonOf } from './sqlite/errors'
import { fsync, fsyncDir, partialName, removePartials, statOf } from './sqlite/tempFiles'
import { discard } from './sqlite/vacuumCopy'
import { StorageError } from './types'

/** What every file of zstd begins with. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Writes a backup that takes less room. Nothing of it is there under its name before it is whole. */
export async function compressBackup(
  to: string,
  writePlain: (plain: string) => Promise<void>,
): Promise<void> {
  if (statOf(to)) throw new StorageError(`${to} exists already.`)
  const plain = partialName(`${to}.plain`)
  const packed = partialName(to)
  try {
    await writePlain(plain)
    await streams.pipeline(
      createReadStream(plain),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      writeTo(packed),
    )
    fsync(packed, 'r+')
    renameSync(packed, to)
    fsyncDir(dirname(to))
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(`The backup ${to} cannot be written: ${reasonOf(to, cause)}.`)
  } finally {
    discard(plain)
    discard(packed)
  }
}

/** Gives the work a backup as it was before it was packed, which most are not at all. */
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
    // Named as whoever asked knows it.
    if (cause instanceof StorageError)
      throw new StorageError(cause.message.replaceAll(plain, from), cause.trouble)
    throw cause
  } finally {
    discard(plain)
  }
}

/** For its owner alone from its first moment on. */
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
