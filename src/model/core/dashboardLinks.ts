// Links that open the dashboard with a code. The code follows `#`, so that browsers do not send it
// with the address and no server logs it.

export function loginLink(address: string, code: string): string {
  return `${address}/#/login/${code}`
}

export function setupLink(address: string, code: string): string {
  return `${address}/#/setup/${code}`
}

export function friendLink(address: string, code: string): string {
  return `${address}/#/friend/${code}`
}
