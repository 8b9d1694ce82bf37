/** QR codes (ISO/IEC 18004) in byte mode with error correction level M. */

/** Square of modules. */
export interface QrCode {
  readonly size: number
  isDark(x: number, y: number): boolean
}

/** Error correction by version, from 1: codewords per block and number of blocks. */
const corrections = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
  [28, 10],
  [28, 11],
  [26, 13],
  [26, 14],
  [26, 16],
] as const

/** Returns the smallest code for a text; null if it needs a version above 20. */
export function encodeQrCode(text: string): QrCode | null {
  const bytes = new TextEncoder().encode(text)
  for (const [at, [perBlock, blocks]] of corrections.entries()) {
    const version = at + 1
    const grid = drawPatterns(version)
    const capacity = Math.floor(grid.countFree() / 8)
    const data = packData(bytes, version, capacity - perBlock * blocks)
    if (!data) continue
    grid.fill(addCorrection(data, capacity, perBlock, blocks))
    return grid.mask()
  }
  return null
}

/** Returns mode, length, bytes and padding as codewords; null if they do not fit. */
function packData(bytes: Uint8Array, version: number, capacity: number): readonly number[] | null {
  const lengthBits = version < 10 ? 8 : 16
  const isFitting = 4 + lengthBits + bytes.length * 8 <= capacity * 8
  if (!isFitting) return null
  const header =
    (4).toString(2).padStart(4, '0') + bytes.length.toString(2).padStart(lengthBits, '0')
  const bits = header + [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const terminated = bits + '0'.repeat(Math.min(4, capacity * 8 - bits.length))
  const words = (terminated.match(/.{1,8}/g) ?? []).map((word) => parseInt(word.padEnd(8, '0'), 2))
  const padding = Array.from({ length: capacity - words.length }, (_, at) =>
    at % 2 === 0 ? 0xec : 0x11,
  )
  return [...words, ...padding]
}

/** Splits the data into blocks, and interleaves these and their error correction. */
function addCorrection(
  data: readonly number[],
  capacity: number,
  perBlock: number,
  blocks: number,
): number[] {
  const length = Math.floor(capacity / blocks) - perBlock
  const firstLonger = blocks - (capacity % blocks)
  const split = Array.from({ length: blocks }, (_, at) => {
    const start = at * length + Math.max(0, at - firstLonger)
    return data.slice(start, start + length + (at < firstLonger ? 0 : 1))
  })
  const generator = generatorOf(perBlock)
  return [...interleave(split), ...interleave(split.map((block) => remainderOf(block, generator)))]
}

function interleave(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) =>
    blocks.flatMap((block) => block[at] ?? []),
  ).flat()
}

/** Multiplies in GF(256) modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    if ((other >> bit) & 1) product ^= one
  }
  return product
}

/** Returns the Reed–Solomon generator polynomial of a degree, without its leading 1. */
function generatorOf(degree: number): number[] {
  let polynomial = [1]
  for (let root = 1, at = 0; at < degree; at++, root = multiply(root, 2))
    polynomial = [...polynomial, 0].map(
      (factor, place) => factor ^ multiply(polynomial[place - 1] ?? 0, root),
    )
  return polynomial.slice(1)
}

function remainderOf(data: readonly number[], generator: readonly number[]): number[] {
  let remainder = generator.map(() => 0)
  for (const word of data) {
    const factor = word ^ (remainder[0] ?? 0)
    remainder = [...remainder.slice(1), 0].map(
      (value, at) => value ^ multiply(generator[at] ?? 0, factor),
    )
  }
  return remainder
}

/** Returns a value with its BCH remainder below it. */
function withRemainder(value: number, generator: number, degree: number): number {
  let remainder = value
  for (let at = 0; at < degree; at++)
    remainder = (remainder << 1) ^ ((remainder >> (degree - 1)) * generator)
  return (value << degree) | remainder
}

const LIGHT = 0
const DARK = 1
const FREE = 2

type Grid = ReturnType<typeof createGrid>

/** Draws everything but data, format and mask. */
function drawPatterns(version: number): Grid {
  const grid = createGrid(version * 4 + 17)
  const last = grid.size - 1
  for (let at = 0; at <= last; at++) {
    grid.set(6, at, at % 2 === 0)
    grid.set(at, 6, at % 2 === 0)
  }
  const centers = alignmentsOf(version)
  for (const x of centers)
    for (const y of centers) if (!grid.isCorner(x, y)) grid.drawRings(x, y, 2, [1])
  for (const [x, y] of [[3, 3] as const, [last - 3, 3] as const, [3, last - 3] as const])
    grid.drawRings(x, y, 4, [2, 4])
  grid.drawFormat(0)
  if (version >= 7) {
    const bits = withRemainder(version, 0x1f25, 12)
    for (let at = 0; at < 18; at++) {
      const [far, near] = [last - 10 + (at % 3), Math.floor(at / 3)]
      grid.set(far, near, isSet(bits, at))
      grid.set(near, far, isSet(bits, at))
    }
  }
  return grid
}

