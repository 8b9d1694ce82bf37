import fc from 'fast-check'
import decodeQR from 'qr/decode.js'
import { encodeQrCode, type QrCode } from '../../src/dashboard/features/access/qrCode'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'

/** Format bits of level M by mask, from the standard. */
const formats = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
]

/** Positions of alignment patterns by version, from the standard. */
const alignments: Record<number, number[]> = {
  1: [],
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
  11: [6, 30, 54],
  12: [6, 32, 58],
  13: [6, 34, 62],
  14: [6, 26, 46, 66],
  15: [6, 26, 48, 70],
  16: [6, 26, 50, 74],
  17: [6, 30, 54, 78],
  18: [6, 30, 56, 82],
  19: [6, 30, 58, 86],
  20: [6, 34, 62, 90],
}

/** Data codewords per block and number of such blocks at level M, from the standard. */
const blocksByVersion: [count: number, data: number, corrections: number][][] = [
  [[1, 16, 10]],
  [[1, 28, 16]],
  [[1, 44, 26]],
  [[2, 32, 18]],
  [[2, 43, 24]],
  [[4, 27, 16]],
  [[4, 31, 18]],
  [
    [2, 38, 22],
    [2, 39, 22],
  ],
  [
    [3, 36, 22],
    [2, 37, 22],
  ],
  [
    [4, 43, 26],
    [1, 44, 26],
  ],
  [
    [1, 50, 30],
    [4, 51, 30],
  ],
  [
    [6, 36, 22],
    [2, 37, 22],
  ],
  [
    [8, 37, 22],
    [1, 38, 22],
  ],
  [
    [4, 40, 24],
    [5, 41, 24],
  ],
  [
    [5, 41, 24],
    [5, 42, 24],
  ],
  [
    [7, 45, 28],
    [3, 46, 28],
  ],
  [
    [10, 46, 28],
    [1, 47, 28],
  ],
  [
    [9, 43, 26],
    [4, 44, 26],
  ],
  [
    [3, 44, 26],
    [11, 45, 26],
  ],
  [
    [3, 41, 26],
    [13, 42, 26],
  ],
]

/** Powers of 2 in GF(256), for the check of the error correction. */
const powers = [1]
for (let at = 1; at < 255; at++) {
  const next = (powers[at - 1] ?? 0) << 1
  powers.push(next > 255 ? next ^ 0x11d : next)
}
const times = (one: number, power: number) =>
  one === 0 ? 0 : (powers[(powers.indexOf(one) + power) % 255] ?? 0)

const maskConditions = [
  (row: number, column: number) => (row + column) % 2 === 0,
  (row: number) => row % 2 === 0,
  (_: number, column: number) => column % 3 === 0,
  (row: number, column: number) => (row + column) % 3 === 0,
  (row: number, column: number) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row: number, column: number) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row: number, column: number) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row: number, column: number) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Reads a code as a scanner does, and throws where a codeword or a pattern is wrong. */
