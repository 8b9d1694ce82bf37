import type { QueuedSwitch } from './queue'

/** Storage of this browser for one server: waiting switches, and what the copy holds. */

/** Several servers may share an origin, each in a folder of its own. */
const NAME = `multitude ${new URL('./', location.href).pathname}`
const VERSION = 1

/** Name of the lock that the sender of waiting switches holds. */
export const SENDER_LOCK = `${NAME} sender`
/** Name of the channel on which tabs announce changes of the storage. */
export const CHANNEL = NAME
/** Tag of the background sync that sends waiting switches. */
export const SYNC_TAG = 'multitude-switches'

interface Stores {
  /** Waiting switches by their position in the order of tapping. */
  readonly queue: IDBObjectStore
  /** The device record and the copy, by name. */
  readonly device: IDBObjectStore
}

/** Returns false if nothing was ever stored, so that reading does not create a database. */
export async function hasDatabase(): Promise<boolean> {
  const { databases } = indexedDB as Partial<IDBFactory>
  // Older browsers cannot list them.
  const all = (await databases?.call(indexedDB)) ?? [{ name: NAME }]
  return all.some(({ name }) => name === NAME)
}

/** Runs a transaction over everything, and returns after it is written to the disk. */
export async function transact<T>(
  mode: IDBTransactionMode,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const database = await open()
  try {
    const tx = database.transaction(['queue', 'device'], mode, { durability: 'strict' })
    const written = new Promise<void>((resolve, reject) => {
      tx.oncomplete = () => resolve()
      tx.onabort = () => reject(tx.error ?? new Error('the transaction was aborted'))
    })
    // It is not awaited if the work fails.
    written.catch(() => {})
    const value = await work({
      queue: tx.objectStore('queue'),
      device: tx.objectStore('device'),
    })
    await written
    return value
  } finally {
    database.close()
  }
}

export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Returns all waiting switches in the order of tapping. */
export function listQueue(): Promise<QueuedSwitch[]> {
  return transact('readonly', ({ queue }) => resultOf<QueuedSwitch[]>(queue.getAll()))
}

function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(NAME, VERSION)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('queue', { keyPath: 'order', autoIncrement: true })
    opening.result.createObjectStore('device')
  }
  return resultOf(opening)
}
