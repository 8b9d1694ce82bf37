/** Takes a new backup elsewhere, by whatever program the operator names. */

import { childEnvironment } from './selfProcess'

/** One that takes longer hangs. */
const LONGEST_MS = 60 * 60 * 1000
/** How long it may take to end once it was told to. */
const GRACE_MS = 10_000
/** How long its last words may take to arrive once it has ended. */
const LAST_WORDS_MS = 1_000
/** What is kept of what it says. */
const MAX_OUTPUT = 2_000

/** Runs the command with the path of the file, and throws what went wrong. */
export async function runBackupCommand(
  command: string,
  file: string,
  longestMs = LONGEST_MS,
  graceMs = GRACE_MS,
): Promise<void> {
  const work = begin(wordsOf(command, file))
  const words = listenTo(work.stderr)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    endAll(work.pid, 'SIGTERM')
  }, longestMs)
  const tooLate = setTimeout(() => endAll(work.pid, 'SIGKILL'), longestMs + graceMs)
  late.unref()
  tooLate.unref()
  const code = await work.exited
  clearTimeout(late)
  clearTimeout(tooLate)
  const said = await words.last()
  if (isLate) {
    endAll(work.pid, 'SIGKILL')
    throw new Error(`it took longer than ${longestMs / 1000} s and was stopped`)
  }
  if (code !== 0) throw new Error(`it ended with ${code}${said === '' ? '' : `: ${said}`}`)
}

/** No shell reads it: the file comes last, or wherever {} stands. */
function wordsOf(command: string, file: string): string[] {
  const words = command.trim().split(/\s+/)
  const isPlaced = words.some((word) => word.includes('{}'))
  return isPlaced ? words.map((word) => word.replaceAll('{}', () => file)) : [...words, file]
}

function begin(words: string[]): Bun.Subprocess<'ignore', 'ignore', 'pipe'> {
  try {
    return Bun.spawn(words, {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      env: childEnvironment(),
      // A group of its own, which can be ended whole: what a script waits for does not end with it.
      detached: true,
    })
  } catch (cause) {
    throw new Error(`it cannot be started: ${(cause as Error).message}`)
  }
}

/** Ends a process with all that it started. */
function endAll(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // None of them is left.
  }
}

/** Hears what is said from now on. */
function listenTo(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const hear = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text = (text + decoder.decode(value, { stream: true })).slice(-MAX_OUTPUT)
    }
  }
  const heard = hear()
  return {
    /** The last line, however much came before. Whoever was left running may never fall silent. */
    async last(): Promise<string> {
      await Promise.race([heard, Bun.sleep(LAST_WORDS_MS)])
      await reader.cancel()
      return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    },
  }
}
