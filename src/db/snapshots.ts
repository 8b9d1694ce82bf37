import { PassingConnection } from './connection'
import { createDb } from './driver'
import type { Snapshot } from './storage'

export function takeSnapshots(path: string): Snapshot {
  return async (work) => {
    const own = new PassingConnection(path, { readonly: true })
    try {
      own.run('PRAGMA busy_timeout = 5000')
      own.run('BEGIN')
      return await work(createDb(own))
    } finally {
      own.close()
    }
  }
}
