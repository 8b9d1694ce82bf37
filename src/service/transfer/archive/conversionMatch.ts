import type { Db } from '../../../db/types'
import { ImportLog } from '../../../formats/importLog'
import { nameOr, repairFields, textOf } from '../../../formats/repair'
import { type AppRow, createdOf } from '../../../formats/simplyplural/rows'
import type { Identity } from '../../../model/core/entity'
import type { Instant } from '../../../model/core/time'
import { type Member, member } from '../../../model/members/member'
import { listDescriptions } from '../../../store/transfer/conversionRows'

/** An archived row of a member, a custom front or a group. */
export interface ArchivedEntity {
  /** `originKey` of the row. */
  readonly key: string
  readonly app: AppRow
}

/** Returns the name that the import gave to the member or group of a row. */
export function nameOfRow({ name }: AppRow): string {
  const subject = { kind: 'member', name: null } as const
  const log = new ImportLog()
  return nameOr(repairFields(member, { name: textOf(name) }, subject, log).name, null, subject, log)
}

/**
 * Matches archived rows with members or groups here: by origin, by name and the time of creation that
 * is part of the ID, or by a name that only one row and one member or group has. A row with several
 * candidates has none.
 */
export function matchArchived<R extends Identity & { name: string; created: Instant | null }>(
  existing: readonly R[],
  archived: readonly ArchivedEntity[],
  origins: ReadonlyMap<string, string>,
): Map<string, R> {
  const matches = new Map<string, R>()
  const used = new Set<R>()
  const byUuid = new Map(existing.map((row) => [row.uuid, row]))
  for (const { key } of archived) {
    const row = byUuid.get(origins.get(key) ?? '')
    if (!row) continue
    matches.set(key, row)
    used.add(row)
  }
  const matchBy = (
    labelOfRow: (app: AppRow) => string | null,
    labelOfExisting: (row: R) => string,
  ) => {
    // What was imported before and deleted here stays unmatched.
    const open = archived.filter(({ key }) => !matches.has(key) && !origins.has(key))
    const rows = Map.groupBy(open, ({ app }) => labelOfRow(app))
    const candidates = Map.groupBy(
      existing.filter((row) => !used.has(row)),
      labelOfExisting,
    )
    for (const [label, same] of rows) {
      const [row, ...others] = (label !== null && candidates.get(label)) || []
      const [entity, ...duplicates] = same
      if (!row || !entity || others.length > 0 || duplicates.length > 0) continue
      matches.set(entity.key, row)
      used.add(row)
    }
  }
  matchBy(
    (app) => {
      const { created } = createdOf(app)
      return created === undefined ? null : `${created} ${nameOfRow(app)}`
    },
    ({ name, created }) => `${created} ${name}`,
  )
  matchBy(nameOfRow, ({ name }) => name)
  return matches
}

/** Descriptions that are cut have about the maximum length. */
const MIN_CUT = 800

/**
 * Finds the members whose descriptions an import cut, by name and by the beginning that they still
 * have. Returns the whole texts and their rows by the UUIDs of members.
 */
export async function matchLongDescriptions<Row>(
  db: Db,
  systemId: number,
  descriptions: readonly { row: Row; name: string; text: string }[],
  archivedNames: ReadonlyMap<string, readonly Member[]>,
): Promise<Map<string, { row: Row; text: string }>> {
  const matches = new Map<string, { row: Row; text: string }>()
  if (descriptions.length === 0) return matches
  const cut = await listDescriptions(db, systemId, MIN_CUT)
  for (const { row, name, text } of descriptions) {
    const named = new Set(archivedNames.get(name)?.map(({ uuid }) => uuid))
    const same = cut.filter(
      (member) =>
        (member.name === name || named.has(member.uuid)) &&
        // The cut may have replaced half of a character.
        text.startsWith(member.description?.slice(0, -1) ?? text) &&
        text.length > (member.description?.length ?? 0),
    )
    const [only, ...others] = same
    if (!only || others.length > 0) continue
    matches.set(only.uuid, { row, text })
  }
  return matches
}
