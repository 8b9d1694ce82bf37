import atkinson from '@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2'
import { effect } from '@preact/signals'
import { type Appearance, appearance } from './appearance'

/** Fetches the font that was chosen, and no other, now and whenever it changes; to be called once. */
export function fetchFonts(): void {
  const wanted = new Set<Appearance['font']>()
  effect(() => {
    const { font } = appearance.value
    if (wanted.has(font)) return
    wanted.add(font)
    // Never in the way of the page: it is drawn with what the device has until this arrives.
    fetchFont(font).catch(() => wanted.delete(font))
  })
}

async function fetchFont(font: Appearance['font']): Promise<void> {
  if (font === 'atkinson')
    await addFace('Atkinson Hyperlegible Next', new URL(atkinson, import.meta.url), '200 800')
  if (font !== 'opendyslexic') return
  const { faces } = await import('./opendyslexic')
  await Promise.all(faces.map(({ address, weight }) => addFace('OpenDyslexic', address, weight)))
}

async function addFace(name: string, address: URL, weight: string): Promise<void> {
  document.fonts.add(await new FontFace(name, `url("${address}")`, { weight }).load())
}
