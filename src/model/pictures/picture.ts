/** Largest picture that the server stores, in bytes. */
export const MAX_PICTURE_BYTES = 512 * 1024

/** Largest width and height of a picture that the server stores. */
export const MAX_PICTURE_SIDE = 4096

/** Media types of pictures by the ending of their file. */
export const pictureTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
} as const

export type PictureType = keyof typeof pictureTypes

export const pictureEndings = Object.keys(pictureTypes) as [PictureType, ...PictureType[]]

/** Random bytes of a name: 24 characters of base64url, too many to be guessed. */
export const PICTURE_NAME_BYTES = 18

const magicBytes: readonly [PictureType, readonly [offset: number, bytes: string][]][] = [
  ['png', [[0, '\x89PNG\r\n\x1a\n']]],
  ['jpg', [[0, '\xff\xd8\xff']]],
  [
    'webp',
    [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  ],
  ['gif', [[0, 'GIF87a']]],
  ['gif', [[0, 'GIF89a']]],
]

/** Returns the type of a picture by its first bytes; null for everything else, such as SVG. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | null {
  const entry = magicBytes.find(([, parts]) =>
    parts.every(([offset, text]) =>
      Array.from(text).every(
        (character, index) => bytes[offset + index] === character.charCodeAt(0),
      ),
    ),
  )
  return entry?.[0] ?? null
}

const FILE = new RegExp(`^([\\w-]{24})\\.(${pictureEndings.join('|')})$`)

/** Splits the name of a file; null if no picture can have it. */
export function parsePictureFile(file: string): { name: string; type: PictureType } | null {
  const [, name, type] = FILE.exec(file) ?? []
  return name && type ? { name, type: type as PictureType } : null
}

/** Folder of the addresses of pictures. */
export const PICTURE_FOLDER = 'pictures'

const SLASH = '(?:/|%2f)'
const ADDRESS = new RegExp(
  `${SLASH}${PICTURE_FOLDER}${SLASH}([\\w-]{24})\\.(?:${pictureEndings.join('|')})(?![\\w-])`,
  'gi',
)

/**
 * Returns the names of the pictures that an address names, on whichever host, also with a query or
 * inside the address of a proxy.
 */
export function pictureNamesIn(url: string): string[] {
  return Array.from(url.matchAll(ADDRESS), ([, name = '']) => name)
}

export function pictureUrl(publicUrl: string, name: string, type: PictureType): string {
  return `${publicUrl}/${PICTURE_FOLDER}/${name}.${type}`
}

/** A picture as it is stored, without what was written about it. */
export interface StrippedPicture {
  readonly type: PictureType
  readonly bytes: Uint8Array<ArrayBuffer>
}
