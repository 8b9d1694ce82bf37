import type { Quotas } from '../../model/access/quotas'
import type { Instant } from '../../model/core/time'

/** What functions on rows need besides their transaction. */
export interface StoreDeps {
  readonly now: () => Instant
  readonly quotas: Quotas
  /** Public address of this server, with which links and addresses of pictures begin; empty if unknown. */
  readonly publicUrl: string
}
