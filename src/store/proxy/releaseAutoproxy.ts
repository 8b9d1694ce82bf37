import { and, eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { autoproxies } from '../../db/tables'
import type { Db } from '../../db/types'
import type { StoreDeps } from '../core/storeDeps'
import { recordEvent } from '../events/recordEvent'

/** Turns autoproxy off if its mode is `member` and names this member; a latch only loses the member. */
export async function releaseAutoproxy(
  deps: StoreDeps,
  tx: Db,
  { id, system_id }: { id: number; system_id: number },
): Promise<void> {
  const rows = await autoproxiesTo(tx).all({ member: id })
  for (const { guild_id, autoproxy_mode, last_latch_timestamp } of rows) {
    const changed = {
      ...(autoproxy_mode === 'member' && { autoproxy_mode: 'off' as const }),
      autoproxy_member: null,
      ...(last_latch_timestamp !== null && { last_latch_timestamp: null }),
    }
    const mode = changed.autoproxy_mode ?? autoproxy_mode
    await release(tx).run({ system: system_id, guild: guild_id, mode })
    await recordEvent(tx, deps.now(), {
      system_id,
      type: 'UPDATE_AUTOPROXY',
      subject: null,
      data: { guild_id, ...changed },
    })
  }
}

const autoproxiesTo = query((db, { member }: Placeholders<'member'>) =>
  db.select().from(autoproxies).where(eq(autoproxies.autoproxy_member, member)),
)

const release = query((db, { system, guild, mode }: Placeholders<'system' | 'guild' | 'mode'>) =>
  db
    .update(autoproxies)
    .set({ autoproxy_mode: mode, autoproxy_member: null, last_latch_timestamp: null })
    .where(and(eq(autoproxies.system_id, system), eq(autoproxies.guild_id, guild))),
)
