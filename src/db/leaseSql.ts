import { not, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from './dialect'
import { toText } from './query'
import { leases } from './tables'

export const LONGEST_LEASE_MS = 60_000

/**
 * Condition for leases that have expired. A lease that ends later than any lease can end was written
 * before the engine's clock was set back.
 */
export function isLeaseOver({ nowMs }: Dialect): SQL {
  return sql`(${leases.until} <= ${nowMs} or ${leases.until} > ${nowMs} + ${LONGEST_LEASE_MS})`
}

/**
 * Query for the holders of the leases that have not expired. SQL text, because migrations run
 * before there is a database handle.
 */
export function leaseHoldersSql(dialect: Dialect): string {
  return toText(
    sql`select distinct ${leases.holder} from ${leases} where ${not(isLeaseOver(dialect))}
      order by ${leases.holder}`,
    dialect,
  ).text
}
