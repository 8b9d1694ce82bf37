import { Database } from 'bun:sqlite'
import { connect, createServer, type Socket } from 'node:net'
import { pathOf } from '../../../src/db/sqlite/storage'
import { isSqlite } from '../../tools/testApp'

/** Access to a database that a test can take away. */
export interface DatabaseGate {
  /** Address for the processes of the bot. */
  readonly address: string
  /** SQLite: locks the file for writing. PostgreSQL: drops and refuses connections. */
  close(): void
  open(): void
  /** Ends the gate after the test. */
  stop(): void
}

export async function createDatabaseGate(address: string): Promise<DatabaseGate> {
  return isSqlite ? lockingGate(address) : proxyGate(address)
}

function lockingGate(address: string): DatabaseGate {
  let lock: Database | null = null
  const open = () => {
    lock?.run('rollback')
    lock?.close()
    lock = null
  }
  return {
    address,
    close() {
      lock = new Database(pathOf(address))
      lock.run('pragma busy_timeout = 5000')
      lock.run('begin immediate')
    },
    open,
    stop: open,
  }
}

async function proxyGate(address: string): Promise<DatabaseGate> {
  const target = new URL(address)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((client) => {
    if (!isOpen) return void client.destroy()
    const backend = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => {})
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the proxy has no port')
  const own = new URL(address)
  own.port = String(bound.port)
  own.hostname = '127.0.0.1'
  const close = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: own.href,
    close,
    open() {
      isOpen = true
    },
    stop() {
      close()
      server.close()
    },
  }
}
