import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BundledFile, bundlePage, type EncodedFile, type Encodings, isLasting } from './bundle'
import { embeddedAssets } from './embeddedAssets'

export interface PageFile extends EncodedFile {
  readonly etag: string
}

export type Pages = ReadonlyMap<string, PageFile>

/** Loads the files of the page: those the build embedded, or bundled now when run from source. */
export async function loadPages(): Promise<Pages> {
  const files = embeddedAssets ?? (await bundlePage()).map((file) => packFile(file, 'quickly'))
  const entries = await Promise.all(
    files.map(async (file) => {
      const hash = Bun.hash(await bytesOf(file.ways.identity)).toString(36)
      return [file.path, { ...file, etag: `"${hash}"` }] as const
    }),
  )
  return new Map(entries)
}

/** Compresses a file once, so that no request waits for it. */
export function packFile(
  { path, type, bytes }: BundledFile,
  how: 'well' | 'quickly',
): EncodedFile & { ways: Encodings<Uint8Array<ArrayBuffer>> } {
  const file = { path, type, isLasting: isLasting(path) }
  // WOFF2 is already compressed.
  if (path.endsWith('.woff2')) return { ...file, ways: { identity: bytes } }
  const quality = how === 'well' ? constants.BROTLI_MAX_QUALITY : 4
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  })
  return {
    ...file,
    ways: {
      identity: bytes,
      gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
      br: new Uint8Array(brotli),
    },
  }
}

async function bytesOf(
  content: string | Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer | Uint8Array> {
  return typeof content === 'string' ? await Bun.file(content).arrayBuffer() : content
}
