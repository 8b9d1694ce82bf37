import { expect } from 'bun:test'
import { type Engine, USER } from '../postgres/engine'
import { commandLine, emptyFolder, type Server } from '../serverProcess'

/** What all nodes of the tests have in common. */
const settings = {
  DISPATCH_ALLOW: '127.0.0.1',
  RATE_LIMIT: 'off',
  // Who was killed holds nobody up for longer.
  LEASE_SECONDS: '2',
  LOG_LEVEL: 'warn',
}

/** One address for any number of servers. */
export function addressOf(engines: readonly Engine[], database: string): string {
  const hosts = engines.map(({ port }) => `127.0.0.1:${port}`)
  return `postgres://${USER}@${hosts.join()}/${database}`
}

export interface Nodes {
  readonly env: Record<string, string>
  /** Those that are there. */
  readonly alive: Server[]
  start(): Promise<Server>
  kill(node: Server): Promise<void>
  /** Stops the process of a node without ending it; it is not among those that are there. */
  hang(node: Server): void
  /** Lets it run on. */
  resume(node: Server): void
  /** Makes a system by the command line. */
  makeSystem(name: string): Promise<{ id: string; token: string }>
}

/** Asked for once at the top of a file of tests. */
export async function nodesOn(address: string): Promise<Nodes> {
  const { startServer, runJson } = await commandLine()
  const cwd = emptyFolder('cluster')
  const env = { ...settings, DATABASE_URL: address }
  const alive: Server[] = []
  return {
    env,
    alive,
    async start() {
      const node = await startServer([], { cwd, env: { ...env, LOG_LEVEL: 'info' } })
      alive.push(node)
      return node
    },
    async kill(node) {
      alive.splice(alive.indexOf(node), 1)
      node.kill('SIGKILL')
      await node.end()
    },
    hang(node) {
      alive.splice(alive.indexOf(node), 1)
      node.kill('SIGSTOP')
    },
    resume(node) {
      node.kill('SIGCONT')
      alive.push(node)
    },
    makeSystem: (name) => runJson(['system', 'create', '--name', name], { cwd, env }),
  }
}

export interface Told {
  status: number
  headers: Headers
  json: Record<string, unknown>
  ms: number
}

/** How long a client waits for an answer: the node may hang. */
const CLIENT_LIMIT_MS = 10_000

/** Asks a node; null where nobody answered. */
export async function ask(
  node: Server,
  line: string,
  token: string,
  body?: unknown,
): Promise<Told | null> {
  const [method = '', path] = line.split(' ')
  const began = performance.now()
  try {
    const response = await fetch(`${node.address}${path}`, {
      method,
      headers: { authorization: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      keepalive: false,
      signal: AbortSignal.timeout(CLIENT_LIMIT_MS),
    })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    return {
      status: response.status,
      headers: response.headers,
      json,
      ms: performance.now() - began,
    }
  } catch {
    return null
  }
}

/** What must be answered well. */
export async function must(node: Server, line: string, token: string, body?: unknown) {
  const told = await ask(node, line, token, body)
  expect([line, told?.json, (told?.status ?? 500) < 300]).toEqual([line, told?.json, true])
  return told as Told
}
