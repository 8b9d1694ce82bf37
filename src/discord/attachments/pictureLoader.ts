import { MAX_PICTURE_BYTES } from '../../model/pictures/picture'
import { createByteBudget } from './byteBudget'
import { type DownloadOptions, downloadFile } from './download'

/** Downloads pictures of Discord's CDN as small as the server can store them. */
export interface PictureLoader {
  /** Throws a `DownloadError`. Only some downloads run at a time, and others wait. */
  load(address: string): Promise<Uint8Array<ArrayBuffer>>
}

/** Width and height that are asked for, as for pictures that the dashboard scales. */
const SIDE = 512
const DOWNLOADS = 4

export function createPictureLoader(options: DownloadOptions): PictureLoader {
  const budget = createByteBudget(DOWNLOADS * MAX_PICTURE_BYTES)
  return {
    load: (address) =>
      budget.reserve(MAX_PICTURE_BYTES, async () => {
        const smaller = toSmallerPicture(address, options.origins)
        return new Uint8Array(
          await (await downloadFile(smaller, MAX_PICTURE_BYTES, options)).arrayBuffer(),
        )
      }),
  }
}

/**
 * Returns the address of a smaller version. Files of messages are scaled by the media host, the last
 * of the origins; pictures of accounts by the CDN itself ("Image Formatting").
 */
export function toSmallerPicture(address: string, origins: readonly string[]): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !origins.includes(url.origin)) return address
  if (/^\/(?:ephemeral-)?attachments\//.test(url.pathname)) {
    const scaled = new URL(`${url.pathname}${url.search}`, origins.at(-1))
    for (const [name, value] of [
      ['width', SIDE],
      ['height', SIDE],
      ['format', 'webp'],
    ] as const)
      scaled.searchParams.set(name, String(value))
    return scaled.href
  }
  url.pathname = url.pathname.replace(/\.\w+$/, '.webp')
  url.searchParams.set('size', String(SIDE))
  return url.href
}
