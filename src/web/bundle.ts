import { join } from 'node:path'

/** File of the page in every encoding the server can send. Each encoding is a path or the bytes. */
export interface EncodedFile {
  /** Request path. */
  readonly path: string
  readonly type: string
  /** The path contains a hash of the content, so clients may cache the file indefinitely. */
  readonly isImmutable: boolean
  readonly encodings: Encodings<string | Uint8Array<ArrayBuffer>>
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** The plain file, and compressed versions where they are smaller. */
export type Encodings<T> = Readonly<{ identity: T } & Partial<Record<Encoding, T>>>

export interface BundledFile {
  readonly path: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Bundles the page for browsers: during the build, or on the first visit when run from source. */
export async function bundlePage(): Promise<BundledFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'app/index.html')],
    target: 'browser',
    minify: true,
    splitting: true,
    external: ['*.webmanifest'],
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
  })
  const files = await Promise.all(
    outputs.map(async (output) => ({
      path: pathOf(output.path),
      type: output.type,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
  return [...files, ...(await Promise.all(manifests.map((name) => bundleManifest(name, files))))]
}

/** Web app manifests: of the dashboard, and of the page for a friend. */
export const manifests = ['app.webmanifest', 'watch.webmanifest'] as const

/**
 * Emits a manifest beside the page, so that its relative URLs resolve as in the source. Icon names
 * are replaced by their hashed names.
 */
async function bundleManifest(name: string, files: readonly BundledFile[]): Promise<BundledFile> {
  const source = Bun.file(join(import.meta.dir, 'app', name))
  const text = (await source.text()).replace(/"icon\.(\w+)"/g, (_, kind) => {
    const icon = files.find(({ path }) => path.includes('/icon-') && path.endsWith(`.${kind}`))
    if (!icon) throw new Error(`${name}: there is no icon.${kind}`)
    return JSON.stringify(icon.path.slice(1))
  })
  return { path: `/${name}`, type: source.type, bytes: new TextEncoder().encode(text) }
}

function pathOf(name: string): string {
  const path = name.replaceAll('\\', '/').replace(/^\.?\/?/, '/')
  return path === '/index.html' ? '/' : path
}

export function isImmutable(path: string): boolean {
  return path.startsWith('/assets/')
}
