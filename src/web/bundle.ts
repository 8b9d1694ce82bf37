import { join } from 'node:path'
import { install as german } from '../dashboard/texts/de/install'
import { install as english } from '../dashboard/texts/en/install'

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
    entrypoints: [join(import.meta.dir, '../dashboard/index.html')],
    target: 'browser',
    minify: true,
    splitting: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
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
  const withIcons = [...files, ...(await Promise.all(manifestIcons.map(readIcon)))]
  const shown = withIcons.map((file) => (file.path === '/' ? addNoScript(file) : file))
  const page = [
    ...shown,
    ...(await Promise.all(manifests.map((name) => bundleManifest(name, withIcons)))),
  ]
  return [...page, await bundleWorker(page)]
}

/** File name of the service worker. It is beside the page, whose folder is therefore its scope. */
export const WORKER = 'sw.js'

/** Bundles the service worker with the list of the files that it keeps for use without network. */
async function bundleWorker(page: readonly BundledFile[]): Promise<BundledFile> {
  const hash = new Bun.CryptoHasher('sha256')
  for (const { path, bytes } of page) hash.update(path).update(bytes)
  const paths = page.map(({ path }) => `.${path}`)
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../dashboard/worker/sw.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
    define: {
      BUILD_HASH: JSON.stringify(hash.digest('hex').slice(0, 16)),
      BUILD_FILES: JSON.stringify(paths),
    },
  })
  const [script] = outputs
  if (!script) throw new Error(`${WORKER} was not built`)
  const bytes = new Uint8Array(await script.arrayBuffer())
  return { path: `/${WORKER}`, type: script.type, bytes }
}

/** Icons that only the manifests refer to, so that the bundler does not find them. */
const manifestIcons = ['icon512', 'maskable']

async function readIcon(name: string): Promise<BundledFile> {
  const file = Bun.file(join(import.meta.dir, '../dashboard/assets', `${name}.png`))
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { path: `/assets/${name}-${Bun.hash(bytes).toString(36)}.png`, type: file.type, bytes }
}

/** Texts that are needed before a script runs, by language. */
const installTexts = { en: english, de: german }

/** Adds the text for browsers without JavaScript, in every language, because none is chosen yet. */
function addNoScript(page: BundledFile): BundledFile {
  const texts = Object.entries(installTexts).map(
    ([language, { noScript, apiPage }]) =>
      `<p lang="${language}">${noScript} <a href="docs">${apiPage}</a></p>`,
  )
  const html = new TextDecoder()
    .decode(page.bytes)
    .replace('<noscript></noscript>', `<noscript>${texts.join('')}</noscript>`)
  return { ...page, bytes: new TextEncoder().encode(html) }
}

/** Web app manifests of the dashboard and of the page for a friend, in English and by language. */
export const manifests = [
  'app.webmanifest',
  'watch.webmanifest',
  'app.de.webmanifest',
  'watch.de.webmanifest',
] as const

/**
 * Emits a manifest beside the page, so that its relative URLs resolve as in the source. Icon names
 * are replaced by their hashed names; names and descriptions are those of the language.
 */
async function bundleManifest(
  name: (typeof manifests)[number],
  files: readonly BundledFile[],
): Promise<BundledFile> {
  const kind = name.startsWith('app') ? 'app' : 'watch'
  const language = name.includes('.de.') ? 'de' : 'en'
  const { name: title, description } = installTexts[language][kind]
  const { shortcut } = installTexts[language]
  const source = Bun.file(join(import.meta.dir, '../dashboard/assets', `${kind}.webmanifest`))
  const hashedIcons = (await source.text()).replace(/"(\w+)\.(svg|png)"/g, (_, stem, suffix) => {
    const icon = files.find(
      ({ path }) => path.startsWith(`/assets/${stem}-`) && path.endsWith(`.${suffix}`),
    )
    if (!icon) throw new Error(`${name}: there is no ${stem}.${suffix}`)
    return JSON.stringify(icon.path.slice(1))
  })
  const texts = { lang: language, name: title, short_name: title, description }
  const shortcuts = [{ name: shortcut, url: './#/now/switch' }]
  const manifest = { ...JSON.parse(hashedIcons), ...texts }
  const text = JSON.stringify(kind === 'app' ? { ...manifest, shortcuts } : manifest)
  return { path: `/${name}`, type: source.type, bytes: new TextEncoder().encode(text) }
}

function pathOf(name: string): string {
  const path = name.replaceAll('\\', '/').replace(/^\.?\/?/, '/')
  return path === '/index.html' ? '/' : path
}

export function isImmutable(path: string): boolean {
  return path.startsWith('/assets/')
}
