import { createUpdater } from '../db/rows'
import { statement } from '../db/statement'
import type { Draft, Entity, Patch } from '../model/entity'
import type { EventType } from '../model/events'
import { group } from '../model/group'
import { member } from '../model/member'
import { requireSystem, type Viewer } from '../model/privacy'
import type { Deps } from './deps'
import { tell } from './outbox'
import { takeTurns } from './turns'

/** Every level private, unless the draft says anything about privacy itself. */
export function withDefaultPrivacy<E extends Entity>(entity: E, draft: Draft<E>): Draft<E> {
  if (entity.levels.some((level) => level in draft)) return draft
  const levels = Object.fromEntries(entity.levels.map((level) => [level, 'private']))
  return { ...draft, ...levels }
}

/** Sets levels of all members or groups of the caller's system: all of them, or none. */
export async function setPrivacyOfAll<K extends keyof typeof kinds>(
  deps: Deps,
  viewer: Viewer,
  kind: K,
  levels: Patch<(typeof kinds)[K]['entity']>,
): Promise<void> {
  const system_id = requireSystem(viewer)
  const { levelsOf, update, type } = kinds[kind]
  await deps.transact(
    { system: system_id },
    async (tx) => {
      const giveWay = takeTurns()
      for (const row of await levelsOf(tx).all({ system: system_id })) {
        const changes = Object.entries(levels).filter(([level, value]) => row[level] !== value)
        if (changes.length === 0) continue
        const changed = Object.fromEntries(changes)
        await tell(tx, deps.now(), { system_id, type, subject: row.uuid, data: changed })
        await update(tx, row.id, changed)
        await giveWay()
      }
    },
    'long',
  )
}

/** The row's levels, and what it is found and named by. */
interface Levels extends Record<string, unknown> {
  id: number
  uuid: string
}

function kindOf<E extends Entity>(entity: E, table: 'members' | 'groups', type: EventType) {
  const columns = ['id', 'uuid', ...entity.levels].join()
  return {
    entity,
    type,
    update: createUpdater(table),
    levelsOf: statement<'system', Levels>(
      `select ${columns} from ${table} where system_id = :system order by id`,
    ),
  }
}

const kinds = {
  member: kindOf(member, 'members', 'UPDATE_MEMBER'),
  group: kindOf(group, 'groups', 'UPDATE_GROUP'),
}
