import { system } from '../model/system'
import { errorSchema } from './error'
import { viewSchema } from './schema'

/** The named shapes of the API documentation. */
export const components = {
  Error: errorSchema,
  System: viewSchema(system),
}
