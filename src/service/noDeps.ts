import type { Db } from '../db/types'
import { parseInProcess } from '../formats/chunks'
import { systemClock } from '../timers/clock'
import { createCredentialCache } from './access/credentials'
import { createBulkQueue } from './bulkQueue'
import type { Deps } from './deps'
import { createLongReads } from './longReads'
import { createOpenLists } from './openLists'
import { createImportLimiter } from './transfer/importLimiter'
import { createSpool } from './transfer/spool'

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
