/** Reason why a picture is not stored. */
export type PictureProblem = 'unknownType' | 'damaged' | 'tooManyPixels'

/** Thrown for a picture that is not stored. */
export class RefusedPicture extends Error {
  constructor(readonly problem: PictureProblem) {
    super(problem)
  }
}

export function damaged(): RefusedPicture {
  return new RefusedPicture('damaged')
}

/**
 * Bytes of a picture, and which parts of them are kept. Reading a number behind the end throws a
 * RangeError.
 */
export class PictureBytes {
  readonly bytes: Buffer
  readonly view: DataView
  readonly #parts: Uint8Array[] = []
  /** Last range that is kept; ranges that follow each other are joined. */
  #from = 0
  #to = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength)
    this.view = new DataView(buffer, byteOffset, byteLength)
  }

  /** Returns the end of a part, or throws if the picture ends before it. */
  endOf(start: number, size: number): number {
    const end = start + size
    if (end > this.bytes.byteLength) throw damaged()
    return end
  }

  /** Returns bytes as text of one character each. */
  textAt(start: number, size: number): string {
    return this.bytes.toString('latin1', start, this.endOf(start, size))
  }

  keep(from: number, to: number): void {
    if (from !== this.#to) {
      this.#flush()
      this.#from = from
    }
    this.#to = to
  }

  /** Adds bytes that are not in the picture. */
  add(bytes: Uint8Array): void {
    this.#flush()
    this.#from = this.#to
    this.#parts.push(bytes)
  }

  build(): Uint8Array<ArrayBuffer> {
    this.#flush()
    this.#from = this.#to
    return Buffer.concat(this.#parts)
  }

  #flush(): void {
    if (this.#to > this.#from) this.#parts.push(this.bytes.subarray(this.#from, this.#to))
  }
}
