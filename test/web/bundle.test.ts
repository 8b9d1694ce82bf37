import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundled, bundlePage } from '../../src/web/bundle'

const files = await bundlePage()
const KB = 1024

const packed = ({ bytes }: Bundled) => Bun.gzipSync(bytes, { level: 9 }).length
const text = ({ bytes }: Bundled) => new TextDecoder().decode(bytes)

describe('what a browser fetches', () => {
  const page = files.find(({ path }) => path === '/')
  const scripts = files.filter(({ path }) => path.endsWith('.js'))

  /** What the first script imports before it runs; the rest comes when it is asked for. */
  const firstScripts = () => {
    const needed = new Set<Bundled>()
    const add = (path: string) => {
      const file = scripts.find((one) => one.path === path)
      if (!file || needed.has(file)) return
      needed.add(file)
      for (const [, name] of text(file).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g))
        add(`/assets/${name}`)
    }
    for (const [, path] of text(page as Bundled).matchAll(/src="\.?(\/assets\/[^"]+\.js)"/g))
      add(path ?? '')
    return [...needed]
  }

  test('the page is at most 1.5 KB', () => {
    expect(packed(page as Bundled)).toBeLessThanOrEqual(1.5 * KB)
  })

  test('the style is at most 8 KB', () => {
    const styles = files.filter(({ path }) => path.endsWith('.css'))
    expect(styles.length).toBe(1)
    expect(styles.reduce((sum, file) => sum + packed(file), 0)).toBeLessThanOrEqual(8 * KB)
  })

  test('the script of the first visit is at most 40 KB, each later part 12 KB', () => {
    const first = firstScripts()
    expect(first.length).toBeGreaterThan(0)
    expect(first.reduce((sum, file) => sum + packed(file), 0)).toBeLessThanOrEqual(40 * KB)
    const later = scripts.filter((file) => !first.includes(file))
    expect(later.length).toBeGreaterThan(2)
    for (const file of later) expect(packed(file)).toBeLessThanOrEqual(12 * KB)
  })

  test('everything of the first visit but data is at most 90 KB', () => {
    const others = files.filter(({ path }) => !path.endsWith('.js'))
    const all = [...others, ...firstScripts()]
    const sent = (file: Bundled) =>
      file.path.endsWith('.woff2') ? file.bytes.length : packed(file)
    expect(all.reduce((sum, file) => sum + sent(file), 0)).toBeLessThanOrEqual(90 * KB)
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
