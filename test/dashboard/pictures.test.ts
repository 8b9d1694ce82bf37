import {
  centered,
  cropSquare,
  moveCrop,
  zoomCrop,
} from '../../src/dashboard/features/pictures/crop'
import { isDecodable } from '../../src/dashboard/features/pictures/isDecodable'
import {
  MAX_ENTRIES,
  MAX_UNPACKED,
  readZip,
  ZipError,
} from '../../src/dashboard/features/pictures/zip'
import { dimensionsOf } from '../../src/model/pictures/pictureSize'
import { bytesOf } from '../tools/pictures'
import { describe, expect, test } from '../tools/test'
import { type WrittenEntry, zipOf } from './zipFiles'

const read = (entries: readonly WrittenEntry[], comment?: string) =>
  readZip(new Blob([zipOf(entries, comment)]))

const text = (length: number) => bytesOf('ab'.repeat(length / 2))

async function problemOf(work: Promise<unknown> | undefined): Promise<unknown> {
  try {
    return await work
  } catch (cause) {
    return cause instanceof ZipError ? cause.problem : cause
  }
}

describe('the ZIP reader', () => {
  test('reads stored and deflated entries, with a comment at the end', async () => {
    const entries = await read(
      [
        { name: 'a.png', bytes: text(1000) },
        { name: 'ä/b.png', bytes: text(10), isStored: true },
        { name: 'folder/', bytes: text(0), isStored: true },
        { name: 'empty.png', bytes: text(0) },
      ],
      'a comment',
    )
    expect(entries.map(({ name, problem }) => [name, problem])).toEqual([
      ['a.png', null],
      ['ä/b.png', null],
      ['empty.png', null],
    ])
    expect(await entries[0]?.read()).toEqual(text(1000))
    expect(await entries[1]?.read()).toEqual(text(10))
    expect(await entries[2]?.read()).toEqual(text(0))
  })

  test('returns names as they are, and uses none as a path', async () => {
    const names = ['../../etc/passwd.png', '__proto__', 'C:\\x.png', '\0.png']
    const entries = await read(names.map((name) => ({ name, bytes: text(2) })))
    expect(entries.map(({ name }) => name)).toEqual(names)
  })

  test('stops a deflate bomb at the size that the directory states', async () => {
    const bomb = new Uint8Array(64 * 1024 * 1024)
    const [entry] = await read([{ name: 'x.png', bytes: bomb, statedSize: 1000 }])
    expect(entry?.problem).toBe(null)
    expect(await problemOf(entry?.read())).toBe('damaged')
  })

  test.each<[string, WrittenEntry, string]>([
    ['of 40 MB', { name: 'x', bytes: new Uint8Array(40e6) }, 'tooLarge'],
    ['of a byte too many', { name: 'x', bytes: text(2), statedSize: MAX_UNPACKED + 1 }, 'tooLarge'],
    ['with another method', { name: 'x', bytes: text(2), method: 12 }, 'unsupported'],
    ['that is encrypted', { name: 'x', bytes: text(2), isEncrypted: true }, 'unsupported'],
    [
      'stored in another size',
      { name: 'x', bytes: text(2), isStored: true, statedSize: 3 },
      'damaged',
    ],
  ])('names an entry %s, and does not read it', async (_, written, problem) => {
    const [entry] = await read([written])
    expect(entry?.problem as string | undefined).toBe(problem)
    expect(await problemOf(entry?.read())).toBe(problem)
  })

  test('refuses an entry that is shorter than stated', async () => {
    const [entry] = await read([{ name: 'x', bytes: text(2), statedSize: 4 }])
    expect(await problemOf(entry?.read())).toBe('damaged')
  })

  test('names entries after the first 5,000, and reads none of them', async () => {
    const written = Array.from({ length: MAX_ENTRIES + 2 }, (_, at) => ({
      name: `${at}.png`,
      bytes: text(0),
      isStored: true,
    }))
    const entries = await read(written)
    expect(entries).toHaveLength(MAX_ENTRIES + 2)
    expect(entries.filter(({ problem }) => problem === 'tooMany').map(({ name }) => name)).toEqual([
      '5000.png',
      '5001.png',
    ])
  })

  test('refuses every file that is cut off', async () => {
    const whole = zipOf([{ name: 'a.png', bytes: text(100), isStored: true }])
    for (let length = 0; length < whole.length; length++)
      expect(await problemOf(readZip(new Blob([whole.slice(0, length)])))).toBe('damaged')
  })

  test('throws nothing but its own errors for changed bytes', async () => {
    const whole = zipOf([{ name: 'a.png', bytes: text(100) }])
    for (let at = 0; at < whole.length; at++)
      for (const value of [0, 0xff]) {
        const changed = whole.slice()
        changed[at] = value
        const found = await problemOf(
          readZip(new Blob([changed])).then(async (entries) => {
            for (const entry of entries) await problemOf(entry.read())
          }),
        )
        expect(found).toBeOneOf([undefined, 'damaged'])
      }
  })
})