/** Returns the positions of alignment patterns on both axes. */
function alignmentsOf(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const last = version * 4 + 10
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - at * step)]
}

function isSet(bits: number, at: number): boolean {
  return ((bits >> at) & 1) === 1
}

const masks: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

function createGrid(size: number, cells = new Uint8Array(size * size).fill(FREE)) {
  const reserved = new Set<number>()
  const last = size - 1
  const get = (x: number, y: number) => cells[y * size + x] ?? LIGHT
  const isDark = (x: number, y: number) => get(x, y) === DARK
  const grid = {
    size,
    isDark,
    /** Draws a module of a pattern, which no mask changes. */
    set(x: number, y: number, dark: boolean) {
      if (x < 0 || y < 0 || x > last || y > last) return
      cells[y * size + x] = dark ? DARK : LIGHT
      reserved.add(y * size + x)
    },
    /** Draws dark squares around a center, except for the light rings. */
    drawRings(x: number, y: number, radius: number, light: readonly number[]) {
      for (let dx = -radius; dx <= radius; dx++)
        for (let dy = -radius; dy <= radius; dy++)
          grid.set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
    },
    /** Checks for the place of a finder pattern. */
    isCorner: (x: number, y: number) =>
      (x < 8 && y < 8) || (x < 8 && y > last - 8) || (x > last - 8 && y < 8),
    /** Draws level M and a mask twice, beside the finder patterns. */
    drawFormat(mask: number) {
      const bits = withRemainder(mask, 0x537, 10) ^ 0x5412
      for (let at = 0; at < 15; at++) {
        const skipped = at + (at > 5 ? 1 : 0)
        const dark = isSet(bits, at)
        if (at < 8) grid.set(8, skipped, dark)
        else grid.set(at === 8 ? 7 : 14 - at, 8, dark)
        if (at < 8) grid.set(last - at, 8, dark)
        else grid.set(8, size - 15 + at, dark)
      }
      grid.set(8, size - 8, true)
    },
    countFree: () => cells.length - reserved.size,
    /** Writes codewords into the free modules: pairs of columns from the right, up and down. */
    fill(words: readonly number[]) {
      let at = 0
      let isUp = true
      for (let right = last; right > 0; right -= right === 8 ? 3 : 2) {
        for (let step = 0; step < size; step++)
          for (const x of [right, right - 1]) {
            const y = isUp ? last - step : step
            if (get(x, y) !== FREE) continue
            cells[y * size + x] = isSet(words[at >> 3] ?? 0, 7 - (at & 7)) ? DARK : LIGHT
            at++
          }
        isUp = !isUp
      }
    },
    /** Returns the code with the mask that is easiest to scan. */
    mask(): QrCode {
      const all = masks.map((invertsAt, mask) => {
        const masked = cells.map((cell, at) =>
          !reserved.has(at) && invertsAt(at % size, Math.floor(at / size)) === 0 ? 1 - cell : cell,
        )
        const code = createGrid(size, masked)
        code.drawFormat(mask)
        return code
      })
      return all.reduce((best, code) => (penaltyOf(code) < penaltyOf(best) ? code : best))
    },
  }
  return grid
}

/** Looks like a finder pattern, with light modules on one side. */
const falseFinder = /1011101(?=0000)|(?<=0000)1011101/g

/** Rates how hard a code is to scan. */
function penaltyOf({ size, isDark }: QrCode): number {
  const indices = Array.from({ length: size }, (_, at) => at)
  const digit = (x: number, y: number) => (isDark(x, y) ? '1' : '0')
  const rows = indices.map((y) => indices.map((x) => digit(x, y)).join(''))
  const columns = indices.map((x) => indices.map((y) => digit(x, y)).join(''))
  let penalty = 0
  for (const line of [...rows, ...columns]) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
    penalty += 40 * (line.match(falseFinder)?.length ?? 0)
  }
  for (const [y, row] of rows.slice(1).entries())
    for (let x = 1; x < size; x++) {
      const block = (rows[y] ?? '').slice(x - 1, x + 1) + row.slice(x - 1, x + 1)
      if (block === '0000' || block === '1111') penalty += 3
    }
  const dark = rows.join('').replaceAll('0', '').length / size ** 2
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20)
}
