/** Takes a new backup elsewhere, by whatever program the operator names. */

/** One that takes longer hangs. */
const LONGEST_MS = 60 * 60 * 1000
/** How long it may take to end once it was told to. */
const GRACE_MS = 10_000
/** What is kept of what it says. */
const MOST_LETTERS = 2_000

/** Runs the command with the path of the file, and throws what went wrong. */
export async function shipBackup(
  command: string,
  file: string,
  longestMs = LONGEST_MS,
): Promise<void> {
  const work = begin(wordsOf(command, file))
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    work.kill('SIGTERM')
  }, longestMs)
  const tooLate = setTimeout(() => work.kill('SIGKILL'), longestMs + GRACE_MS)
  late.unref()
  tooLate.unref()
  const said = await lastWords(work.stderr)
  const code = await work.exited
  clearTimeout(late)
  clearTimeout(tooLate)
  if (isLate) throw new Error(`it took longer than ${longestMs / 1000} s and was stopped`)
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
    return Bun.spawn(words, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  } catch (cause) {
    throw new Error(`it cannot be started: ${(cause as Error).message}`)
  }
}

/** The last line, however much came before. */
async function lastWords(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream)
    text = (text + decoder.decode(chunk, { stream: true })).slice(-MOST_LETTERS)
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}
