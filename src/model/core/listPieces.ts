/** A JSON list that is read piece by piece. */
export class ListPieces {
  #isStopped = false

  constructor(
    private readonly pieces: AsyncIterator<Uint8Array<ArrayBuffer>>,
    private readonly onStop: () => void,
  ) {}

  /** Returns the next bytes; null at the end of the list. */
  async read(): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.#isStopped) return null
    try {
      const { done, value } = await this.pieces.next()
      if (!done) return value
    } catch (cause) {
      this.stop()
      throw cause
    }
    this.stop()
    return null
  }

  /** Ends the list, also before it was read. */
  stop(): void {
    this.#isStopped = true
    this.onStop()
  }
}
