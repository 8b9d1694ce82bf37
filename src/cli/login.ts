import { operator } from '../model/privacy'
import { formatInstant } from '../model/time'
import { createLoginCode } from '../service/access/loginLinks'
import { findLocalServer } from '../service/admin/findLocalServer'
import type { Call, Command } from './command'
import { localBaseUrl } from './health'
import { resolveSystem } from './resolveSystem'

export const loginCommands: Command[] = [
  {
    name: 'login',
    summary: 'Print a one-time login link for a system, valid for ten minutes',
    args: ['SYSTEM'],
    takesSettings: ['DATABASE_URL', 'HOST', 'PORT', 'PUBLIC_URL'],
    async run(call) {
      const { viewer, system } = await resolveSystem(call)
      const { code, expires } = await createLoginCode(call.deps(), viewer)
      const url = `${await baseUrlOf(call)}/#/login/${code}`
      return {
        json: { url, expires: formatInstant(expires) },
        text: `${url}\n\nLogs one browser in as ${system.name ?? system.hid}, once, within ten minutes. Share it only in private.`,
      }
    },
  },
]

/** PUBLIC_URL, else the address of the server running on this machine, else the address in the settings. */
async function baseUrlOf({ config, origins, deps }: Call): Promise<string> {
  const { PUBLIC_URL, HOST, PORT } = config
  if (PUBLIC_URL !== '') return PUBLIC_URL
  if (origins.HOST === 'flag' || origins.PORT === 'flag') return localBaseUrl(HOST, PORT)
  const running = await findLocalServer(deps(), operator)
  if (running === null) return localBaseUrl(HOST, PORT)
  const { hostname, port } = new URL(running)
  return localBaseUrl(hostname, port)
}
