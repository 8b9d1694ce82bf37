import { lazy } from '../../ui/lazy'

/** Shown while the system has no members. */
export const EmptyState = lazy(async () => (await import('./createMember')).EmptyState)
