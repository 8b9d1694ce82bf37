import { join } from 'node:path'

/** A file of the page, in each of the ways it may be sent; a way is a path, or the bytes. */
export interface Packed {
  /** Under which it is asked for. */
  readonly path: string
  readonly type: string
  /** Its name changes with what is in it, so it may be kept for ever. */
  readonly isLasting: boolean
  readonly ways: Ways<string | Uint8Array<ArrayBuffer>>
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** As it is, and packed where that makes it smaller. */
export type Ways<T> = Readonly<{ identity: T } & Partial<Record<Encoding, T>>>

export interface Bundled {
  readonly path: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Bundles the page for browsers: by the build, or from source at the first visit. */
export async function bundlePage(): Promise<Bundled[]> {
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

/** What makes it installable: the dashboard, and the page of a friend. */
export const manifests = ['app.webmanifest', 'watch.webmanifest'] as const

/** Lies where the page does, so that what it names is named alike; its icons got new names. */
async function bundleManifest(name: string, files: readonly Bundled[]): Promise<Bundled> {
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

export function isLasting(path: string): boolean {
  return path.startsWith('/assets/')
}