function scan({ size, isDark }: QrCode): string {
  const version = (size - 17) / 4
  const bit = (row: number, column: number) => (isDark(column, row) ? 1 : 0)
  const beside = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => bit(8, column))
  const below = [7, 5, 4, 3, 2, 1, 0].map((row) => bit(row, 8))
  const format = [...beside, ...below].join('')
  const copy = [
    ...Array.from({ length: 7 }, (_, at) => bit(size - 1 - at, 8)),
    ...Array.from({ length: 8 }, (_, at) => bit(8, size - 8 + at)),
  ].join('')
  expect(copy).toBe(format)
  const mask = formats.indexOf(format)
  const isMasked = maskConditions[mask]
  if (!isMasked) throw new Error(`unknown format ${format}`)

  const centers = alignments[version] ?? []
  const isFinder = (row: number, column: number) =>
    (row < 9 && column < 9) || (row < 9 && column >= size - 8) || (row >= size - 8 && column < 9)
  const near = (at: number) => centers.find((center) => Math.abs(center - at) <= 2)
  const isAlignment = (row: number, column: number) => {
    const [y, x] = [near(row), near(column)]
    return y !== undefined && x !== undefined && !isFinder(y, x)
  }
  const isVersion = (row: number, column: number) =>
    version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))
  const bits: number[] = []
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right--
    for (let step = 0; step < size; step++)
      for (const column of [right, right - 1]) {
        const row = isUp ? size - 1 - step : step
        if (row === 6 || column === 6 || isFinder(row, column)) continue
        if (isAlignment(row, column) || isVersion(row, column)) continue
        bits.push(bit(row, column) ^ (isMasked(row, column) ? 1 : 0))
      }
  }
  const words = (bits.join('').match(/.{8}/g) ?? []).map((word) => parseInt(word, 2))

  const shapes = (blocksByVersion[version - 1] ?? []).flatMap(([count, data, corrections]) =>
    Array.from({ length: count }, () => ({ data, corrections })),
  )
  const blocks = shapes.map((): number[] => [])
  const take = (lengths: number[]) => {
    for (let at = 0; at < Math.max(...lengths); at++)
      for (const [index, length] of lengths.entries())
        if (at < length) blocks[index]?.push(words.shift() ?? 0)
  }
  take(shapes.map(({ data }) => data))
  take(shapes.map(({ corrections }) => corrections))
  expect(words.length).toBe(0)
  for (const [index, block] of blocks.entries())
    for (let root = 0; root < (shapes[index]?.corrections ?? 0); root++)
      expect(block.reduce((sum, word) => times(sum, root) ^ word, 0)).toBe(0)

  const data = blocks.flatMap((block, index) => block.slice(0, shapes[index]?.data))
  const stream = data.map((word) => word.toString(2).padStart(8, '0')).join('')
  expect(stream.slice(0, 4)).toBe('0100')
  const start = version < 10 ? 12 : 20
  const length = parseInt(stream.slice(4, start), 2)
  const read = stream.slice(start, start + length * 8).match(/.{8}/g) ?? []
  return new TextDecoder().decode(Uint8Array.from(read, (word) => parseInt(word, 2)))
}

const SCALE = 4
const MARGIN = 4

/** Draws a code as a scanner sees it, and decodes the picture with another project's decoder. */
function decodePicture({ size, isDark }: QrCode): string {
  const width = (size + 2 * MARGIN) * SCALE
  const moduleAt = (pixel: number) => Math.floor(pixel / SCALE) - MARGIN
  const isInside = (at: number) => at >= 0 && at < size
  const data = new Uint8Array(width * width * 4).fill(255)
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = [moduleAt(x), moduleAt(y)]
      if (isInside(column) && isInside(row) && isDark(column, row))
        data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  return decodeQR({ width, height: width, data }, { timeLimit: 10_000 })
}

describe('encodeQrCode', () => {
  test.each([1, 14, 15, 53, 80, 106, 180, 251, 412, 500, 666])(
    'encodes %d characters so that another decoder reads them',
    (length) => {
      const text = 'https://plural.example/#/login/'.padEnd(length, 'qJ0Y-4vGx9_').slice(0, length)
      const code = encodeQrCode(text)
      expect(code && decodePicture(code)).toBe(text)
    },
  )

  test('encodes a login link', () => {
    const link = 'https://plural.example/#/login/qJ0Y-4vGx9_TtP2mXWl3aQ'
    const code = encodeQrCode(link)
    expect(code && scan(code)).toBe(link)
    expect(code?.size).toBe(33)
  })

  test('encodes texts of all lengths that fit, and no longer ones', () => {
    for (let length = 0; length <= 666; length += 74) {
      const text = 'a'.repeat(length)
      const code = encodeQrCode(text)
      expect(code && scan(code)).toBe(text)
    }
    expect(encodeQrCode('a'.repeat(666))?.size).toBe(97)
    expect(encodeQrCode('a'.repeat(667))).toBeNull()
  })

  test('encodes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const code = encodeQrCode(text)
        expect(code && scan(code)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
      }),
      { numRuns: rounds(10) },
    )
  })

  test('draws the version, the finder patterns and the module that is always dark', () => {
    const code = encodeQrCode('a'.repeat(110))
    if (!code) throw new Error('no code')
    const { size, isDark } = code
    expect(size).toBe(45)
    const version = Array.from({ length: 18 }, (_, at) =>
      isDark(Math.floor((17 - at) / 3), size - 11 + ((17 - at) % 3)) ? 1 : 0,
    )
    expect(version.join('')).toBe('000111110010010100')
    const row = (y: number) =>
      Array.from({ length: 8 }, (_, x) => (isDark(x, y) ? '#' : '.')).join('')
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(row)).toEqual([
      '#######.',
      '#.....#.',
      '#.###.#.',
      '#.###.#.',
      '#.###.#.',
      '#.....#.',
      '#######.',
      '........',
    ])
    expect(isDark(8, size - 8)).toBe(true)
  })
})
