/** Smallest bytes that the server takes for a picture of each type. */
export const smallPictures = {
  png: bytesOf('\x89PNG\r\n\x1a\n'),
  jpg: bytesOf('\xff\xd8\xff\xe0'),
  webp: bytesOf('RIFF\x04\0\0\0WEBP'),
  gif: bytesOf('GIF89a'),
} as const

/** Returns a GIF of a number of bytes, of which only the first are right. */
export function gifOfSize(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  bytes.set(smallPictures.gif)
  return bytes
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
