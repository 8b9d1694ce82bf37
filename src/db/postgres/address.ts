import { StorageError } from '../types'

/** Parsed address of a PostgreSQL database. */
export interface Address {
  readonly hosts: readonly Host[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly sslmode: SslMode
  /** Address without the password, for messages. */
  readonly name: string
}

export interface Host {
  readonly host: string
  readonly port: number
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export type SslMode = (typeof sslModes)[number]

const PORT = 5432
const EXPECTED_FORMAT = 'postgres://USER:PASSWORD@HOST[:PORT][,HOST…]/NAME?sslmode=…'
const ENCODING = 'in a password @ is %40, / is %2F, ? is %3F and % is %25; or give it as PGPASSWORD'

export function isServerAddress(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/**
 * Parses several hosts, ports and percent-encoding like PostgreSQL's own programs. Rejects an @
 * after the host, which means that the password is not encoded and was split into host, name and
 * query.
 */
export function parseAddress(url: string, givenPassword = ''): Address {
  const parts =
    /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?@]+)\/([^/?@]+)(?:\?([^@]*))?$/.exec(
      url,
    )
  if (!parts) throw invalidAddress()
  const [, user = '', password = '', hosts = '', database = '', query = ''] = parts
  if (user === '') throw invalidAddress()
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
  if (host === '' || number < 1 || number > 65_535) throw invalidAddress()
  return { host: decode(host), port: number }
}

function sslModeOf(query: string): SslMode {
  const parameters = new URLSearchParams(query)
  // The message does not contain the key, which may be the end of an unencoded password.
  if ([...parameters.keys()].some((key) => key !== 'sslmode'))
    throw new StorageError('Only sslmode may follow the question mark in a database address.')
  const text = parameters.get('sslmode') ?? 'prefer'
  const mode = sslModes.find((name) => name === text)
  if (!mode)
    throw new StorageError(`sslmode in the database address must be one of ${sslModes.join(', ')}.`)
  return mode
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidAddress()
  }
}

/** Does not contain the given address, which may include a password. */
function invalidAddress(): StorageError {
  return new StorageError(`The database address must look like ${EXPECTED_FORMAT} (${ENCODING}).`)
}
