import type { EncodedFile } from './bundle'

/** Encoded files of the page. The build replaces this module; null when run from source. */
export const embeddedAssets: readonly EncodedFile[] | null = null
