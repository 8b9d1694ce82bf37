import { DomainError } from '../../model/core/errors'
import { operator } from '../../model/core/privacy'
import { actFor } from '../../service/systems/systems'
import type { Call } from '../command'
import { Failure } from '../command'

/** Finds the system that the first argument, or another reference, names, with the operator as its owner. */
export async function resolveSystem({ deps, args }: Call, ref = args[0] ?? '') {
  try {
    return await actFor(deps(), operator, ref)
  } catch (cause) {
    if (!(cause instanceof DomainError) || cause.kind !== 'systemNotFound') throw cause
    throw new Failure(`There is no system ${ref}.`)
  }
}

/** Continuation of an error message about an account. */
export const ACCOUNT_RULE =
  'must be a number of up to 20 digits (Discord) or PLATFORM:ID, such as matrix:@wren:example.org'
