import { error } from '../../model/errors'
import type { System } from '../../model/system'
import type { Deps } from '../../service/deps'
import { findSystem } from '../../service/systems'

export const TAG = 'Bots'

/** The system a bot names; there is no `@me` for bots. */
export async function namedSystem({ db }: Deps, ref: string): Promise<System> {
  const found = await findSystem(db, ref)
  if (!found) throw error('systemNotFound')
  return found
}
