import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { classifyError, isDiskNearlyFull, unavailableReason } from '../../../db/sqlite/errors'
import type { ByteSource } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'

export interface SpooledFile {
  read(): AsyncIterable<Uint8Array>
  discard(): Promise<void>
}

/** Stores files on disk from their arrival until they are imported. */
export interface Spool {
  receive(file: ByteSource): Promise<SpooledFile>
}

/** Time after which a client may retry a file that was refused because of other files. */
export const RETRY_AFTER_MS = 5000

/** Maximum bytes of all files together, eight times the largest allowed file. */
const MAX_BYTES = 512 * 1024 * 1024
/** Bytes of each file that are buffered in memory; small files are never written to disk. */
const BUFFER_BYTES = 64 * 1024
const READ_BYTES = 256 * 1024
/** Free disk space that is reserved for the database. */
const RESERVE_BYTES = 16 * 1024 * 1024

export function createSpool(folder: string, maxBytes = MAX_BYTES): Spool {
  let stored = 0
  return {
    async receive(file) {
      let handle: FileHandle | undefined
      let size = 0
      let buffer: Uint8Array[] = []
      let buffered = 0
      const discard = async () => {
        stored -= size
        await handle?.close()
      }
      try {
        for await (const chunk of file) {
          buffer.push(chunk)
          buffered += chunk.byteLength
          if (buffered <= BUFFER_BYTES) continue
          if (stored + buffered > maxBytes)
            throw error('tooManyRequests', 'other files are being imported', RETRY_AFTER_MS)
          const [bytes, at] = [Buffer.concat(buffer), size]
          stored += buffered
          size += buffered
          buffer = []
          buffered = 0
          await onDisk(folder, async () => {
            handle ??= await createFile(folder)
            await write(handle, bytes, at)
          })
        }
      } catch (cause) {
        await discard()
        throw cause
      }
      return {
        async *read() {
          if (handle) yield* readBytes(handle, size)
          yield* buffer
        },
        discard,
      }
    },
  }
}

/** Runs a disk operation. Throws a 503 if the disk is full or not writable. */
async function onDisk(folder: string, work: () => Promise<void>): Promise<void> {
  const path = join(folder, 'import')
  if (isDiskNearlyFull(path, RESERVE_BYTES)) throw unavailableReason('full')
  try {
    await work()
  } catch (cause) {
    throw unavailableReason(classifyError(path, cause)) ?? cause
  }
}

/**
 * Creates a temporary file. It is unlinked at once, so that its space is freed when it is closed,
 * even if the process is killed.
 */
async function createFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `multitude-import-${crypto.randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (cause) {
    await handle.close()
    throw cause
  }
  return handle
}

async function write(to: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  let written = 0
  while (written < bytes.byteLength) {
    const rest = bytes.byteLength - written
    written += (await to.write(bytes, written, rest, at + written)).bytesWritten
  }
}

async function* readBytes(from: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const bytes = new Uint8Array(Math.min(READ_BYTES, size - at))
    const { bytesRead } = await from.read(bytes, 0, bytes.byteLength, at)
    if (bytesRead === 0) throw new Error('spooled file is shorter than expected')
    yield bytes.subarray(0, bytesRead)
    at += bytesRead
  }
}
