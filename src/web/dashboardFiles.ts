import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import {
  type BundledFile,
  bundlePage,
  type EncodedFile,
  type Encodings,
  isImmutable,
} from './bundle'
import { embeddedAssets } from './embeddedAssets'

export interface PageFile extends EncodedFile {
  readonly etag: string
}

export type Pages = ReadonlyMap<string, PageFile>

/** Loads the files of the page: those the build embedded, or bundled now when run from source. */
export async function loadPages(): Promise<Pages> {
  const files = embeddedAssets ?? (await bundlePage()).map((file) => compressFile(file, 'fast'))
  const entries = await Promise.all(
    files.map(async (file) => {
      const hash = Bun.hash(await bytesOf(file.encodings.identity)).toString(36)
      return [file.path, { ...file, etag: `"${hash}"` }] as const
    }),
  )
  return new Map(entries)
}

/** Compresses a file once, so that no request waits for it. */
export function compressFile(
  { path, type, bytes }: BundledFile,
  how: 'best' | 'fast',
): EncodedFile & { encodings: Encodings<Uint8Array<ArrayBuffer>> } {
  const file = { path, type, isImmutable: isImmutable(path) }
  // WOFF2 is already compressed.
  if (path.endsWith('.woff2')) return { ...file, encodings: { identity: bytes } }
  const quality = how === 'best' ? constants.BROTLI_MAX_QUALITY : 4
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  })
  return {
    ...file,
    encodings: {
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
