// Links that open the dashboard. What follows `#` is not sent by browsers with the address, so that
// no server logs a code.

export function loginLink(address: string, code: string): string {
  return `${address}/#/login/${code}`
}

export function setupLink(address: string, code: string): string {
  return `${address}/#/setup/${code}`
}

export function friendLink(address: string, code: string): string {
  return `${address}/#/friend/${code}`
}

/** Link to the public page of a system. */
export function systemLink(address: string, id: string): string {
  return `${address}/#/systems/${id}`
}

/** Link to a page of the own system, which needs a login. */
export function ownLink(address: string, page: 'members' | 'groups', id: string): string {
  return `${address}/#/${page}/${id}`
}
