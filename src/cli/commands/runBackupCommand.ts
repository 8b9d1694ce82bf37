/** Runs BACKUP_COMMAND, which copies a new backup to another machine. */

import { type Clock, systemClock } from '../../runtime/timers/clock'
import { withTimeout } from '../../runtime/timers/withTimeout'
import { childEnvironment } from '../workers/selfProcess'

export const TIMEOUT_MS = 60 * 60 * 1000
/** Time between SIGTERM and SIGKILL. */
export const GRACE_MS = 10_000
/** Time to wait for the rest of standard error after the command exited. */
export const LAST_OUTPUT_MS = 1_000
/** Number of characters of standard error that are kept. */
const MAX_OUTPUT = 2_000

/** Runs the command with the path of the file. Throws if it fails or times out. */
export async function runBackupCommand(
  command: string,
  file: string,
  clock: Clock = systemClock,
): Promise<void> {
  const child = spawn(argumentsOf(command, file))
  const stderr = collectOutput(child.stderr, clock)
  let hasTimedOut = false
  const termTimer = clock.setTimeout(() => {
    hasTimedOut = true
    killGroup(child.pid, 'SIGTERM')
  }, TIMEOUT_MS)
  const killTimer = clock.setTimeout(() => killGroup(child.pid, 'SIGKILL'), TIMEOUT_MS + GRACE_MS)
  termTimer.unref()
  killTimer.unref()
  const code = await child.exited
  termTimer.stop()
  killTimer.stop()
  const lastLine = await stderr.lastLine()
  if (hasTimedOut) {
    killGroup(child.pid, 'SIGKILL')
    throw new Error(`timed out after ${TIMEOUT_MS / 1000} s`)
  }
  if (code !== 0)
    throw new Error(`exited with code ${code}${lastLine === '' ? '' : `: ${lastLine}`}`)
}

/** Splits the command at spaces, without a shell. The file replaces {} or is the last argument. */
function argumentsOf(command: string, file: string): string[] {
  const words = command.trim().split(/\s+/)
  const hasPlaceholder = words.some((word) => word.includes('{}'))
  return hasPlaceholder ? words.map((word) => word.replaceAll('{}', () => file)) : [...words, file]
}

function spawn(words: string[]): Bun.Subprocess<'ignore', 'ignore', 'pipe'> {
  try {
    return Bun.spawn(words, {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      env: childEnvironment(),
      // A process group of its own: killing a script alone would leave the programs it started running.
      detached: true,
    })
  } catch (cause) {
    throw new Error(`could not be started: ${(cause as Error).message}`)
  }
}

function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // All processes of the group have ended.
  }
}

/** Collects the end of a stream while the command runs. */
function collectOutput(stream: ReadableStream<Uint8Array>, clock: Clock) {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const collect = async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text = (text + decoder.decode(value, { stream: true })).slice(-MAX_OUTPUT)
    }
  }
  const collected = collect()
  return {
    /** Returns the last line. It does not wait for the end, because a left process may keep the stream open. */
    async lastLine(): Promise<string> {
      await withTimeout(collected, LAST_OUTPUT_MS, () => {}, clock)
      await reader.cancel()
      return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    },
  }
}
