import type { Snapshot } from '../storage'
import { ShortLivedConnection } from './connection'
import { createDb } from './driver'

export function createSnapshot(path: string): Snapshot {
  return async (work) => {
    const connection = new ShortLivedConnection(path, { readonly: true })
    try {
      connection.run('PRAGMA busy_timeout = 5000')
      connection.run('BEGIN')
      return await work(createDb(connection))
    } finally {
      connection.close()
    }
  }
}
