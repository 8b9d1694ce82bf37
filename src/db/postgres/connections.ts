import { type ReservedSQL, SQL } from 'bun'
import type { Address, Host } from './address'

/** How connections are made. */
export interface ConnectOptions {
  readonly address: Address
  /** How many connections a node has, half of them for writes. */
  readonly pool: number
  /** The certificates that the server's must come from. */
  readonly rootCert: string
  /** Settings of every connection that the program works on. */
  readonly session: Readonly<Record<string, string>>
}

/** Connections whose first statement sends their settings. */
export interface Pool {
  /** Runs on the only connection of a pool of one, which is opened again if it was closed. */
  readonly unsafe: SQL['unsafe']
  reserve(): Promise<ReservedSQL>
  close(): void
}

const CONNECT_LIMIT_S = 3

/** Connections with the server's own settings. `max` is how many there may be. */
export function connectWithoutSettings(
  { address, rootCert }: ConnectOptions,
  { host, port }: Host,
  max: number,
  limitS = CONNECT_LIMIT_S,
  onclose?: () => void,
): SQL {
  const { user, password, database, sslmode } = address
  return new SQL({
    adapter: 'postgres',
    url: `postgres://${host}:${port}/${encodeURIComponent(database)}?sslmode=${sslmode}`,
    username: user,
    password,
    max,
    connectionTimeout: limitS,
    // A pooler refuses most other settings at this point.
    connection: { application_name: 'multitude' },
    ...(onclose && { onclose }),
    ...(rootCert !== '' && { tls: { ca: Bun.file(rootCert) } }),
  })
}

/** Connections with the settings of the program. */
export function connect(options: ConnectOptions, host: Host, max: number, limitS?: number): Pool {
  let isSet = false
  const sql = connectWithoutSettings(options, host, max, limitS, () => {
    isSet = false
  })
  const settings = Object.entries(options.session).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  )
  // Not awaited: statements of a connection run in the order in which they were sent.
  const set = (connection: Pick<SQL, 'unsafe'>) =>
    void connection.unsafe(`select ${settings.join()}`).catch(() => {
      // A connection that is lost is reported by the statement that follows.
    })
  return {
    unsafe(text, values) {
      if (!isSet) {
        isSet = true
        set(sql)
      }
      return sql.unsafe(text, values)
    },
    async reserve() {
      const connection = await sql.reserve()
      set(connection)
      return connection
    },
    close: () => void sql.close({ timeout: 0 }).catch(() => {}),
  }
}
