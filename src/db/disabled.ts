import type { Db } from './handle'
import { statement } from './statement'

/** A condition that leaves out what belongs to a system that the operator has disabled. */
export function isEnabled(table: 'systems' | 'members' | 'groups'): string {
  if (table === 'systems') return 'systems.disabled_at is null'
  return `not exists (select 1 from systems enabled
    where enabled.id = ${table}.system_id and enabled.disabled_at is not null)`
}

export async function isDisabled(db: Db, systemId: number): Promise<boolean> {
  return (await disabled(db).get({ system: systemId })) !== null
}

const disabled = statement<'system', { id: number }>(
  'select id from systems where id = :system and disabled_at is not null',
)
