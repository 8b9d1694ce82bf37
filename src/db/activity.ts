import { statement } from './statement'

/**
 * Records when a system was active, before the rows that show it are deleted. Does nothing if the
 * system is deleted.
 */
export const keepActivity = statement<'system' | 'at'>(
  ({ number }) => `
   insert into past_activity (system_id, at) select id, ${number(':at')} from systems where id = :system
   on conflict (system_id) do update set at = excluded.at where excluded.at > past_activity.at`,
)
