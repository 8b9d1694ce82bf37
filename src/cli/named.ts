import type { System } from '../model/system'
import { findSystem } from '../service/systems'
import type { Call } from './command'
import { Failure } from './command'

/** The system that the first argument names. */
export async function namedSystem({ deps, args }: Call): Promise<System> {
  const [ref = ''] = args
  const found = await findSystem(deps().db, ref)
  if (!found) throw new Failure(`There is no system ${ref}.`)
  return found
}

/** What an account must be, in words that go on behind its name. */
export const ACCOUNT_RULE =
  'must be a number of up to 20 digits for Discord, elsewhere PLATFORM:ID, such as matrix:@wren:example.org'
