import { writeFileSync } from 'node:fs'
import { type ReadOptions, UnreadableFile } from '../../formats/bundle'
import { type BundleChunk, chunksOf, type ParseImport, parseInProcess } from '../../formats/chunks'
import { type DomainError, error } from '../../model/core/errors'
import type { Command } from '../command'
import { selfCommand } from './selfProcess'

/** Files up to this size are parsed in this process, because that takes only a moment. */
const SMALL = 64 * 1024

/** Enough for the largest file on a slow machine. */
const TIMEOUT_MS = 120_000

type WorkerMessage = BundleChunk | { refused: Pick<UnreadableFile, 'reason' | 'message'> }

/**
 * Parses a large file in a worker process. Parsing may take seconds and much memory, and this
 * process must answer other requests meanwhile.
 */
export const parseInWorker: ParseImport = async function* (file, options) {
  const chunks = toIterator(file)
  const first: Uint8Array[] = []
  let size = 0
  while (size <= SMALL) {
    const { done, value } = await chunks.next()
    if (done) return yield* parseInProcess(first, options)
    first.push(value)
    size += value.byteLength
  }
  const child = Bun.spawn([...selfCommand(), READ, JSON.stringify(options)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    child.kill('SIGKILL')
  }, TIMEOUT_MS)
  try {
    await lowerPriority(child.pid)
    for (const chunk of first) await write(child.stdin, chunk)
    for (let next = await chunks.next(); !next.done; next = await chunks.next())
      await write(child.stdin, next.value)
    await end(child.stdin)
    for await (const line of linesOf(child.stdout)) {
      const message: WorkerMessage = JSON.parse(line)
      // The worker sends its first chunk after it parsed the file. Storing the chunks may take long.
      clearTimeout(timer)
      if ('refused' in message)
        throw new UnreadableFile(message.refused.reason, message.refused.message)
      yield message
    }
    if ((await child.exited) !== 0) throw workerEnded()
  } catch (cause) {
    throw hasTimedOut ? tooSlow() : cause
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** Error of a file that the worker could not parse within the time limit. */
function tooSlow(): UnreadableFile {
  return new UnreadableFile('broken', 'The file is too much to be read on this machine.')
}

function toIterator(file: Parameters<ParseImport>[0]): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in file) return file[Symbol.asyncIterator]()
  return (async function* () {
    yield* file
  })()
}

/** Error when another process or the kernel ended the worker, most often because memory ran out. */
function workerEnded(): DomainError {
  return error('unavailable', 'the process that reads the file ended')
}

/** Waits until the worker took the chunk. A write to a worker that ended rejects with EPIPE. */
async function write(to: Bun.FileSink, chunk: Uint8Array): Promise<void> {
  try {
    await to.write(chunk)
    await to.flush()
  } catch {
    throw workerEnded()
  }
}

async function end(to: Bun.FileSink): Promise<void> {
  try {
    await to.end()
  } catch {
    throw workerEnded()
  }
}

const READ = 'read-import'

/** Worker process of `parseInWorker`: parses the file on standard input and prints one chunk per line. */
export const importWorkerCommand: Command = {
  name: READ,
  summary: 'Parse an import file for the server',
  args: ['OPTIONS'],
  async run({ args: [options = '{}'] }) {
    preferOomKill()
    const file = await Bun.stdin.bytes()
    for await (const message of emitChunks(file, JSON.parse(options)))
      await new Promise((resolve) => process.stdout.write(`${JSON.stringify(message)}\n`, resolve))
    return { json: null, text: '' }
  },
}

async function* emitChunks(file: Uint8Array, options: ReadOptions): AsyncGenerator<WorkerMessage> {
  const { readFile } = await import('../../formats/read')
  try {
    yield* chunksOf(readFile(file, options))
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    yield { refused: { reason: cause.reason, message: cause.message } }
  }
}

async function lowerPriority(pid: number): Promise<void> {
  const { constants, setPriority } = await import('node:os')
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The worker has ended already, or the system does not allow it.
  }
}

/** Makes the kernel kill this process before the server when memory runs out. */
function preferOomKill(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '900')
  } catch {
    // Linux only.
  }
}

const NEWLINE = 0x0a

async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let line: Uint8Array[] = []
  for await (const chunk of stream) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      line.push(chunk.subarray(from, end))
      yield Buffer.concat(line).toString()
      line = []
      from = end + 1
    }
    line.push(chunk.subarray(from))
  }
}
