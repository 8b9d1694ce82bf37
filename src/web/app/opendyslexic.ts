import usual from '@fontsource/opendyslexic/files/opendyslexic-latin-400-normal.woff2'
import bold from '@fontsource/opendyslexic/files/opendyslexic-latin-700-normal.woff2'

/** Large, and for those who chose it: so it is a part of its own. */
export const faces = [
  { address: new URL(usual, import.meta.url), weight: '400' },
  { address: new URL(bold, import.meta.url), weight: '700' },
]
