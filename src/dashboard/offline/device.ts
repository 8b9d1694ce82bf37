import type { Switch } from '../core/history'
import type { Contact } from './copyExpiry'
import { resultOf, transact } from './database'

/** Record that this browser may keep a copy. It exists only in sessions that are remembered. */
export interface DeviceRecord extends Contact {
  /** ID of the session. A tab of an earlier session writes nothing. */
  readonly session: string
  /** UUID of the system. */
  readonly system: string
  /** False if the copy was turned off on Devices. */
  readonly hasCopy: boolean
}

/** Key of the list of switches in the copy. */
const SWITCHES = 'switches'
const RECORD = 'record'
const COPY = 'copy'

const MAX_SWITCHES = 200

/** Parts of the copy other than switches. */
export type Copied = Readonly<Record<string, unknown>>

export async function readDevice(): Promise<DeviceRecord | null> {
  return await transact(
    'readonly',
    async ({ device }) =>
      ((await resultOf(device.get(RECORD))) as DeviceRecord | undefined) ?? null,
  )
}

/** Allows a copy in this session, and records the contact. A choice made on Devices stays. */
export async function recordContact(now: Omit<DeviceRecord, 'hasCopy'>): Promise<DeviceRecord> {
  return await transact('readwrite', async ({ device }) => {
    const before = (await resultOf(device.get(RECORD))) as DeviceRecord | undefined
    const isSame = before?.session === now.session
    if (before && !isSame) await deleteCopyIn(device)
    const record = { ...now, hasCopy: isSame ? before.hasCopy : true }
    await resultOf(device.put(record, RECORD))
    return record
  })
}

/** Changes whether there is a copy, and deletes it if not. */
export async function setCopy(hasCopy: boolean): Promise<DeviceRecord | null> {
  return await transact('readwrite', async ({ device }) => {
    const before = (await resultOf(device.get(RECORD))) as DeviceRecord | undefined
    if (!before) return null
    const record = { ...before, hasCopy }
    await resultOf(device.put(record, RECORD))
    if (!hasCopy) await deleteCopyIn(device)
    return record
  })
}

interface Copy {
  readonly copied: Copied
  readonly switches: readonly Switch[]
}

/**
 * Stores the copy, unless the session has ended meanwhile or has none. It is collected in the
 * transaction, so that it has the switches that were sent until then.
 */
export async function writeCopy(session: string, collect: () => Copy | null): Promise<void> {
  await transact('readwrite', async ({ device }) => {
    const record = (await resultOf(device.get(RECORD))) as DeviceRecord | undefined
    const copy = collect()
    if (record?.session !== session || !record.hasCopy || !copy) return
    await resultOf(device.put(copy.copied, COPY))
    await resultOf(device.put(copy.switches.slice(0, MAX_SWITCHES), SWITCHES))
  })
}

export async function readCopy(): Promise<Copy | null> {
  return await transact('readonly', async ({ device }) => {
    const copied = (await resultOf(device.get(COPY))) as Copied | undefined
    const switches = (await resultOf(device.get(SWITCHES))) as Switch[] | undefined
    return copied && switches ? { copied, switches } : null
  })
}

/** Deletes the copy; with it the right to store another one, and on request the waiting switches. */
export async function deleteDevice({ withQueue }: { withQueue: boolean }): Promise<void> {
  await transact('readwrite', async ({ device, queue }) => {
    await resultOf(device.clear())
    if (withQueue) await resultOf(queue.clear())
  })
}

/** Deletes the copy and its right if they are of this session; those of a later login stay. */
export async function deleteDeviceOf(session: string): Promise<void> {
  await transact('readwrite', async ({ device }) => {
    const record = (await resultOf(device.get(RECORD))) as DeviceRecord | undefined
    if (record?.session === session) await resultOf(device.clear())
  })
}

/** Deletes the copy, and keeps the right to store another one. */
export async function deleteCopy(): Promise<void> {
  await transact('readwrite', ({ device }) => deleteCopyIn(device))
}

async function deleteCopyIn(device: IDBObjectStore): Promise<void> {
  await resultOf(device.delete(COPY))
  await resultOf(device.delete(SWITCHES))
}

/** Puts a switch that was sent into the copy, or removes one that the server does not have. */
export async function updateCopiedSwitches(
  device: IDBObjectStore,
  uuid: string,
  recorded: Switch | null,
): Promise<void> {
  const entries = (await resultOf(device.get(SWITCHES))) as Switch[] | undefined
  if (!entries) return
  const others = entries.filter(({ id }) => id !== uuid)
  const all = recorded ? [...others, recorded] : others
  all.sort((a, b) => b.timestamp - a.timestamp)
  await resultOf(device.put(all.slice(0, MAX_SWITCHES), SWITCHES))
}
