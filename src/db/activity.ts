import { statement } from './statement'

/**
 * Records when a system was active, before the rows that show it are deleted. Does nothing if the
 * system is deleted.
 */
export const recordActivity = statement<'system' | 'at'>(
  ({ number }) => `
   insert into last_activity (system_id, active_at) select id, ${number(':at')} from systems where id = :system
   on conflict (system_id) do update set active_at = excluded.active_at
   where excluded.active_at > last_activity.active_at`,
)
