import type { Origin } from '../../../formats/bundle'
import { diff, type Identity } from '../../../model/core/entity'
import type { Group, GroupDraft, GroupPatch, group } from '../../../model/groups/group'
import type { Member, MemberDraft, MemberPatch, member } from '../../../model/members/member'
import type { GivenIdentity } from '../../../store/core/identityRows'

export interface Match<I, R> {
  readonly incoming: I
  /** Null if the row will be created. */
  readonly found: R | null
}

/**
 * Matches entries of the file with existing rows, by origin, then UUID, then short ID, then exact name. Each row
 * is matched at most once, and a match by name never takes a row that another entry matches by ID.
 */
export function matchRows<
  R extends Identity & { name: string },
  I extends GivenIdentity & { values: { name: string }; origin?: Origin },
>(
  existing: readonly R[],
  entries: readonly I[],
  /** Returns the UUID of a row that was imported before. */
  targetOf: (origin: Origin) => string | undefined,
): Match<I, R>[] {
  const rowsByEntry = new Map<I, R>()
  const used = new Set<R>()
  const pair = (entry: I, row: R | undefined) => {
    if (!row || rowsByEntry.has(entry) || used.has(row)) return
    rowsByEntry.set(entry, row)
    used.add(row)
  }
  const byUuid = new Map(existing.map((row) => [row.uuid, row]))
  for (const entry of entries)
    if (entry.origin) pair(entry, byUuid.get(targetOf(entry.origin) ?? ''))
  const byOrigin = new Set(rowsByEntry.keys())
  for (const entry of entries) pair(entry, byUuid.get(entry.uuid ?? ''))
  const byHid = new Map(existing.map((row) => [row.hid, row]))
  for (const entry of entries) pair(entry, byHid.get(entry.hid ?? ''))
  const byName = Map.groupBy(existing, (row) => row.name)
  for (const entry of entries)
    pair(
      entry,
      byName.get(entry.values.name)?.find((row) => !used.has(row)),
    )
  return entries.map((entry) => {
    const row = rowsByEntry.get(entry)
    if (!row) return { incoming: entry, found: null }
    // What was imported before keeps the name that it has here.
    const { name } = byOrigin.has(entry) ? row : entry.values
    return { incoming: { ...entry, values: { ...entry.values, name } }, found: row }
  })
}

export function changesOfMember(row: Member, values: MemberDraft): MemberPatch {
  const { message_count: _, created, last_message_timestamp, ...rest } = values
  return diff<typeof member>(row, {
    ...rest,
    // The file may know an earlier date of creation, or a later message.
    ...(isNumber(created) && created < (row.created ?? Infinity) && { created }),
    ...(isNumber(last_message_timestamp) &&
      last_message_timestamp > (row.last_message_timestamp ?? -Infinity) && {
        last_message_timestamp,
      }),
  })
}

export function changesOfGroup(row: Group, values: GroupDraft): GroupPatch {
  const { created, ...rest } = values
  const isEarlier = isNumber(created) && created < (row.created ?? Infinity)
  return diff<typeof group>(row, { ...rest, ...(isEarlier && { created }) })
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
