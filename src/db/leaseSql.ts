import type { TextDialect } from './textDialect'

/** Maximum length of a lease. */
export const LONGEST_LEASE_MS = 60_000

/**
 * SQL condition for leases that have expired. A lease that ends later than any lease can end was
 * written before the engine's clock was set back.
 */
export function isLeaseOver({ nowMs }: TextDialect): string {
  return `(leases.until <= ${nowMs} or leases.until > ${nowMs} + ${LONGEST_LEASE_MS})`
}

/** SQL query for the holders of the leases that have not expired. */
export function leaseHoldersSql(dialect: TextDialect): string {
  return `select distinct holder from leases where not ${isLeaseOver(dialect)} order by holder`
}
