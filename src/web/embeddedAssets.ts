import type { Packed } from './bundle'

/** The files of the page, ready to be sent: the build puts them here. From source there are none. */
export const embeddedAssets: readonly Packed[] | null = null
