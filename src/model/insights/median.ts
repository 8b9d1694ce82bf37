const INITIAL_CAPACITY = 16

/** Growable list of numbers, eight bytes each, with a median. */
export class Lengths {
  #values = new Float64Array(INITIAL_CAPACITY)
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

  /** Returns the median. Reorders the list. */
  median(): number {
    const values = this.#values.subarray(0, this.#count)
    const middle = values.length >> 1
    const upper = select(values, middle)
    if (values.length % 2 === 1) return upper
    // `select` has moved all values that are smaller than `upper` before the middle.
    return (values.subarray(0, middle).reduce((a, b) => Math.max(a, b), -Infinity) + upper) / 2
  }
}

/**
 * Returns the value that sorting would put at an index (quickselect, linear time on average).
 * Sorting a million values would block other requests.
 */
function select(values: Float64Array, index: number): number {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const pivot = values[low + ((high - low) >> 1)] as number
    let [left, right] = [low, high]
    while (left <= right) {
      while ((values[left] as number) < pivot) left++
      while ((values[right] as number) > pivot) right--
      if (left > right) break
      const swapped = values[left] as number
      values[left++] = values[right] as number
      values[right--] = swapped
    }
    if (index <= right) high = right
    else if (index >= left) low = left
    else break
  }
  return values[index] as number
}
