import { ApiError, errorMessage } from '../api/client'

/** Returns a function that describes errors, with other texts for some codes of the server. */
export function errorText(texts: Readonly<Record<number, string>>) {
  return (cause: unknown): string =>
    (cause instanceof ApiError && texts[cause.code]) || errorMessage(cause)
}

/** Codes of errors that pages have texts for. */
export const LIMIT_REACHED = 49001
export const SAME_TIME = 40005
