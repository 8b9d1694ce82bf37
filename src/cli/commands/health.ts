import { isIPv6 } from 'node:net'
import type { Config } from '../../runtime/config/config'
import { type Call, type Command, Failure, UsageError } from '../command'
import { printable } from '../format'
import { httpGet } from '../httpGet'

const MAX_BYTES = 4096

export const healthCommand: Command = {
  name: 'health',
  summary: 'Check a running server; exits 0 if healthy, 1 if not',
  takesSettings: ['HOST', 'PORT'],
  flags: { url: { type: 'string', doc: 'Address of the server (default: from HOST and PORT)' } },
  async run({ flags, config }) {
    const url = serverUrlOf(flags, config)
    const problem = await findProblem(url)
    if (problem) throw new Failure(`${url} ${problem}.`, { ok: false, url, problem })
    return { json: { ok: true, url }, text: `${url} is healthy.` }
  },
}

export function serverUrlOf({ url }: Call['flags'], { HOST, PORT }: Config): string {
  if (typeof url === 'string') {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new UsageError('--url: must be an http or https address')
    return url.replace(/\/+$/, '')
  }
  if (PORT === 0) throw new UsageError('--url is required, because PORT is 0 (any free port)')
  return localBaseUrl(HOST, PORT)
}

/** Base URL of a local server that listens on this host and port. */
export function localBaseUrl(host: string, port: number | string): string {
  const name = host.replace(/^\[(.+)\]$/, '$1')
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[name] ?? name
  return `http://${isIPv6(local) ? `[${local}]` : local}:${port}`
}

export async function findProblem(url: string): Promise<string | null> {
  try {
    const { status, text } = await httpGet(`${url}/health`, MAX_BYTES)
    const body = parseBody(text)
    if (status !== 200)
      return `is unhealthy: ${reasonOf(body) ?? `it answered with status ${status}`}`
    return body?.status === 'ok' ? null : 'answered, but is not Multitude'
  } catch (cause) {
    return `does not answer: ${(cause as Error).message}`
  }
}

function parseBody(text: string): { status?: unknown; message?: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Reason in an error body, which reads "503: Service Unavailable (the disk is full)". */
function reasonOf(body: ReturnType<typeof parseBody>): string | undefined {
  const [, reason] = /^\d{3}: [^(]+\((.+)\)$/s.exec(String(body?.message)) ?? []
  return reason && printable(reason).trim()
}
