import type { Db } from '../../../db/types'
import { batches } from '../../../formats/chunks'
import { getSystemById } from '../../../store/systems/systemRows'
import {
  countOrigins,
  findOrigins,
  insertOrigins,
  ORIGINS_AT_ONCE,
  type OriginRow,
  originKey,
  replaceOrigins,
} from '../../../store/transfer/originRows'
import { writeInBatches } from '../../systems/staging'
import type { Import } from './importContext'

/** Maximum number of origins of a system: enough for all rows that it may have. */
const MAX_ORIGINS = 500_000

/**
 * Writes new origins, which are hidden until the import is committed. Those of members and groups
 * follow in the last transaction, when their UUIDs are known, and so do changed ones.
 */
export async function stageOrigins(work: Import): Promise<void> {
  const { deps, options, originTargets, newUuids } = work
  const ofEntities = entityUuids(work)
  const ofRows = work.origins.filter(({ target }) => !ofEntities.has(target))
  const given = [
    ...work.newOrigins,
    ...ofRows.map((row) => ({ ...row, target: newUuids.get(row.target) ?? row.target })),
  ]
  await work.loadOrigins(given)
  const added = new Map<string, OriginRow>()
  for (const row of given) {
    const key = originKey(row)
    const known = originTargets.get(key)
    if (known === undefined) added.set(key, row)
    else if (known !== row.target) work.changedOrigins.push(row)
    await work.step(0)
  }
  if (added.size === 0 || options.dryRun) return
  const stored = await countOrigins(deps.db, work.systemId ?? 0)
  const rows = [...added.values()].slice(0, Math.max(0, MAX_ORIGINS - stored))
  const staging = await work.staging()
  await writeInBatches(deps, staging, [...batches(rows, ORIGINS_AT_ONCE)], (tx, batch) =>
    insertOrigins(tx, staging, batch),
  )
}

/** Returns the UUIDs that the system, its members and its groups have in the file. */
function entityUuids({ head, members, groups }: Import): Set<string> {
  return new Set([head.system, ...members, ...groups].flatMap(({ uuid }) => uuid ?? []))
}

/** Stores changed origins and those of the system, its members and its groups. */
export async function applyOrigins(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { matched, assignedUuids, head, options } = work
  const here = new Map<string, string>()
  const rows = [...work.changedOrigins]
  const { uuid } = await getSystemById(tx, systemId)
  if (head.system.uuid) here.set(head.system.uuid, uuid)
  if (head.system.origin) rows.push({ ...head.system.origin, target: uuid })
  for (const part of ['members', 'groups'] as const)
    for (const { incoming, found } of matched[part]) {
      const target = found?.uuid ?? assignedUuids.get(`${part} ${incoming.key}`)
      if (target === undefined) continue
      if (incoming.uuid) here.set(incoming.uuid, target)
      if (incoming.origin) rows.push({ ...incoming.origin, target })
    }
  for (const { target, ...origin } of work.origins) {
    const now = here.get(target)
    if (now !== undefined && options.only === null) rows.push({ ...origin, target: now })
  }
  const known = await findOrigins(tx, systemId, rows)
  const fresh = new Map(
    rows.flatMap((row) => {
      const key = originKey(row)
      return known.get(key) === row.target ? [] : [[key, row]]
    }),
  )
  if (fresh.size === 0) return false
  await replaceOrigins(tx, systemId, [...fresh.values()])
  return true
}
