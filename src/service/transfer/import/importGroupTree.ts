import type { Db } from '../../../db/types'
import type { BundleGroup, Repair } from '../../../formats/bundle'
import { isEmptyPatch } from '../../../model/core/entity'
import { reason } from '../../../model/core/reason'
import { type ReportedReason, reportReason } from '../../../model/core/reasonMessages'
import { storedBytes } from '../../../model/core/textSize'
import type { Group } from '../../../model/groups/group'
import { MAX_GROUP_DEPTH } from '../../../model/groups/groupExt'
import { placeGroups } from '../../../model/groups/groupTree'
import { groupExtsOf, storeGroupExt } from '../../../store/transfer/importEntityRows'
import type { Entities } from './importEntities'
import { type ImportRun, NO_SPACE, wants } from './importRun'
import type { ImportStep } from './importStep'
import { changesOfGroup, type Match } from './matchEntities'

/** Row ID of an existing group; for a new one, its place in the file as a negative number. */
type Token = number

interface StoredGroupExt {
  emoji: string | null
  position: number
  parent: Token | null
}

interface PlacedGroup {
  match: Match<BundleGroup, Group>
  token: Token
  before: StoredGroupExt
  after: StoredGroupExt
  isChanged: boolean
  /** Names of the parent in the file and of the one here, if they differ, and the reason. */
  problem: Pick<Repair, 'was' | 'now' | keyof ReportedReason> | null
}

/** Why a group is elsewhere than in the file. */
const reasons = {
  loop: 'group_loop',
  depth: reason('too_deep', { max: MAX_GROUP_DEPTH }),
} as const

/** Places and emoji of groups. */
export class GroupTree implements ImportStep {
  readonly reads = 'groups'
  /** Keys of groups without space for their emoji. */
  readonly #withoutEmoji = new Set<string>()

  constructor(
    readonly run: ImportRun,
    readonly entities: Entities,
  ) {}

  async plan(): Promise<void> {
    const { run } = this
    const { deps, report, space } = run
    if (!wants(run, 'groups')) return
    for (const { match, before, after, isChanged, problem } of await this.#place(deps.db)) {
      const { incoming, found } = match
      const { name } = incoming.values
      if (isChanged && !space.take(storedBytes(after.emoji) - storedBytes(before.emoji))) {
        const was = after.emoji
        report.repairs.push({
          kind: 'group',
          name,
          field: 'emoji',
          was,
          now: null,
          ...reportReason(NO_SPACE),
        })
        this.#withoutEmoji.add(incoming.key)
      }
      if (problem) report.repairs.push({ kind: 'group', name, field: 'parent', ...problem })
      if (!isChanged || !found || !isEmptyPatch(changesOfGroup(found, incoming.values))) continue
      report.groups.unchanged -= 1
      report.groups.changed += 1
    }
  }

  async apply(tx: Db): Promise<boolean> {
    const { run, entities } = this
    if (!wants(run, 'groups')) return false
    let isAnyChanged = false
    const idOf = (token: Token | null) => {
      if (token === null || token >= 0) return token
      return run.ids.groups.get(entities.groups[-token - 1]?.incoming.key ?? '')
    }
    for (const { token, before, after, isChanged } of await this.#place(tx)) {
      if (!isChanged) continue
      await storeGroupExt(tx, { ...after, parent_id: idOf(after.parent), group_id: idOf(token) })
      run.space.countApplied(storedBytes(after.emoji) - storedBytes(before.emoji))
      isAnyChanged = true
    }
    return isAnyChanged
  }

  /** Lists the groups of the file that have a place or an emoji, before and after the import. */
  async #place(db: Db): Promise<PlacedGroup[]> {
    const { systemId } = this.run
    const all = this.entities.groups.map((match, index) => ({
      match,
      token: match.found?.id ?? -index - 1,
    }))
    const placed = all.filter(({ match }) => match.incoming.ext)
    if (placed.length === 0) return []
    const rows = systemId === null ? [] : await groupExtsOf(db, systemId)
    const stored = new Map<Token, StoredGroupExt>(
      rows.map(({ group_id, emoji, position, parent_id: parent }) => [
        group_id,
        { emoji, position, parent },
      ]),
    )
    const tokens = new Map(all.map(({ match, token }) => [match.incoming.key, token]))
    const parents = new Map([...stored].map(([token, { parent }]) => [token, parent]))
    const moved = placed.flatMap(({ match, token }) => {
      const parent = match.incoming.ext?.parent
      return parent === undefined ? [] : [[token, tokens.get(parent ?? '') ?? null] as const]
    })
    const problems = placeGroups(parents, moved)
    const names = new Map(all.map(({ match, token }) => [token, match.incoming.values.name]))
    const nameOf = (token: Token | null | undefined) => names.get(token ?? 0) ?? null
    const wanted = new Map(moved)
    return placed.map(({ match, token }) => {
      const { key, ext = {} } = match.incoming
      const before = stored.get(token) ?? { emoji: null, position: 0, parent: null }
      const { position = before.position, emoji = before.emoji } = ext
      const after = {
        emoji: this.#withoutEmoji.has(key) ? null : emoji,
        position,
        parent: parents.get(token) ?? null,
      }
      const kind = problems.get(token)
      const was = nameOf(wanted.get(token))
      const problem = kind
        ? { was, now: nameOf(after.parent), ...reportReason(reasons[kind]) }
        : null
      return { match, token, before, after, isChanged: !Bun.deepEquals(before, after), problem }
    })
  }
}
