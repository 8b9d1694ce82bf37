import { expect } from './test'

/** Matches a random UUID, as new objects have. */
export const anyUuid = expect.stringMatching(
  /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/,
)

/** Matches a time of a response. */
export const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
