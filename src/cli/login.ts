import { formatInstant } from '../model/time'
import { createLoginCode } from '../service/access/logins'
import type { Command } from './command'
import { namedSystem } from './named'

export const loginCommands: Command[] = [
  {
    name: 'login',
    summary: 'Print a link that lets a browser in as a system, once, within ten minutes',
    args: ['SYSTEM'],
    takesSettings: ['DATABASE_URL', 'HOST', 'PORT', 'PUBLIC_URL'],
    async run(call) {
      const { viewer, system } = await namedSystem(call)
      const { code, expires } = await createLoginCode(call.deps(), viewer)
      const { PUBLIC_URL, HOST, PORT } = call.config
      const url = `${PUBLIC_URL || addressOf(HOST, PORT)}/#/login/${code}`
      return {
        json: { url, expires: formatInstant(expires) },
        text: `${url}\n\nLets one browser in as ${system.name ?? system.hid}, once, within ten minutes. Hand it over in private.`,
      }
    },
  },
]

/** Where somebody on this machine finds the server; others need PUBLIC_URL. */
function addressOf(host: string, port: number): string {
  const isEvery = host === '0.0.0.0' || host === '::'
  const name = isEvery ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
