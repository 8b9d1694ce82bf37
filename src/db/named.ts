import { randomUUID } from 'node:crypto'

/** Behind every short ID: what has this in place of one is nobody's, and cannot be named. */
const BEHIND_ALL = '~'

/** For what is not there yet. */
export function unnamed(): { hid: string; uuid: string } {
  return { hid: `${BEHIND_ALL}${randomUUID()}`, uuid: randomUUID() }
}

/** Takes from rows the names that others may have from now on; row numbers are given only once. */
export const LOSES_ITS_NAME = `hid = '${BEHIND_ALL}' || id, uuid = '${BEHIND_ALL}' || id`

/** A condition that leaves out what an import is still bringing, and what is being removed. */
export function isNamed(table: string): string {
  return `${table}.hid < '${BEHIND_ALL}'`
}
