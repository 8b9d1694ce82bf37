import { StorageError } from '../types'

/** Where a server is, and who asks. */
export interface Address {
  readonly hosts: readonly Host[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly sslmode: SslMode
  /** As it may be shown: without the password. */
  readonly name: string
}

export interface Host {
  readonly host: string
  readonly port: number
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export type SslMode = (typeof sslModes)[number]

const PORT = 5432
const LOOKS_LIKE = 'postgres://USER:PASSWORD@HOST[:PORT][,HOST…]/NAME?sslmode=…'
const ENCODING = 'in a password @ is %40, / is %2F, ? is %3F and % is %25; or give it as PGPASSWORD'

export function isServerAddress(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/**
 * Several hosts, ports and percent-encoding as PostgreSQL's own programs take them. An @ behind the
 * host is refused: the password is not encoded, and its parts were taken for host, name and query.
 */
export function parseAddress(url: string, givenPassword = ''): Address {
  const parts =
    /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?@]+)\/([^/?@]+)(?:\?([^@]*))?$/.exec(
      url,
    )
  if (!parts) throw wrong()
  const [, user = '', password = '', hosts = '', database = '', query = ''] = parts
  if (user === '') throw wrong()
  const sslmode = sslModeOf(query)
  return {
    hosts: hosts.split(',').map(hostOf),
    user: decode(user),
    password: password === '' ? givenPassword : decode(password),
    database: decode(database),
    sslmode,
    name: `postgres://${user}@${hosts}/${database}${sslmode === 'prefer' ? '' : `?sslmode=${sslmode}`}`,
  }
}

function hostOf(text: string): Host {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
  const number = port === undefined ? PORT : Number(port)
  if (host === '' || number < 1 || number > 65_535) throw wrong()
  return { host: decode(host), port: number }
}

function sslModeOf(query: string): SslMode {
  const given = new URLSearchParams(query)
  // Not named: it may be the end of a password that is not encoded.
  if ([...given.keys()].some((key) => key !== 'sslmode'))
    throw new StorageError('Only sslmode may follow the question mark in a database address.')
  const text = given.get('sslmode') ?? 'prefer'
  const mode = sslModes.find((one) => one === text)
  if (!mode)
    throw new StorageError(`sslmode in the database address must be one of ${sslModes.join(', ')}.`)
  return mode
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong()
  }
}

/** Says nothing of what was given, which has a password in it. */
function wrong(): StorageError {
  return new StorageError(`The database address must look like ${LOOKS_LIKE} (${ENCODING}).`)
}
