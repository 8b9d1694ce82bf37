import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundledFile, bundlePage, isLasting } from '../../src/web/bundle'
import { packFile } from '../../src/web/pages'

const files = await bundlePage()
const KB = 1024
const performance = readFileSync(join(import.meta.dir, '../../docs/performance.md'), 'utf8')

const packed = ({ bytes }: BundledFile) => Bun.gzipSync(bytes, { level: 9 }).length
const text = ({ bytes }: BundledFile) => new TextDecoder().decode(bytes)

describe('what a browser fetches', () => {
  const page = files.find(({ path }) => path === '/') as BundledFile
  const scripts = files.filter(({ path }) => path.endsWith('.js'))
  const isFont = ({ path }: BundledFile) => path.endsWith('.woff2')

  /** What a file names of the others: scripts it imports, or, of any kind, what it speaks of. */
  const named = (file: BundledFile, form: RegExp) =>
    [...text(file).matchAll(form)].flatMap(
      ([, name]) => files.find(({ path }) => path === `/assets/${name}`) ?? [],
    )

  /** What the first script imports before it runs; the rest comes when it is asked for. */
  const firstScripts = () => {
    const needed = new Set(named(page, /src="\.?\/assets\/([^"]+\.js)"/g))
    for (const file of needed)
      for (const one of named(file, /(?:from|import)\s*["']\.\/([^"']+)["']/g)) needed.add(one)
    return [...needed]
  }

  /** The page, what it links to, its scripts, and the font that they fetch. */
  const firstVisit = () => {
    const linked = named(page, /href="\.?\/assets\/([^"]+)"/g)
    const fonts = firstScripts().flatMap((file) => named(file, /["']\.\/([^"']+\.woff2)["']/g))
    return new Set([page, ...linked, ...firstScripts(), ...fonts])
  }

  const sent = (file: BundledFile) => (isFont(file) ? file.bytes.length : packed(file))
  const weigh = (some: Iterable<BundledFile>) =>
    [...some].reduce((sum, file) => sum + sent(file), 0)
  const laterScripts = () => scripts.filter((file) => !firstScripts().includes(file))
  const byWeight = (one: BundledFile, other: BundledFile) => sent(other) - sent(one)
  const styles = files.filter(({ path }) => path.endsWith('.css'))

  test.each<[what: string, budget: number, of: Iterable<BundledFile>]>([
    ['the page', 1.5, [page]],
    ['the style', 8, styles],
    ['the script of the first visit', 40, firstScripts()],
    ['everything of the first visit but data and pictures', 90, firstVisit()],
    ...laterScripts().map((file): [string, number, BundledFile[]] => [
      `the later part ${file.path}`,
      12,
      [file],
    ]),
  ])('%s is at most %p KB', (_, budget, of) => {
    expect(weigh(of)).toBeGreaterThan(0)
    expect(weigh(of) / KB).toBeLessThanOrEqual(budget)
  })

  test.each<[what: string, of: Iterable<BundledFile>]>([
    ['page', [page]],
    ['style', styles],
    ['script of the first visit', firstScripts()],
    ['everything of the first visit but data and pictures', firstVisit()],
    ['the largest part that is fetched later', [laterScripts().toSorted(byWeight)[0] ?? page]],
    ['OpenDyslexic, for who chooses it', files.filter(({ path }) => /dyslexic.*woff2/.test(path))],
  ])('weighs what docs/performance.md states: %s', (what, of) => {
    const row = performance.split('\n').find((line) => line.startsWith(`| ${what} `))
    const stated = Number(row?.split('|')[2])
    expect(Math.abs(weigh(of) / KB - stated)).toBeLessThanOrEqual(Math.max(0.1, stated * 0.05))
  })

  test('is one style, one font that all get, and parts for later', () => {
    expect(styles.length).toBe(1)
    expect([...firstVisit()].filter(isFont).map(({ path }) => path)).toEqual([
      expect.stringContaining('atkinson'),
    ])
    expect(scripts.length - firstScripts().length).toBeGreaterThan(2)
  })

  test('of the second visit is an answer without a body; all else was kept', () => {
    const asked = files.filter(({ path }) => !isLasting(path)).map(({ path }) => path)
    // Of the manifests a browser asks for one, and only where it may be installed.
    expect(asked.sort()).toEqual(['/', '/app.webmanifest', '/watch.webmanifest'])
  })

  test('a font is packed in itself, everything else in each way', () => {
    for (const file of files)
      expect(Object.keys(packFile(file, 'quickly').ways)).toEqual(
        isFont(file) ? ['identity'] : ['identity', 'gzip', 'br'],
      )
  })
})

describe('text never becomes markup', () => {
  const folder = join(import.meta.dir, '../../src/web/app')
  const sources = [...new Bun.Glob('**/*.{ts,tsx,html}').scanSync(folder)]

  test.each([
    ['a string of HTML', /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/],
    ['code made of text', /\beval\(|new Function\(/],
    ['a style in the page', /<[^>]+ style="/],
  ])('nowhere is there %s', (_, forbidden) => {
    const found = sources.filter((file) => forbidden.test(readFileSync(join(folder, file), 'utf8')))
    expect(sources.length).toBeGreaterThan(30)
    expect(found).toEqual([])
  })
})
