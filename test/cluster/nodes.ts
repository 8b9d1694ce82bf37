import { type Engine, USER } from '../postgres/engine'
import { commandLine, emptyFolder, type Server } from '../tools/serverProcess'
import { expect } from '../tools/test'

/** Settings of all nodes. */
const settings = {
  DISPATCH_ALLOW: '127.0.0.1',
  RATE_LIMIT: 'off',
  // Another node takes over from a killed one after this time.
  LEASE_SECONDS: '5',
  LOG_LEVEL: 'warn',
}

/** PostgreSQL connection URL that lists all hosts of the cluster. */
export function addressOf(engines: readonly Engine[], database: string): string {
  const hosts = engines.map(({ port }) => `127.0.0.1:${port}`)
  return `postgres://${USER}@${hosts.join()}/${database}`
}

export interface Nodes {
  readonly env: Record<string, string>
  /** Running nodes. */
  readonly alive: Server[]
  start(): Promise<Server>
  kill(node: Server): Promise<void>
  /**
   * Suspends the process of a node and removes it from the running ones. The client gives up requests
   * to it.
   */
  hang(node: Server): void
  /** Resumes the process of a node. */
  resume(node: Server): void
  /** Creates a system with the command line. */
  makeSystem(name: string): Promise<{ id: string; token: string }>
  /** Deletes a system with the command line. */
  deleteSystem(id: string): Promise<void>
}

/** Prepares nodes on a database, with further settings. Called once per test file. */
export async function nodesOn(address: string, more: Record<string, string> = {}): Promise<Nodes> {
  const { startServer, runJson } = commandLine()
  const cwd = emptyFolder('cluster')
  const env = { ...settings, ...more, DATABASE_URL: address }
  const alive: Server[] = []
  return {
    env,
    alive,
    async start() {
      const node = await startServer([], { cwd, env: { ...env, LOG_LEVEL: 'info', ...more } })
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
      hangs.get(node)?.abort()
    },
    resume(node) {
      hangs.delete(node)
      node.kill('SIGCONT')
      alive.push(node)
    },
    makeSystem: (name) => runJson(['system', 'create', '--name', name], { cwd, env }),
    deleteSystem: (id) => runJson(['system', 'delete', id, '--yes'], { cwd, env }),
  }
}

export interface NodeResponse {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

/** Aborts the requests to a node when it is suspended. */
const hangs = new WeakMap<Server, AbortController>()

/** Sends a request to a node; null if there was no response. */
export async function ask(
  node: Server,
  line: string,
  token: string,
  body?: unknown,
): Promise<NodeResponse | null> {
  const [method = '', path] = line.split(' ')
  const hang = hangs.get(node) ?? new AbortController()
  hangs.set(node, hang)
  try {
    const response = await fetch(`${node.address}${path}`, {
      method,
      headers: { authorization: token },
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      keepalive: false,
      signal: hang.signal,
    })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    return { status: response.status, headers: response.headers, text, json }
  } catch {
    return null
  }
}

/** Sends a request that must succeed. */
export async function must(node: Server, line: string, token: string, body?: unknown) {
  const response = await ask(node, line, token, body)
  expect([line, response?.json, (response?.status ?? 500) < 300]).toEqual([
    line,
    response?.json,
    true,
  ])
  return response as NodeResponse
}
