import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { cachedSql, columnFor } from '../../db/renderedJson'
import { accounts, autoproxies, systemSettings } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleSystems as systems } from '../../db/visible'

/** Finds the system of a message that is recorded, with what decides the effects. */
export function findSenderContext(
  tx: Db,
  system: number,
  { sender, guild }: { sender: string; guild: string | null },
) {
  return senderContext(tx).get({ system, sender, guild })
}

const cachedOwnerJson = cachedSql('systems', columnFor('systems', 'owner'))

/** The system with its cached JSON, the sender's system, and settings that decide the effects. */
const senderContext = query(
  (db, { system, sender, guild }: Placeholders<'system' | 'sender' | 'guild'>) =>
    db
      .select({
        ...systems._.selectedFields,
        system_json: sql<string | null>`${cachedOwnerJson}`.as('system_json'),
        proxy_switch: systemSettings.proxy_switch,
        sender_system: sql<number | null>`${accounts.system_id}`.as('sender_system'),
        autoproxy_mode: autoproxies.autoproxy_mode,
      })
      .from(systems)
      .innerJoin(systemSettings, eq(systemSettings.system_id, systems.id))
      .leftJoin(accounts, eq(accounts.id, sender))
      .leftJoin(
        autoproxies,
        and(eq(autoproxies.system_id, system), eq(autoproxies.guild_id, guild)),
      )
      .where(eq(systems.id, system)),
)
