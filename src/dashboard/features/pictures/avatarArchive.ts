import { ApiError, request } from '../../api/client'
import { originsPath, picturePath } from '../../api/resources'
import type { OriginPage } from '../../api/types'
import { centered } from './crop'
import { decodePicture, encodePicture } from './encode'
import { readZip, type ZipEntry, ZipError, type ZipProblem } from './zip'

export type SkipReason = ZipProblem | 'unknown' | 'notPicture' | 'refused'

export interface Skipped {
  readonly name: string
  readonly reason: SkipReason
}

export interface Progress {
  readonly done: number
  readonly total: number
}

export interface AvatarReport {
  readonly stored: number
  readonly skipped: readonly Skipped[]
  /** Error that ended the upload, such as a full limit. */
  readonly problem: unknown
}

/** Collections of a Simply Plural file whose documents have pictures. */
const collections = ['members', 'frontStatuses', 'users'] as const

/** Loads the paths of pictures by the IDs of the imported file. */
async function loadPicturePaths(): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const collection of collections)
    for (let after: string | null = ''; after !== null; ) {
      const page: OriginPage | null = await request(originsPath(collection, after))
      for (const { id, target } of page?.rows ?? [])
        paths.set(id, collection === 'users' ? 'systems/@me' : `members/${target}`)
      after = page?.next ?? null
    }
  return paths
}

/**
 * Sends the pictures of an avatar archive, one after the other. Entries are matched by the ID in
 * their name; what cannot be used is skipped and named.
 */
export async function sendAvatars(
  file: Blob,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<AvatarReport> {
  const entries = await readZip(file)
  const paths = await loadPicturePaths()
  const skipped: Skipped[] = []
  let stored = 0
  for (const [done, entry] of entries.entries()) {
    onProgress({ done, total: entries.length })
    if (signal.aborted) break
    try {
      const reason = await sendAvatar(entry, paths, signal)
      if (reason === null) stored++
      else skipped.push({ name: entry.name, reason })
    } catch (problem) {
      return { stored, skipped, problem }
    }
  }
  return { stored, skipped, problem: null }
}

/** Sends one entry. Returns why it was skipped; throws what would stop every further one, too. */
async function sendAvatar(
  entry: ZipEntry,
  paths: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<SkipReason | null> {
  if (entry.problem) return entry.problem
  const path = paths.get(/^([^/\\]+)\.png$/.exec(entry.name)?.[1] ?? '')
  if (path === undefined) return 'unknown'
  const file = await encodeEntry(entry)
  if (typeof file === 'string') return file
  try {
    await request(picturePath(path), { method: 'PUT', file, signal })
    return null
  } catch (cause) {
    // A member that was deleted since the import.
    if (cause instanceof ApiError && cause.status === 404) return 'unknown'
    if (cause instanceof ApiError && cause.status === 413) return 'refused'
    throw cause
  }
}

async function encodeEntry(entry: ZipEntry): Promise<Blob | SkipReason> {
  try {
    const picture = await decodePicture(await entry.read())
    if (!picture) return 'notPicture'
    const encoded = await encodePicture(picture, centered)
    picture.close()
    return encoded
  } catch (cause) {
    if (cause instanceof ZipError) return cause.problem
    throw cause
  }
}
