import { and, type Column, like, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import type { Db } from '../../db/types'
import { visibleGroups, visibleMembers, visibleSystems } from '../../db/visible'
import type { Entity } from '../../model/core/entity'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { system } from '../../model/systems/system'

/** Address of a picture in a field of a system, member or group. */
export interface PictureAddress {
  readonly owner: 'system' | 'member' | 'group'
  readonly id: number
  readonly key: string
  readonly url: string
}

/** Lists the pictures of a system and of its members and groups whose addresses begin so. */
export async function listPictureAddresses(
  db: Db,
  systemId: number,
  start: string,
): Promise<PictureAddress[]> {
  const rows = await addresses(db).all({ system: systemId, pattern: `${start}%` })
  // LIKE ignores case and has wildcards.
  return rows.filter(({ url }) => url.startsWith(start))
}

interface Source {
  readonly owner: PictureAddress['owner']
  readonly entity: Entity
  readonly table: object
  readonly systemId: Column | SQL
}

const sources: readonly Source[] = [
  { owner: 'system', entity: system, table: visibleSystems, systemId: visibleSystems.id },
  { owner: 'member', entity: member, table: visibleMembers, systemId: visibleMembers.system_id },
  { owner: 'group', entity: group, table: visibleGroups, systemId: visibleGroups.system_id },
]

// SQL text, because the columns are those of several tables that a field table marks as URLs.
const addresses = query((_, { system: id, pattern }: Placeholders<'system' | 'pattern'>) => {
  const selects = sources.flatMap(({ owner, entity, table, systemId }) =>
    entity.entries
      .filter(([, { kind }]) => kind === 'url')
      .map(([key]) => {
        const column = (table as Record<string, Column>)[key]
        return sql`select '${sql.raw(owner)}' as owner, id, '${sql.raw(key)}' as key, ${column} as url
          from ${table} where ${and(sql`${systemId} = ${id}`, like(sql`${column}`, pattern))}`
      }),
  )
  return sql<PictureAddress>`${sql.join(selects, sql` union all `)}`
})
