import {
  applySubstitution,
  type Substitute,
  type Substitution,
  type SubstitutionResult,
} from '../../model/proxy/substitution'
import type { Command } from '../command'
import { selfCommand } from './selfProcess'

const LIMIT_MS = 100
/** A worker starts within milliseconds; a busy machine takes longer. */
const START_LIMIT_MS = 30_000

const SUBSTITUTE = 'substitute'

interface Request {
  readonly substitution: Substitution
  readonly text: string
}

/**
 * Creates a function that applies substitutions in a worker process. A thread is not enough: Bun
 * cannot end one while it evaluates a regular expression, and a few letters can take years.
 */
export function createSubstitute(
  self: readonly string[] = selfCommand(),
  limitMs = LIMIT_MS,
): Substitute {
  return async (substitution, text) => {
    const child = Bun.spawn([...self, SUBSTITUTE], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const killAfter = (ms: number) => setTimeout(() => child.kill('SIGKILL'), ms)
    let timer = killAfter(START_LIMIT_MS)
    try {
      const request: Request = { substitution, text }
      child.stdin.write(JSON.stringify(request))
      await child.stdin.end()
      const lines = linesOf(child.stdout)
      await lines.next()
      clearTimeout(timer)
      timer = killAfter(limitMs)
      const { value } = await lines.next()
      return value === undefined ? { failure: 'too slow' } : JSON.parse(value)
    } finally {
      clearTimeout(timer)
      child.kill('SIGKILL')
    }
  }
}

/** Worker process of `createSubstitute`: prints a line before it begins, and the result. */
export const substitutionWorkerCommand: Command = {
  name: SUBSTITUTE,
  summary: 'Apply a regular expression for the Discord bot',
  args: [],
  async run() {
    const { substitution, text }: Request = await Bun.stdin.json()
    await print('ready')
    const result: SubstitutionResult = applySubstitution(substitution, text)
    await print(JSON.stringify(result))
    return { json: null, text: '' }
  },
}

function print(line: string): Promise<unknown> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, resolve))
}

/** Yields the lines of a short output. */
async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
