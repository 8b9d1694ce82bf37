import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Config } from '../config'
import { type Call, type Command, Failure, UsageError } from './command'

const LONGEST_MS = 5000
const MOST_BYTES = 4096

export const healthCommand: Command = {
  name: 'health',
  summary: 'Ask a running server whether it is well',
  takesSettings: ['HOST', 'PORT'],
  flags: { url: { type: 'string', doc: 'Address of the server, instead of HOST and PORT' } },
  async run({ flags, config }) {
    const url = addressOf(flags, config)
    const problem = await findProblem(url)
    if (problem) throw new Failure(`${url} ${problem}.`, { ok: false, url, problem })
    return { json: { ok: true, url }, text: `${url} is well.` }
  },
}

function addressOf({ url }: Call['flags'], { HOST, PORT }: Config): string {
  if (typeof url === 'string') {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new UsageError('--url: must be an http or https address')
    return url.replace(/\/+$/, '')
  }
  if (PORT === 0) throw new UsageError('--url is needed, because PORT is 0 (a free one)')
  return `http://${reachable(HOST)}:${PORT}`
}

/** Where a server that listens on every network is found from here. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::' || host === '[::]') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

async function findProblem(url: string): Promise<string | null> {
  try {
    const { status, text } = await ask(`${url}/health`)
    if (status !== 200) return `is not well: it answered ${status}`
    return isWell(text) ? null : 'answered, but is not Multitude'
  } catch (cause) {
    return `does not answer: ${(cause as Error).message}`
  }
}

function isWell(text: string): boolean {
  try {
    return JSON.parse(text)?.status === 'ok'
  } catch {
    return false
  }
}

/** Not by `fetch`, which would ask a proxy that the environment names. */
async function ask(url: string): Promise<{ status: number; text: string }> {
  const { get } = url.startsWith('https') ? await import('node:https') : await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const hear = (answer: IncomingMessage) => {
    let text = ''
    const finish = () => resolve({ status: answer.statusCode ?? 0, text })
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.length > MOST_BYTES) finish()
    })
    answer.on('end', finish)
    answer.on('error', reject)
  }
  const request = get(url, { agent: false }, hear)
  request.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    reject(new Error(words[code ?? ''] ?? code ?? message)),
  )
  const timer = setTimeout(
    () => reject(new Error(`nothing came for ${LONGEST_MS / 1000} s`)),
    LONGEST_MS,
  )
  return promise.finally(() => {
    clearTimeout(timer)
    request.destroy()
  })
}

const words: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ConnectionRefused: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the connection was cut',
}
