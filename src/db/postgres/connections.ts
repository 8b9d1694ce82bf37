import type { ReservedSQL, SQL } from 'bun'
import type { Clock } from '../../runtime/timers/clock'
import type { Address, Host } from './address'

export interface ConnectOptions {
  readonly address: Address
  /** Maximum number of connections of a node, half of them for writes. */
  readonly pool: number
  /** Path of the CA certificates that the server's certificate is verified against. */
  readonly rootCert: string
  /** Settings of every connection that the program works on. */
  readonly session: Readonly<Record<string, string>>
  readonly clock: Clock
}

/** Pool of connections whose first statement sends their settings. */
export interface Pool {
  /** Runs on the only connection of a pool of one, which is reopened if it was closed. */
  readonly unsafe: SQL['unsafe']
  /**
   * ID of the server process that runs the statements of a pool of one; null while there is no
   * connection.
   */
  processId(): number | null
  reserve(): Promise<ReservedSQL>
  close(): void
}

const CONNECT_LIMIT_S = 3

/** Opens a pool of at most `max` connections with the default settings of the PostgreSQL server. */
export function connectWithoutSettings(
  { address, rootCert }: ConnectOptions,
  { host, port }: Host,
  max: number,
  limitS = CONNECT_LIMIT_S,
  onclose?: () => void,
): SQL {
  const { user, password, database, sslmode } = address
  return new Bun.SQL({
    adapter: 'postgres',
    url: `postgres://${host}:${port}/${encodeURIComponent(database)}?sslmode=${sslmode}`,
    username: user,
    password,
    max,
    connectionTimeout: limitS,
    // A pooler refuses most other settings as startup parameters.
    connection: { application_name: 'multitude' },
    ...(onclose && { onclose }),
    ...(rootCert !== '' && { tls: { ca: Bun.file(rootCert) } }),
  })
}

/** Opens a pool of connections with the settings of `options.session`. */
export function connect(options: ConnectOptions, host: Host, max: number, limitS?: number): Pool {
  let isSet = false
  let processId: number | null = null
  const sql = connectWithoutSettings(options, host, max, limitS, () => {
    isSet = false
    processId = null
  })
  const settings = Object.entries(options.session).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  )
  // Not awaited, because a connection runs its statements in the order of sending.
  const set = (connection: Pick<SQL, 'unsafe'>) =>
    void connection.unsafe(`select ${settings.join()}, pg_backend_pid() as process`).then(
      ([row]) => {
        processId = row?.process ?? null
      },
      () => {
        // The next statement reports a lost connection.
      },
    )
  return {
    unsafe(text, values) {
      if (!isSet) {
        isSet = true
        set(sql)
      }
      return sql.unsafe(text, values)
    },
    processId: () => processId,
    async reserve() {
      const connection = await sql.reserve()
      set(connection)
      return connection
    },
    close: () => void sql.close({ timeout: 0 }).catch(() => {}),
  }
}
