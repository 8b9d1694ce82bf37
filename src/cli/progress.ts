const BAR = 30
const CLEAR_LINE = '\r\x1b[K'

/** Shows a progress bar if standard error is a terminal. */
export function watchProgress(isJson: boolean) {
  const isShown = process.stderr.isTTY === true && !isJson
  return {
    onProgress(done: number, total: number): void {
      if (!isShown) return
      const filled = Math.round((done / Math.max(total, 1)) * BAR)
      const bar = '█'.repeat(filled).padEnd(BAR, '░')
      process.stderr.write(`\r${bar} ${done} of ${total}`)
    },
    end(): void {
      if (isShown) process.stderr.write(CLEAR_LINE)
    },
  }
}
