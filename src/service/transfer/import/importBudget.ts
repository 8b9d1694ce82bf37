/** Space for text that the system has left. Rows that need none always fit. */
export class TextBudget {
  #left: number

  constructor(left: number) {
    this.#left = left
  }

  /** Takes space, and returns whether there was enough; negative bytes free space. */
  take(bytes: number): boolean {
    if (bytes > 0 && bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}
