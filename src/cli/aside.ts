import { writeFileSync } from 'node:fs'
import { type ReadOptions, UnreadableFile } from '../formats/bundle'
import { type BundlePart, partsOf, type ReadParts } from '../formats/parts'
import { readHere } from '../service/deps'
import type { Command } from './command'
import { ownCommand } from './self'

/** What is read in a moment is read here. */
const SMALL = 64 * 1024

/** Of the largest file there may be, on a slow machine. */
const LIMIT_MS = 120_000

type Said = BundlePart | { refused: Pick<UnreadableFile, 'reason' | 'message'> }

/**
 * Reads a large file in a process of its own, which gets it as it arrives: reading may take seconds
 * and much memory, in which this process answers everybody else.
 */
export const readAside: ReadParts = async function* (file, options) {
  const chunks = toIterator(file)
  const first: Uint8Array[] = []
  let size = 0
  while (size <= SMALL) {
    const { done, value } = await chunks.next()
    if (done) return yield* readHere(first, options)
    first.push(value)
    size += value.byteLength
  }
  const child = Bun.spawn([...ownCommand(), READ, JSON.stringify(options)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  await giveWay(child.pid)
  try {
    await pass(first, chunks, child.stdin)
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    try {
      for await (const line of linesOf(child.stdout)) {
        const said: Said = JSON.parse(line)
        // All is read before the first word; the rest waits for whoever writes it down.
        clearTimeout(timer)
        if ('refused' in said) throw new UnreadableFile(said.refused.reason, said.refused.message)
        yield said
      }
    } finally {
      clearTimeout(timer)
    }
    if ((await child.exited) !== 0) throw tooMuch()
  } finally {
    child.kill('SIGKILL')
  }
}

/** The other process was ended, most likely because memory ran out. */
function tooMuch(): UnreadableFile {
  return new UnreadableFile('broken', 'The file is too much to be read on this machine.')
}

function toIterator(file: Parameters<ReadParts>[0]): AsyncIterator<Uint8Array> {
  if (Symbol.asyncIterator in file) return file[Symbol.asyncIterator]()
  return (async function* () {
    yield* file
  })()
}

/** As fast as the other takes it, and no faster. */
async function pass(
  first: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  to: Bun.FileSink,
): Promise<void> {
  for (const chunk of first) to.write(chunk)
  for (;;) {
    try {
      await to.flush()
    } catch {
      throw tooMuch()
    }
    const { done, value } = await rest.next()
    if (done) break
    to.write(value)
  }
  await to.end()
}

const READ = 'read-import'

/** The other side of `readAside`: a file comes in, and its parts go out, one in each line. */
export const readCommand: Command = {
  name: READ,
  summary: 'Read a file for a server that serves others meanwhile',
  args: ['OPTIONS'],
  async run({ args: [options = '{}'] }) {
    volunteer()
    const file = await Bun.stdin.bytes()
    for await (const said of tellParts(file, JSON.parse(options)))
      await new Promise((resolve) => process.stdout.write(`${JSON.stringify(said)}\n`, resolve))
    return { json: null, text: '' }
  },
}

async function* tellParts(file: Uint8Array, options: ReadOptions): AsyncGenerator<Said> {
  const { readFile } = await import('../formats/read')
  try {
    yield* partsOf(readFile(file, options))
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    yield { refused: { reason: cause.reason, message: cause.message } }
  }
}

async function giveWay(pid: number): Promise<void> {
  const { constants, setPriority } = await import('node:os')
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It is gone already, or the machine does not allow it.
  }
}

/** Where memory runs out, this process goes and the server stays. */
function volunteer(): void {
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
