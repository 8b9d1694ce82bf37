import fc from 'fast-check'
import { stripPicture } from '../../../src/formats/pictures/stripPicture'
import { MAX_PICTURE_SIDE, type PictureType } from '../../../src/model/pictures/picture'
import { bytesOf, gifOfSize, joined, pngChunk, pngOf, smallPictures } from '../../tools/pictures'
import { rounds } from '../../tools/rounds'
import { describe, expect, test } from '../../tools/test'

const SECRET = 'secret-place'

const number = (value: number, bytes: number) =>
  bytesOf(
    String.fromCharCode(
      ...Array.from({ length: bytes }, (_, at) => (value >> (8 * (bytes - 1 - at))) & 0xff),
    ),
  )
const little = (value: number, bytes: number) => number(value, bytes).toReversed()

/** Exif data with a device, a place and an orientation. */
function exif(orientation: number | null = null, isLittle = true): Uint8Array<ArrayBuffer> {
  const value = isLittle ? little : number
  const entry = (tag: number, type: number, count: number, data: Uint8Array) =>
    joined([value(tag, 2), value(type, 2), value(count, 4), data])
  const entries = [
    entry(0x010f, 2, SECRET.length, value(80, 4)),
    ...(orientation === null
      ? []
      : [entry(0x0112, 3, 1, joined([value(orientation, 2), value(0, 2)]))]),
    entry(0x8825, 4, 1, value(60, 4)),
  ]
  const directory = joined([value(entries.length, 2), ...entries, value(0, 4)])
  const start = joined([bytesOf(isLittle ? 'II' : 'MM'), value(42, 2), value(8, 4), directory])
  return joined([start, new Uint8Array(80 - start.length), bytesOf(SECRET)])
}

/** Exif data with the orientation only, as they are stored. */
const minimalExif = (orientation: number) =>
  joined([
    bytesOf('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0'),
    Uint8Array.of(orientation),
    bytesOf('\0\0\0\0\0\0'),
  ])

const { png, jpg, webp, gif } = smallPictures

const segment = (marker: number, data: Uint8Array) =>
  joined([Uint8Array.of(0xff, marker), number(data.length + 2, 2), data])
const app1 = (data: Uint8Array) => segment(0xe1, joined([bytesOf('Exif\0\0'), data]))

/** The JPEG, with segments after its first one. */
const jpegWith = (...segments: Uint8Array[]) =>
  joined([jpg.slice(0, 20), ...segments, jpg.slice(20)])

const chunk = (type: string, data: Uint8Array) =>
  joined([bytesOf(type), little(data.length, 4), data, new Uint8Array(data.length % 2)])

const riff = (...chunks: Uint8Array[]) => {
  const content = joined([bytesOf('WEBP'), ...chunks])
  return joined([bytesOf('RIFF'), little(content.length, 4), content])
}

const frame = webp.slice(12)
const EXIF_FLAG = 0x08
const XMP_FLAG = 0x04
const ICC_FLAG = 0x20
const ANIMATION_FLAG = 0x02

const extended = (flags: number, width = 1, height = 1) =>
  chunk('VP8X', joined([little(flags, 4), little(width - 1, 3), little(height - 1, 3)]))

const blocks = (...texts: string[]) =>
  joined([...texts.map((one) => joined([Uint8Array.of(one.length), bytesOf(one)])), bytesOf('\0')])
const extension = (label: number, ...texts: string[]) =>
  joined([Uint8Array.of(0x21, label), blocks(...texts)])

/** The GIF, with extensions before its frame. */
const gifWith = (...extensions: Uint8Array[]) =>
  joined([gif.slice(0, 13), ...extensions, gif.slice(13)])

const text = bytesOf(SECRET)

