import atkinson from '@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2'
import { effect } from '@preact/signals'
import { type Appearance, appearance } from './appearance'

/** Loads only the chosen font, now and after every change. Called once. */
export function fetchFonts(): void {
  const requested = new Set<Appearance['font']>()
  effect(() => {
    const { font } = appearance.value
    if (requested.has(font)) return
    requested.add(font)
    // Not awaited: the page uses a font of the device until this one has arrived.
    fetchFont(font).catch(() => requested.delete(font))
  })
}

async function fetchFont(font: Appearance['font']): Promise<void> {
  if (font === 'atkinson')
    await addFontFace('Atkinson Hyperlegible Next', new URL(atkinson, import.meta.url), '200 800')
  if (font !== 'opendyslexic') return
  const { fontFaces } = await import('./opendyslexic')
  await Promise.all(
    fontFaces.map(({ address: url, weight }) => addFontFace('OpenDyslexic', url, weight)),
  )
}

async function addFontFace(name: string, url: URL, weight: string): Promise<void> {
  document.fonts.add(await new FontFace(name, `url("${url}")`, { weight }).load())
}