describe('the dimensions of a picture', () => {
  const number = (value: number, bytes: number) =>
    String.fromCharCode(
      ...Array.from({ length: bytes }, (_, at) => (value >> (8 * (bytes - 1 - at))) & 0xff),
    )
  const little = (value: number, bytes: number) => [...number(value, bytes)].reverse().join('')
  const png = (width: number, height: number) =>
    bytesOf(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${number(width, 4)}${number(height, 4)}`)

  test.each([
    ['a PNG', png(640, 480)],
    ['a GIF', bytesOf(`GIF89a${little(640, 2)}${little(480, 2)}`)],
    [
      'an extended WebP',
      bytesOf(`RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0${little(639, 3)}${little(479, 3)}`),
    ],
    [
      'a lossy WebP',
      bytesOf(`RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a${little(640, 2)}${little(480, 2)}`),
    ],
    ['a lossless WebP', bytesOf(`RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f${little(639 | (479 << 14), 4)}`)],
    [
      'a JPEG with tables before its frame',
      bytesOf(
        `\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x03c\xff\xff\xc2\0\x11\x08${number(480, 2)}${number(640, 2)}`,
      ),
    ],
  ])('of %s are read from its header', (_, bytes) => {
    expect(dimensionsOf(bytes)).toEqual({ width: 640, height: 480 })
  })

  test.each([
    ['of 30,000 pixels a side', png(30_000, 30_000), false],
    ['of one side too long', png(1, 8193), false],
    ['of the longest sides', png(8192, 8192), true],
    ['of no pixels', png(0, 1), false],
    ['that ends early', bytesOf('\x89PNG\r\n\x1a\n\0\0'), false],
    ['that is HTML', bytesOf('<!doctype html><p>wren'), false],
    ['that is a JPEG without a frame', bytesOf('\xff\xd8\xff\xe0\0\x02\0'), false],
  ])('of a file %s decide whether it is decoded', (_, bytes, expected) => {
    expect(isDecodable(dimensionsOf(bytes))).toBe(expected)
  })
})

test('a crop is a square inside of the picture', () => {
  const wide = { width: 400, height: 200 }
  expect(cropSquare(wide, { zoom: 1, x: 0.5, y: 0.5 })).toEqual({ left: 100, top: 0, side: 200 })
  expect(cropSquare(wide, { zoom: 2, x: 1, y: 0 })).toEqual({ left: 300, top: 0, side: 100 })
})

test('dragging moves the picture with the pointer, as far as its edges', () => {
  const wide = { width: 400, height: 200 }
  // The square has a side of 200, and is at 100 of 0 to 200.
  expect(moveCrop(wide, centered, { x: 0.25, y: 0 })).toEqual({ zoom: 1, x: 0.25, y: 0.5 })
  expect(moveCrop(wide, centered, { x: -0.25, y: 0 })).toEqual({ zoom: 1, x: 0.75, y: 0.5 })
  expect(moveCrop(wide, centered, { x: 9, y: 0 })).toEqual({ zoom: 1, x: 0, y: 0.5 })
  // Nothing is hidden above or below.
  expect(moveCrop(wide, centered, { x: 0, y: 1 })).toEqual(centered)
})

test('pinching enlarges the picture around a point, within the limits', () => {
  const wide = { width: 400, height: 200 }
  const at = { x: 0.75, y: 0.25 }
  const placeOf = (crop: typeof centered) => {
    const { left, top, side } = cropSquare(wide, crop)
    return { x: left + at.x * side, y: top + at.y * side }
  }
  const zoomed = zoomCrop(wide, centered, 2, at)
  expect(zoomed.zoom).toBe(2)
  expect(placeOf(zoomed)).toEqual(placeOf(centered))
  expect(zoomCrop(wide, zoomed, 100, at).zoom).toBe(5)
  const back = zoomCrop(wide, zoomed, 0.01, at)
  expect(cropSquare(wide, back).side).toBe(200)
  expect(back.x).toBeWithin(0, 1.01)
})
