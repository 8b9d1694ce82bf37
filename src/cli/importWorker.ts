import { writeFileSync } from 'node:fs'
import { type ReadOptions, UnreadableFile } from '../formats/bundle'
import { type BundleChunk, chunksOf, type ParseImport, parseInProcess } from '../formats/chunks'
import { type DomainError, error } from '../model/errors'
import type { Command } from './command'
import { selfCommand } from './selfProcess'

/** What is read in a moment is read here. */
const SMALL = 64 * 1024

/** Enough for the largest file on a weak machine. */
const LIMIT_MS = 120_000

type WorkerMessage = BundleChunk | { refused: Pick<UnreadableFile, 'reason' | 'message'> }

/**
 * Reads a large file in a worker process: that may take seconds and much memory, and this process
 * answers other requests meanwhile.
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
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, LIMIT_MS)
  try {
    await lowerPriority(child.pid)
    for (const chunk of first) await write(child.stdin, chunk)
    for (let next = await chunks.next(); !next.done; next = await chunks.next())
      await write(child.stdin, next.value)
    await end(child.stdin)
    for await (const line of linesOf(child.stdout)) {
      const said: WorkerMessage = JSON.parse(line)
      // The worker has read the file before it sends the first part. Writing the parts may take long.
      clearTimeout(timer)
      if ('refused' in said) throw new UnreadableFile(said.refused.reason, said.refused.message)
      yield said
    }
    if ((await child.exited) !== 0) throw workerEnded()
  } catch (cause) {
    throw isLate ? tooMuch() : cause
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** Error of a file that the worker could not read within the time limit. */
function tooMuch(): UnreadableFile {
  return new UnreadableFile('broken', 'The file is too much to be read on this machine.')
}

function toIterator(file: Parameters<ParseImport>[0]): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in file) return file[Symbol.asyncIterator]()
  return (async function* () {
    yield* file
  })()
}

/** Another process or the kernel ended the worker, most often because memory ran out. */
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

/** The other side of `readAside`: a file comes in, and its parts go out, one in each line. */
export const importWorkerCommand: Command = {
  name: READ,
  summary: 'Read a file for a server that serves others meanwhile',
  args: ['OPTIONS'],
  async run({ args: [options = '{}'] }) {
    preferOomKill()
    const file = await Bun.stdin.bytes()
    for await (const said of emitChunks(file, JSON.parse(options)))
      await new Promise((resolve) => process.stdout.write(`${JSON.stringify(said)}\n`, resolve))
    return { json: null, text: '' }
  },
}

async function* emitChunks(file: Uint8Array, options: ReadOptions): AsyncGenerator<WorkerMessage> {
  const { readFile } = await import('../formats/read')
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
    // It is gone already, or the machine does not allow it.
  }
}

/** Where memory runs out, this process goes and the server stays. */
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
