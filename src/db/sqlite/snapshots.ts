import type { Snapshot } from '../storage'
import { ShortLivedConnection } from './connection'
import { createDb } from './driver'

export function takeSnapshots(path: string): Snapshot {
  return async (work) => {
    const own = new ShortLivedConnection(path, { readonly: true })
    try {
      own.run('PRAGMA busy_timeout = 5000')
      own.run('BEGIN')
      return await work(createDb(own))
    } finally {
      own.close()
    }
  }
}