const removed: [PictureType, string, Uint8Array, Uint8Array][] = [
  ['jpg', 'Exif', jpegWith(app1(exif())), jpg],
  [
    'jpg',
    'Exif that is damaged',
    jpegWith(app1(joined([bytesOf('II*\0\xff\xff\xff\xff'), text]))),
    jpg,
  ],
  ['jpg', 'Exif that ends early', jpegWith(app1(minimalExif(6).slice(0, -4))), jpg],
  ['jpg', 'XMP', jpegWith(segment(0xe1, bytesOf(`http://ns.adobe.com/xap/1.0/\0${SECRET}`))), jpg],
  ['jpg', 'IPTC', jpegWith(segment(0xed, bytesOf(`Photoshop 3.0\0${SECRET}`))), jpg],
  ['jpg', 'a comment', jpegWith(segment(0xfe, text)), jpg],
  ['jpg', 'data of the camera', jpegWith(segment(0xec, text), segment(0xe4, text)), jpg],
  ['jpg', 'a list of more pictures', jpegWith(segment(0xe2, bytesOf(`MPF\0${SECRET}`))), jpg],
  ['jpg', 'a preview', jpegWith(segment(0xe0, bytesOf(`JFXX\0\x10${SECRET}`))), jpg],
  ['jpg', 'bytes between segments', jpegWith(bytesOf('\xff\xff')), jpg],
  ['jpg', 'what follows it, as a film', joined([jpg, app1(exif()), text]), jpg],
  ...['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'prVt'].map(
    (type): [PictureType, string, Uint8Array, Uint8Array] => [
      'png',
      `${type} before and after the data`,
      pngOf({ width: 1, height: 1, before: [pngChunk(type, text)], after: [pngChunk(type, text)] }),
      png,
    ],
  ),
  ['png', 'what follows it', joined([png, text]), png],
  [
    'webp',
    'Exif and XMP',
    riff(extended(EXIF_FLAG | XMP_FLAG), frame, chunk('EXIF', exif()), chunk('XMP ', text)),
    riff(extended(0), frame),
  ],
  [
    'webp',
    'a chunk of an odd size that is unknown',
    riff(extended(0), chunk('wrEn', bytesOf(`${SECRET}.`)), frame),
    riff(extended(0), frame),
  ],
  ['webp', 'chunks of a simple file', riff(frame, chunk('EXIF', exif(6))), webp],
  ['webp', 'what follows it', joined([webp, text]), webp],
  ['gif', 'a comment', gifWith(extension(0xfe, SECRET, SECRET)), gif],
  ['gif', 'XMP', gifWith(extension(0xff, 'XMP DataXMP', SECRET)), gif],
  ['gif', 'text that is drawn', gifWith(extension(0x01, '123456789012', SECRET)), gif],
  ['gif', 'what follows it', joined([gif, text]), gif],
]

const drawn: [PictureType, string, Uint8Array][] = [
  ['jpg', 'a colour profile', jpegWith(segment(0xe2, bytesOf('ICC_PROFILE\0\x01\x01profile')))],
  ['jpg', 'a colour transform', jpegWith(segment(0xee, bytesOf('Adobe\0d\0\0\0\0\x01')))],
  [
    'jpg',
    'restarts inside a scan',
    joined([jpg.slice(0, -2), bytesOf('\xff\xd0\xff\x001\xff\xd9')]),
  ],
  [
    'png',
    'transparency, colours and an animation',
    pngOf({
      width: 1,
      height: 1,
      before: ['tRNS', 'gAMA', 'iCCP', 'acTL', 'fcTL'].map((type) => pngChunk(type, text)),
      after: [pngChunk('fdAT', text)],
    }),
  ],
  [
    'webp',
    'a colour profile and transparency',
    riff(extended(ICC_FLAG), chunk('ICCP', bytesOf('icc')), chunk('ALPH', bytesOf('1')), frame),
  ],
  [
    'webp',
    'an animation',
    riff(
      extended(ANIMATION_FLAG),
      chunk('ANIM', bytesOf('123456')),
      chunk('ANMF', joined([bytesOf('\0'.repeat(16)), frame])),
    ),
  ],
  [
    'gif',
    'an animation',
    gifWith(extension(0xff, 'NETSCAPE2.0', '\x01\0\0'), extension(0xf9, '\0\0\0\0')),
  ],
]

/** Builds a picture with Exif data. */
const withExif: Record<Exclude<PictureType, 'gif'>, (exif: Uint8Array) => Uint8Array> = {
  jpg: (data) => jpegWith(app1(data)),
  png: (data) => pngOf({ width: 1, height: 1, before: [pngChunk('eXIf', data)] }),
  webp: (data) => riff(extended(EXIF_FLAG), frame, chunk('EXIF', data)),
}

const sized: Record<PictureType, (width: number, height: number) => Uint8Array> = {
  png: (width, height) => pngOf({ width, height }),
  jpg: (width, height) =>
    Buffer.from(
      Buffer.from(jpg)
        .toString('latin1')
        .replace(
          '\x08\0\x01\0\x01',
          Buffer.concat([number(8, 1), number(height, 2), number(width, 2)]).toString('latin1'),
        ),
      'latin1',
    ),
  webp: (width, height) => riff(extended(0, width, height), frame),
  gif: (width, height) =>
    joined([gif.slice(0, 6), little(width, 2), little(height, 2), gif.slice(10)]),
}

