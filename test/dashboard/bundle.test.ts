import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundledFile, bundlePage, isImmutable } from '../../src/web/bundle'
import { compressFile } from '../../src/web/dashboardFiles'
import { describe, expect, test } from '../tools/test'

const files = await bundlePage()
const KB = 1024
const performance = readFileSync(join(import.meta.dir, '../../docs/performance.md'), 'utf8')

const packed = ({ bytes }: BundledFile) => Bun.gzipSync(bytes, { level: 9 }).length
const text = ({ bytes }: BundledFile) => new TextDecoder().decode(bytes)

describe('the bundle', () => {
  const page = files.find(({ path }) => path === '/') as BundledFile
  const scripts = files.filter(({ path }) => path.endsWith('.js'))
  const isFont = ({ path }: BundledFile) => path.endsWith('.woff2')

  /** Returns the files that a file references in the given form: imported scripts, or any asset. */
  const named = (file: BundledFile, form: RegExp) =>
    [...text(file).matchAll(form)].flatMap(
      ([, name]) => files.find(({ path }) => path === `/assets/${name}`) ?? [],
    )

  /**
   * Returns the first script and everything it imports statically; other scripts are loaded on
   * demand.
   */
  const firstScripts = () => {
    const needed = new Set(named(page, /src="\.?\/assets\/([^"]+\.js)"/g))
    for (const file of needed)
      for (const one of named(file, /(?:from|import)\s*["']\.\/([^"']+)["']/g)) needed.add(one)
    return [...needed]
  }

  /** Returns the scripts with the English texts that a first visit loads. */
  const firstTexts = () => laterScripts().filter((file) => text(file).includes('Welcome home'))

  /** Returns everything that a first visit loads: page, linked files, scripts, texts and font. */
  const firstVisit = () => {
    const linked = named(page, /href="\.?\/assets\/([^"]+)"/g)
    const fonts = firstScripts().flatMap((file) => named(file, /["']\.\/([^"']+\.woff2)["']/g))
    return new Set([page, ...linked, ...firstScripts(), ...firstTexts(), ...fonts])
  }

  const sent = (file: BundledFile) => (isFont(file) ? file.bytes.length : packed(file))
  const weigh = (some: Iterable<BundledFile>) =>
    [...some].reduce((sum, file) => sum + sent(file), 0)
  const laterScripts = () => scripts.filter((file) => !firstScripts().includes(file))
  const byWeight = (one: BundledFile, other: BundledFile) => sent(other) - sent(one)
  const styles = files.filter(({ path }) => path.endsWith('.css'))

  test.each<[what: string, budget: number, of: Iterable<BundledFile>]>([
    ['the page', 1.5, [page]],
    ['the style sheet', 8, styles],
    ['the scripts of the first visit', 40, [...firstScripts(), ...firstTexts()]],
    ['the first visit, without data and pictures,', 85, firstVisit()],
    ...laterScripts().map((file): [string, number, BundledFile[]] => [
      `the lazy script ${file.path}`,
      12,
      [file],
    ]),
  ])('the bundle keeps %s within %p KB', (_, budget, of) => {
    expect(weigh(of)).toBeGreaterThan(0)
    expect(weigh(of) / KB).toBeLessThanOrEqual(budget)
  })

  test.each<[what: string, of: Iterable<BundledFile>]>([
    ['page', [page]],
    ['style sheet', styles],
    ['scripts of the first visit, with English', [...firstScripts(), ...firstTexts()]],
    ['first visit, without data and pictures', firstVisit()],
    ['largest script loaded on demand', [laterScripts().toSorted(byWeight)[0] ?? page]],
    ['OpenDyslexic, if chosen', files.filter(({ path }) => /dyslexic.*woff2/.test(path))],
  ])('the bundle has the size stated in docs/performance.md: %s', (what, of) => {
    const row = performance.split('\n').find((line) => line.startsWith(`| ${what} `))
    const stated = Number(row?.split('|')[2])
    expect(Math.abs(weigh(of) / KB - stated)).toBeLessThanOrEqual(Math.max(0.1, stated * 0.05))
  })

  test('the bundle has one style sheet, one default font and several lazy scripts', () => {
    expect(styles.length).toBe(1)
    expect([...firstVisit()].filter(isFont).map(({ path }) => path)).toEqual([
      expect.stringContaining('atkinson'),
    ])
    expect(scripts.length - firstScripts().length).toBeGreaterThan(2)
  })

  test('the bundle lets browsers cache everything but the page, its worker and the manifests', () => {
    const uncached = files.filter(({ path }) => !isImmutable(path)).map(({ path }) => path)
    // A browser requests one of the manifests, and only if the page can be installed.
    expect(uncached.sort()).toEqual([
      '/',
      '/app.de.webmanifest',
      '/app.webmanifest',
      '/sw.js',
      '/watch.de.webmanifest',
      '/watch.webmanifest',
    ])
  })

  test('the bundle has the first texts of each language in a script of its own', () => {
    const welcomes = ['Welcome home', 'Willkommen zu Hause']
    const found = welcomes.map((welcome) => scripts.filter((file) => text(file).includes(welcome)))
    expect(found.map((files) => files.length)).toEqual([1, 1])
    expect(found.flat().filter((file) => firstScripts().includes(file))).toEqual([])
  })

  test('packFile compresses every file except fonts', () => {
    for (const file of files)
      expect(Object.keys(compressFile(file, 'fast').encodings)).toEqual(
        isFont(file) ? ['identity'] : ['identity', 'gzip', 'br'],
      )
  })
})

describe('the source of the dashboard', () => {
  const folder = join(import.meta.dir, '../../src/dashboard')
  const sources = [...new Bun.Glob('**/*.{ts,tsx,html}').scanSync(folder)]

  test.each([
    ['string of HTML', /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/],
    ['code built from text', /\beval\(|new Function\(/],
    ['inline style in HTML', /<[^>]+ style="/],
  ])('the dashboard source contains no %s', (_, forbidden) => {
    const found = sources.filter((file) => forbidden.test(readFileSync(join(folder, file), 'utf8')))
    expect(sources.length).toBeGreaterThan(30)
    expect(found).toEqual([])
  })
})
