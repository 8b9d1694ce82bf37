import type { Db } from '../db/types'
import { parseInProcess } from '../formats/chunks'
import { systemClock } from '../runtime/timers/clock'
import { createCredentialCache } from '../service/access/credentials'
import { createBulkQueue } from '../service/core/bulkQueue'
import type { Deps } from '../service/core/deps'
import { createLongReads } from '../service/core/longReads'
import { createOpenLists } from '../service/core/openLists'
import { createImportLimiter } from '../service/transfer/import/importLimiter'
import { createSpool } from '../service/transfer/import/spool'

/** Placeholder for code that only describes routes. Every use of its database is an error. */
export const noDeps: Deps = {
  db: new Proxy({} as Db, {
    get() {
      throw new Error('no database available')
    },
  }),
  sharedRead: { begin: () => {}, end: () => {}, credentialsVersion: () => 0 },
  readFor: (_, work) => work(),
  transact: () => Promise.reject(new Error('no database available')),
  snapshot: () => Promise.reject(new Error('no database available')),
  longReads: createLongReads(),
  openLists: createOpenLists(),
  now: () => 0,
  clock: systemClock,
  parseImport: parseInProcess,
  importLimiter: createImportLimiter(createSpool('')),
  bulkQueue: createBulkQueue(),
  credentialCache: createCredentialCache(() => 0),
  quotas: {
    systems: null,
    members: 0,
    groups: 0,
    archive: 0,
    extText: 0,
    pictures: 0,
    registration: 'closed',
    webRegistration: 'closed',
  },
  publicUrl: '',
  scheduleRender: () => {},
}
