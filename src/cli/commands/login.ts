import { loginLink, setupLink } from '../../model/core/dashboardLinks'
import { operator } from '../../model/core/privacy'
import { formatInstant, type Instant } from '../../model/core/time'
import { createLoginCode } from '../../service/access/loginLinks'
import { createSetupCode } from '../../service/access/setupCodes'
import { findLocalServer } from '../../service/admin/findLocalServer'
import { type Call, type Command, Failure, type Outcome } from '../command'
import { localBaseUrl } from './health'
import { resolveSystem } from './resolveSystem'

export const loginCommands: Command[] = [
  {
    name: 'login',
    summary: 'Print a one-time login link for a system, valid for ten minutes',
    args: ['SYSTEM'],
    flagInsteadOfArgs: 'setup',
    flags: {
      setup: {
        type: 'boolean',
        doc: 'Print a link that creates the first system in a browser, valid for 24 hours',
      },
    },
    takesSettings: ['DATABASE_URL', 'HOST', 'PORT', 'PUBLIC_URL'],
    run: (call) => (call.flags.setup === true ? printSetupLink(call) : printLoginLink(call)),
  },
]

async function printLoginLink(call: Call): Promise<Outcome> {
  const { viewer, system } = await resolveSystem(call)
  const { code, expires } = await createLoginCode(call.deps(), viewer)
  const url = loginLink(await baseUrlOf(call), code)
  const use = `Logs one browser in as ${system.name ?? system.hid}, once, within ten minutes.`
  return outcomeOf(url, expires, use)
}

async function printSetupLink(call: Call): Promise<Outcome> {
  const created = await createSetupCode(call.deps(), operator)
  if (created === null)
    throw new Failure(
      'A set-up link creates the first system, and there is one already. Run "multitude login SYSTEM" to log in to it.',
    )
  const url = setupLink(await baseUrlOf(call), created.code)
  return outcomeOf(
    url,
    created.expires,
    'Creates the first system in a browser, once, within 24 hours.',
  )
}

function outcomeOf(url: string, expires: Instant, use: string): Outcome {
  return {
    json: { url, expires: formatInstant(expires) },
    text: `${url}\n\n${use} Share it only in private.`,
  }
}

/** PUBLIC_URL, else the address of the server running on this machine, else the address in the settings. */
async function baseUrlOf({ config, origins, deps }: Call): Promise<string> {
  const { PUBLIC_URL, HOST, PORT } = config
  if (PUBLIC_URL !== '') return PUBLIC_URL
  if (origins.HOST === 'flag' || origins.PORT === 'flag') return localBaseUrl(HOST, PORT)
  const running = await findLocalServer(deps(), operator)
  return running === null ? localBaseUrl(HOST, PORT) : reachableFromHere(running)
}

/** Address of a server on this machine, which may listen on all interfaces. */
export function reachableFromHere(address: string): string {
  const { hostname, port } = new URL(address)
  return localBaseUrl(hostname, port)
}
