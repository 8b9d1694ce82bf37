import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type Bundled, bundlePage, isLasting, type Packed, type Ways } from './bundle'
import { embeddedAssets } from './embeddedAssets'

/** A file of the page as it is served. */
export interface PageFile extends Packed {
  readonly etag: string
}

export type Pages = ReadonlyMap<string, PageFile>

/** What a browser gets of the page: as the build packed it, or bundled at the first visit. */
export async function loadPages(): Promise<Pages> {
  const files = embeddedAssets ?? (await bundlePage()).map((file) => packFile(file, 'quickly'))
  const known = await Promise.all(
    files.map(async (file) => {
      const hash = Bun.hash(await bytesOf(file.ways.identity)).toString(36)
      return [file.path, { ...file, etag: `"${hash}"` }] as const
    }),
  )
  return new Map(known)
}

/** Packed once, so that nobody who visits has to wait for it. */
export function packFile(
  { path, type, bytes }: Bundled,
  how: 'well' | 'quickly',
): Packed & { ways: Ways<Uint8Array<ArrayBuffer>> } {
  const known = { path, type, isLasting: isLasting(path) }
  // Fonts are packed in themselves.
  if (path.endsWith('.woff2')) return { ...known, ways: { identity: bytes } }
  const quality = how === 'well' ? constants.BROTLI_MAX_QUALITY : 4
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  })
  return {
    ...known,
    ways: {
      identity: bytes,
      gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
      br: new Uint8Array(brotli),
    },
  }
}

async function bytesOf(way: string | Uint8Array<ArrayBuffer>): Promise<ArrayBuffer | Uint8Array> {
  return typeof way === 'string' ? await Bun.file(way).arrayBuffer() : way
}
