/** Path of the caller's own system in the extension API. */
export const ME = '/ext/v1/systems/@me'