const problem = (bytes: Uint8Array) => {
  const found = stripPicture(bytes)
  return 'problem' in found ? found.problem : null
}

describe('what is written about a picture', () => {
  test.each(removed)('is removed from a %s: %s', (type, _, bytes, clean) => {
    expect(stripPicture(bytes)).toEqual({ type, bytes: clean } as never)
  })

  test.each(Object.entries(smallPictures))(
    'is not there in a small %s, which stays',
    (type, bytes) => {
      expect(stripPicture(bytes)).toEqual({ type: type as PictureType, bytes })
    },
  )

  test.each(drawn)('does not take with it what is drawn in a %s: %s', (type, _, bytes) => {
    expect(stripPicture(bytes)).toEqual({ type, bytes } as never)
  })
})

describe('the orientation', () => {
  const cells = (['jpg', 'png', 'webp'] as const).flatMap((type) =>
    [true, false].flatMap((isLittle) =>
      [2, 3, 4, 5, 6, 7, 8].map((orientation) => ({ type, isLittle, orientation })),
    ),
  )

  test.each(cells)('$orientation of a $type stays, and nothing beside it', (cell) => {
    const { type, isLittle, orientation } = cell
    const bytes = withExif[type](minimalExif(orientation))
    expect(stripPicture(withExif[type](exif(orientation, isLittle)))).toEqual({
      type,
      bytes,
    } as never)
    expect(stripPicture(bytes)).toEqual({ type, bytes } as never)
  })

  test.each(['jpg', 'png', 'webp'] as const)('that turns nothing is removed from a %s', (type) => {
    const expected = stripPicture(withExif[type](exif()))
    for (const orientation of [0, 1, 9, 65_535])
      expect(stripPicture(withExif[type](exif(orientation)))).toEqual(expected)
  })

  test('of the first Exif data counts', () => {
    const bytes = jpegWith(app1(exif(6)), app1(exif(3)))
    expect(stripPicture(bytes)).toEqual({
      type: 'jpg',
      bytes: withExif.jpg(minimalExif(6)),
    } as never)
  })
})

