import { and, type Column, eq, like, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { fieldValues, memberGuilds, systemGuilds } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleFields, visibleGroups, visibleMembers, visibleSystems } from '../../db/visible'
import type { Entity } from '../../model/core/entity'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { PICTURE_FOLDER, pictureNamesIn } from '../../model/pictures/picture'
import { memberGuild, systemGuild } from '../../model/proxy/guild'
import { system } from '../../model/systems/system'

/** Returns the names of the pictures that the URLs of a system name, in every field that has one. */
export async function findUsedPictures(db: Db, systemId: number): Promise<Set<string>> {
  const names = new Set<string>()
  for (const { url } of await urlsOf(db).all({ system: systemId }))
    for (const name of pictureNamesIn(url)) names.add(name)
  return names
}

type Rows = (systemId: SQL) => { from: SQL; where: SQL }

/** Tables with URLs, and the rows of a system in them. */
const sources: readonly { entity: Entity; table: object; rows: Rows }[] = [
  {
    entity: system,
    table: visibleSystems,
    rows: (id) => ({ from: sql`${visibleSystems}`, where: eq(visibleSystems.id, id) }),
  },
  {
    entity: member,
    table: visibleMembers,
    rows: (id) => ({ from: sql`${visibleMembers}`, where: eq(visibleMembers.system_id, id) }),
  },
  {
    entity: group,
    table: visibleGroups,
    rows: (id) => ({ from: sql`${visibleGroups}`, where: eq(visibleGroups.system_id, id) }),
  },
  {
    entity: systemGuild,
    table: systemGuilds,
    rows: (id) => ({ from: sql`${systemGuilds}`, where: eq(systemGuilds.system_id, id) }),
  },
  {
    entity: memberGuild,
    table: memberGuilds,
    rows: (id) => ({
      from: sql`${visibleMembers}
        join ${memberGuilds} on ${eq(memberGuilds.member_id, visibleMembers.id)}`,
      where: eq(visibleMembers.system_id, id),
    }),
  },
]

const namesPicture = (column: SQL | Column | undefined) =>
  like(sql`${column}`, sql`${`%${PICTURE_FOLDER}%`}`)

// SQL text, because the columns are those of several tables that a field table marks as URLs.
const urlsOf = query((_, { system: id }: Placeholders<'system'>) => {
  const ofColumns = sources.flatMap(({ entity, table, rows }) =>
    entity.entries
      .filter(([, { kind }]) => kind === 'url')
      .map(([key]) => {
        const column = (table as Record<string, Column>)[key]
        const { from, where } = rows(id)
        return sql`select ${column} as url from ${from} where ${and(where, namesPicture(column))}`
      }),
  )
  const ofValues = sql`select ${fieldValues.value} as url from ${visibleFields}
    join ${fieldValues} on ${eq(fieldValues.field_id, visibleFields.id)}
    where ${and(eq(visibleFields.system_id, id), eq(visibleFields.type, sql`'url'`), namesPicture(fieldValues.value))}`
  return sql<{ url: string }>`${sql.join([...ofColumns, ofValues], sql` union all `)}`
})
