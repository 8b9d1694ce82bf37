import { entityOf, renderedTables } from '../../db/renderedJson'
import { error } from '../../model/core/errors'
import type { Audience } from '../../model/core/privacy'
import { isOwner, type Viewer } from '../../model/core/privacy'
import { memberExt, toListed } from '../../model/members/memberExt'
import { findEntityById } from '../../store/core/entityRows'
import { memberRowKind } from '../../store/members/memberRows'
import { findRowsOfGaps, type RowOfGap } from '../../store/reads/gapRows'
import { fillGaps, type GapTable, gapsIn } from '../../store/reads/jsonSql'
import type { Json } from '../../store/reads/objectSql'
import type { Deps } from '../core/deps'

/** Renders the rows that a result lacks, for a viewer; null if one of them no longer exists. */
export async function renderGaps(deps: Deps, viewer: Viewer, json: Json): Promise<Json | null> {
  const text = new TextDecoder().decode(json)
  const gaps = gapsIn(text)
  const rendered = new Map<string, string>()
  for (const table of gapTables) {
    const ids = gaps.filter((gap) => gap.table === table).map(({ id }) => id)
    for (const row of ids.length > 0 ? await findRowsOfGaps(deps.db, table, ids) : []) {
      const audience = isOwner(viewer, row.system_id ?? row.id) ? 'owner' : 'public'
      rendered.set(`${table} ${row.id}`, renderRow(deps, table, row, audience))
    }
  }
  const fills = gaps.flatMap(({ table, id, skipped }) => {
    const object = rendered.get(`${table} ${id}`)
    return object === undefined ? [] : [object.slice(skipped)]
  })
  if (fills.length < gaps.length) return null
  return new TextEncoder().encode(fillGaps(text, fills)) as Json
}

const gapTables = [...renderedTables, 'memberExts', 'wholeMemberExts'] as const

/** Renders a member for its owner, without the cache. */
export async function renderOwnMember(deps: Deps, id: number): Promise<string> {
  const row = await findEntityById(deps.db, memberRowKind, id)
  if (!row) throw error('memberNotFound')
  return renderRow(deps, 'members', row, 'owner')
}

/** Renders a row that the cache lacks, and schedules its refresh. */
function renderRow(
  { db, scheduleRender }: Deps,
  table: GapTable,
  row: RowOfGap,
  audience: Audience,
): string {
  if (table !== 'wholeMemberExts') {
    scheduleRender(table, row.id)
    return db.renderJson(entityOf(table), row, audience)
  }
  // The cache never has a long description.
  if (toListed({ about: row.about ?? null }).about_excerpt === null)
    scheduleRender('memberExts', row.id)
  return db.renderJson(memberExt, row, audience)
}
