const FEW = 16

/** Numbers in the order they came, eight bytes each, of which the middle one is asked for. */
export class Lengths {
  #values = new Float64Array(FEW)
  #count = 0

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = value
  }

  get count(): number {
    return this.#count
  }

  /** The middle one, or the mean of the two in the middle. Changes their order. */
  median(): number {
    const values = this.#values.subarray(0, this.#count)
    const middle = values.length >> 1
    const upper = select(values, middle)
    if (values.length % 2 === 1) return upper
    // All that are smaller lie before it now.
    return (values.subarray(0, middle).reduce((a, b) => Math.max(a, b), -Infinity) + upper) / 2
  }
}

/**
 * The value that sorting would bring to a place, found in a time that grows with their number
 * only: sorting a million of them would keep everyone waiting.
 */
function select(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const pivot = values[low + ((high - low) >> 1)] as number
    let [left, right] = [low, high]
    while (left <= right) {
      while ((values[left] as number) < pivot) left++
      while ((values[right] as number) > pivot) right--
      if (left > right) break
      const held = values[left] as number
      values[left++] = values[right] as number
      values[right--] = held
    }
    if (place <= right) high = right
    else if (place >= left) low = left
    else break
  }
  return values[place] as number
}
