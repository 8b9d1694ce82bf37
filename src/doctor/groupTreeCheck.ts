import { and, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { alias, type Placeholders, query } from '../db/query'
import { groupExts, groups } from '../db/tables'
import type { Db } from '../db/types'
import { visibleGroups } from '../db/visible'
import { MAX_GROUP_DEPTH } from '../model/groups/groupExt'
import { loopsOf, pathTo } from '../model/groups/groupTree'

/** A group that is in another one. */
interface Nested {
  id: number
  hid: string
  system_id: number
  parent_id: number
  parent_system: number | null
}

/** Finds groups that contain each other, are nested too deeply, or are in a group of another system. */
export async function findWrongGroupTrees(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  for (let after = 0; ; ) {
    const last = (await systemsWithTrees(db).all({ after })).at(-1)?.system_id
    if (last === undefined) return findings
    const nested = await nestedGroups(db).all({ after, last })
    for (const tree of Map.groupBy(nested, ({ system_id }) => system_id).values())
      findings.push(...checkTree(tree))
    after = last
  }
}

/** Each problem is described as it is after the repair of those before it. */
function checkTree(nested: readonly Nested[]): Finding[] {
  const foreign = nested.filter(({ system_id, parent_system }) => parent_system !== system_id)
  const groupsById = new Map(nested.map((group) => [group.id, group]))
  const parents = new Map(nested.map(({ id, parent_id }) => [id, parent_id]))
  for (const { id } of foreign) parents.delete(id)
  const findings = foreign.map((group) =>
    finding(`group ${group.hid} is in a group of another system`, group, null),
  )
  for (const loop of loopsOf(parents)) {
    const oldest = loop.indexOf(Math.min(...loop))
    const groupsOfLoop = [...loop.slice(oldest), ...loop.slice(0, oldest)].flatMap(
      (id) => groupsById.get(id) ?? [],
    )
    const [top] = groupsOfLoop
    if (!top) continue
    const names = new Intl.ListFormat('en').format(groupsOfLoop.map(({ hid }) => hid))
    const problem =
      loop.length === 1 ? `group ${names} contains itself` : `groups ${names} contain each other`
    findings.push(finding(problem, top, null))
    parents.delete(top.id)
  }
  for (const group of nested) {
    const path = pathTo(parents, group.id)
    if (path.length <= MAX_GROUP_DEPTH) continue
    const problem = `group ${group.hid} is at level ${path.length}, and ${MAX_GROUP_DEPTH} is the deepest`
    findings.push(finding(problem, group, path[MAX_GROUP_DEPTH - 2] ?? null))
  }
  return findings
}

/** Repairs a tree by giving the group another parent. */
function finding(problem: string, { id, parent_id }: Nested, parent: number | null): Finding {
  return {
    check: 'group tree',
    problem,
    fix: (tx) => move(tx).run({ id, from: parent_id, parent }),
  }
}

const { group_id, parent_id } = groupExts

const systemsWithTrees = query((db, { after }: Placeholders<'after'>) =>
  db
    .selectDistinct({ system_id: visibleGroups.system_id })
    .from(groupExts)
    .innerJoin(visibleGroups, eq(visibleGroups.id, group_id))
    .where(and(isNotNull(parent_id), gt(visibleGroups.system_id, after)))
    .orderBy(visibleGroups.system_id)
    .limit(PAGE),
)

const parents = alias(groups, 'parents')

const nestedGroups = query((db, { after, last }: Placeholders<'after' | 'last'>) => {
  const { id, hid, system_id } = visibleGroups
  return db
    .select({
      id,
      hid,
      system_id,
      parent_id: sql<number>`${parent_id}`.as('parent_id'),
      parent_system: sql<number | null>`${parents.system_id}`.as('parent_system'),
    })
    .from(groupExts)
    .innerJoin(visibleGroups, eq(id, group_id))
    .leftJoin(parents, eq(parents.id, parent_id))
    .where(and(isNotNull(parent_id), gt(system_id, after), lte(system_id, last)))
    .orderBy(id)
})

/** Does nothing if the group was moved meanwhile. */
const move = query((db, { id, from, parent }: Placeholders<'id' | 'from' | 'parent'>) =>
  db
    .update(groupExts)
    .set({ parent_id: parent })
    .where(and(eq(group_id, id), eq(parent_id, from))),
)
