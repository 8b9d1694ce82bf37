import { PassingConnection } from './connection'
import { createDb } from './driver'
import type { Db } from './handle'
import { createLines } from './lines'
import type { Snapshot } from './storage'

export function takeSnapshots(path: string): Snapshot {
  const inLine = createLines<number>()
  return (systemId, work) => inLine(systemId, () => withSnapshot(path, work))
}

async function withSnapshot<T>(path: string, work: (db: Db) => Promise<T>): Promise<T> {
  const own = new PassingConnection(path, { readonly: true })
  try {
    own.run('PRAGMA busy_timeout = 5000')
    own.run('BEGIN')
    return await work(createDb(own))
  } finally {
    own.close()
  }
}
