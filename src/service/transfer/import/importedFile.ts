import type { Bundle, BundlePicture } from '../../../formats/bundle'
import type { ArchivedRow, BundleChunk, BundleHead } from '../../../formats/chunks'
import { forEachExtPart } from '../../../model/transfer/transfer'

/** Parts of a file in the order in which they are read. */
const fileParts = ['head', 'groups', 'switches', 'ext', 'origins', 'kept'] as const
export type FilePart = (typeof fileParts)[number]

/**
 * A file while it is imported. The lists of switches and archived rows may be long, so only a batch
 * of them is in memory; all other lists are complete once their part was read.
 */
export class ImportedFile {
  readonly pictures: BundlePicture[] = []
  readonly members: Bundle['members'] = []
  readonly groups: Bundle['groups'] = []
  readonly ext: Bundle['ext'] = forEachExtPart(() => [])
  readonly origins: Bundle['origins'] = []
  switches: Bundle['switches'] = []
  kept: ArchivedRow[] = []
  #next: BundleChunk | undefined

  private constructor(
    readonly head: BundleHead,
    readonly chunks: AsyncIterator<BundleChunk>,
  ) {}

  static async open(parsed: AsyncIterable<BundleChunk>): Promise<ImportedFile> {
    const chunks = parsed[Symbol.asyncIterator]()
    const { value: first } = await chunks.next()
    if (!first || !('head' in first)) throw new Error('first chunk of an import is not its head')
    return new ImportedFile(first.head, chunks)
  }

  /** Reads the file up to the end of a part. Yields once, or for each batch of a long list. */
  async *read(part: FilePart, onChunk: () => Promise<void>): AsyncGenerator<void> {
    const isLong = part === 'switches' || part === 'kept'
    while (part !== 'head') {
      this.#next ??= (await this.chunks.next()).value
      if (!this.#next) break
      const next = partOf(this.#next)
      if (fileParts.indexOf(next) > fileParts.indexOf(part)) break
      this.#add(this.#next)
      this.#next = undefined
      if (isLong && next === part) yield
      await onChunk()
    }
    if (!isLong) yield
  }

  async close(): Promise<void> {
    await this.chunks.return?.()
  }

  #add(chunk: BundleChunk): void {
    if ('switches' in chunk) this.switches = chunk.switches
    else if ('kept' in chunk) this.kept = chunk.kept
    else if ('pictures' in chunk) this.pictures.push(...chunk.pictures)
    else if ('members' in chunk) this.members.push(...chunk.members)
    else if ('groups' in chunk) this.groups.push(...chunk.groups)
    else if ('ext' in chunk) this.ext[chunk.part].push(...chunk.ext)
    else if ('origins' in chunk) this.origins.push(...chunk.origins)
  }
}

function partOf(chunk: BundleChunk): FilePart {
  if ('switches' in chunk) return 'switches'
  if ('ext' in chunk) return 'ext'
  if ('origins' in chunk) return 'origins'
  return 'kept' in chunk ? 'kept' : 'groups'
}
