import regular from '@fontsource/opendyslexic/files/opendyslexic-latin-400-normal.woff2'
import bold from '@fontsource/opendyslexic/files/opendyslexic-latin-700-normal.woff2'

/** Separate chunk, because the font is large and loaded only when chosen. */
export const fontFaces = [
  { address: new URL(regular, import.meta.url), weight: '400' },
  { address: new URL(bold, import.meta.url), weight: '700' },
]
