import type { Db } from '../../db/types'
import type { Reminder } from '../../model/reminders/reminder'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'
import { enqueuePush } from '../push/enqueuePush'

/** A reminder as it is delivered. */
export interface FiredReminder extends Pick<Reminder, 'name' | 'text'> {
  readonly uuid: string
  readonly system_id: number
}

/** Delivers a reminder, in the transaction that moves `due` or sends a test. */
export async function recordReminder(
  deps: StoreDeps,
  tx: Db,
  { uuid, system_id, name, text }: FiredReminder,
  { isTest }: { isTest: boolean },
): Promise<void> {
  await recordEvent(tx, deps.now(), {
    system_id,
    type: 'REMINDER',
    subject: uuid,
    data: { name, text, ...(isTest && { test: true }) },
  })
  await enqueuePush(tx, system_id, 'reminders', uuid)
}