describe('a picture that is refused', () => {
  test.each([
    ['GIF of no version', bytesOf(`GIF${'x'.repeat(30)}`)],
    ['GIF of version 88a', joined([bytesOf('GIF88a'), gif.slice(6)])],
    ['GIF of version 89b', joined([bytesOf('GIF89b'), gif.slice(6)])],
    ['RIFF file of sound', joined([webp.slice(0, 8), bytesOf('WAVE'), webp.slice(12)])],
    ['SVG', bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['BMP', bytesOf('BM')],
    ['empty file', new Uint8Array()],
  ])('is of another type: %s', (_, bytes) => {
    expect(problem(bytes)).toBe('unknownType')
  })

  test('is no GIF87a or GIF89a', () => {
    const versions = ['GIF87a', 'GIF89a', 'GIF88a', 'GIF87b', 'gif89a']
    expect(versions.map((version) => problem(joined([bytesOf(version), gif.slice(6)])))).toEqual([
      null,
      null,
      ...Array(3).fill('unknownType'),
    ])
  })

  test.each(Object.entries(smallPictures))('ends early: %s', (_, bytes) => {
    for (let length = 0; length < bytes.length; length++)
      expect([length, problem(bytes.slice(0, length))]).toEqual([
        length,
        expect.stringMatching(/^(unknownType|damaged)$/),
      ])
  })

  test.each(Object.entries(sized))('has too many pixels or none: %s', (_, build) => {
    const sides = [1, MAX_PICTURE_SIDE, MAX_PICTURE_SIDE + 1, 16_000]
    const expected = [null, null, 'tooManyPixels', 'tooManyPixels']
    expect(sides.map((side) => problem(build(side, 1)))).toEqual(expected as never)
    expect(sides.map((side) => problem(build(1, side)))).toEqual(expected as never)
  })

  test.each([
    ['PNG of 60,000 pixels a side', 'tooManyPixels', pngOf({ width: 60_000, height: 60_000 })],
    [
      'GIF whose frame is larger than its screen',
      'tooManyPixels',
      joined([gif.slice(0, 18), little(60_000, 2), gif.slice(20)]),
    ],
    ['PNG without width', 'damaged', pngOf({ width: 0, height: 1 })],
    ['JPEG without height', 'damaged', sized.jpg(1, 0)],
    ['GIF without width', 'damaged', sized.gif(0, 1)],
    ['JPEG with two frames', 'damaged', joined([jpg.slice(0, -2), jpg.slice(2)])],
    ['JPEG with a second picture inside', 'damaged', jpegWith(jpg)],
    ['JPEG with an unknown segment', 'damaged', jpegWith(segment(0xf0, text))],
    ['JPEG with a segment of no size', 'damaged', jpegWith(bytesOf('\xff\xfe\0\x01'))],
    ['PNG without data', 'damaged', joined([png.slice(0, 33), pngChunk('IEND', new Uint8Array())])],
    [
      'PNG with a second header',
      'damaged',
      pngOf({ width: 1, height: 1, before: [pngChunk('IHDR', new Uint8Array(13))] }),
    ],
    [
      'PNG with an unknown chunk that it needs',
      'damaged',
      pngOf({ width: 1, height: 1, before: [pngChunk('WREN', text)] }),
    ],
    [
      'PNG with a chunk of 4 GB',
      'damaged',
      joined([png.slice(0, 33), bytesOf('\xff\xff\xff\xfftEXt')]),
    ],
    ['WebP without a frame', 'damaged', riff(extended(0))],
    ['WebP whose frame is no picture', 'damaged', riff(chunk('VP8L', bytesOf('12345')))],
    ['WebP with a frame larger than its canvas', 'damaged', riff(extended(0), largeFrame())],
    [
      'WebP with a larger frame inside an animation',
      'damaged',
      riff(extended(2), chunk('ANMF', joined([bytesOf('\0'.repeat(16)), largeFrame()]))),
    ],
    [
      'WebP with text inside an animation',
      'damaged',
      riff(
        extended(2),
        chunk('ANMF', joined([bytesOf('\0'.repeat(16)), frame, chunk('TEXT', text)])),
      ),
    ],
    ['WebP with two headers', 'damaged', riff(extended(0), extended(0), frame)],
    ['GIF without a frame', 'damaged', joined([gif.slice(0, 13), bytesOf(';')])],
    ['GIF with an unknown block', 'damaged', gifWith(bytesOf('\0'))],
  ])('is damaged or too large: %s', (_, expected, bytes) => {
    expect(problem(bytes)).toBe(expected as never)
  })
})

/** A frame of 2 × 1 pixels. */
function largeFrame(): Uint8Array {
  return chunk('VP8L', joined([bytesOf('\x2f\x01\0\0\0'), bytesOf('12345')]))
}

describe('any bytes', () => {
  const originals = [...removed.map(([, , bytes]) => bytes), ...drawn.map(([, , bytes]) => bytes)]

  /** What is stored is stored again as it is, and has nothing of what was removed. */
  const expectStable = (bytes: Uint8Array) => {
    const found = stripPicture(bytes)
    if ('problem' in found) return
    expect(found.bytes.length).toBeLessThanOrEqual(bytes.length)
    expect(stripPicture(found.bytes)).toEqual(found)
  }

  test('of a picture may be another one', () => {
    for (const bytes of originals)
      for (let at = 0; at < bytes.length; at++)
        for (const value of [0, 0xff]) {
          const changed = new Uint8Array(bytes)
          changed[at] = value
          expectStable(changed)
        }
  })

  test('after the first ones of a picture are read to their end or refused', () => {
    const start = fc.constantFrom(...originals.map((bytes) => bytes.slice(0, 16)), ...originals)
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (first, rest) => {
        expectStable(joined([first.slice(0, -2), rest]))
      }),
      { numRuns: rounds(500) },
    )
  })

  test.each([
    ['JPEG of fill bytes', joined([jpg.slice(0, 2), new Uint8Array(500_000).fill(0xff)])],
    ['JPEG of empty segments', joined([jpg.slice(0, 2), repeated('\xff\xfe\0\x02')])],
    ['JPEG of a long scan', joined([jpg.slice(0, -2), repeated('\xff\0'), jpg.slice(-2)])],
    ['PNG of empty chunks', joined([png.slice(0, 33), repeated('\0\0\0\0teXt\0\0\0\0')])],
    ['WebP of empty chunks', riff(extended(0), repeated('teXt\0\0\0\0'), frame)],
    ['GIF of empty extensions', joined([gif.slice(0, 13), repeated('!\xfe\0')])],
    ['GIF of small blocks', gifOfSize(500_000)],
  ])('end: %s', (_, bytes) => {
    expectStable(bytes)
  })
})

function repeated(content: string): Uint8Array {
  return bytesOf(content.repeat(Math.floor(500_000 / content.length)))
}
