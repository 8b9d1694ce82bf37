import type { Db } from '../../../db/types'
import type { BundleMember } from '../../../formats/bundle'
import { diff, isEmptyPatch } from '../../../model/core/entity'
import { reportReason } from '../../../model/core/reasonMessages'
import { textBytes } from '../../../model/core/textSize'
import type { Member } from '../../../model/members/member'
import { defaultMemberExt, memberExt, type StoredMemberExt } from '../../../model/members/memberExt'
import { storedMemberExts, storeMemberExt } from '../../../store/transfer/importEntityRows'
import { writeInBatches } from '../../systems/staging'
import type { Entities } from './importEntities'
import { type ImportRun, NO_SPACE, wants } from './importRun'
import type { ImportStep } from './importStep'
import { changesOfMember, type Match } from './matchEntities'

type MemberMatch = Match<BundleMember, Member>

/** Texts that are left out if there is no space for them. */
const texts = ['about', 'archived_reason'] as const

/** What the extension API adds to members. */
export class MemberExts implements ImportStep {
  readonly reads = 'groups'
  /** Texts without space, by the keys of members. */
  readonly #omitted = new Map<string, (typeof texts)[number][]>()

  constructor(
    readonly run: ImportRun,
    readonly entities: Entities,
  ) {}

  /** Keys of members of which some text is left out. */
  get incomplete(): Iterable<string> {
    return this.#omitted.keys()
  }

  async plan(): Promise<void> {
    const { run } = this
    const { deps, report, space } = run
    if (!wants(run, 'members')) return
    const stored = await storedMemberExts(deps.db, this.#existingIds())
    for (const match of this.entities.members) {
      const { incoming, found } = match
      const before = stored.get(found?.id ?? 0) ?? defaultMemberExt
      let after = this.#extAfter(match, before)
      for (const key of texts) {
        if (space.take(textBytes(memberExt, after) - textBytes(memberExt, before))) break
        report.repairs.push({
          kind: 'member',
          name: incoming.values.name,
          field: key,
          was: after[key],
          now: null,
          ...reportReason(NO_SPACE),
        })
        const omitted = this.#omitted.get(incoming.key) ?? []
        this.#omitted.set(incoming.key, [...omitted, key])
        after = { ...after, [key]: null }
      }
      if (!found || isSame(before, after)) continue
      if (!isEmptyPatch(changesOfMember(found, incoming.values))) continue
      report.members.unchanged -= 1
      report.members.changed += 1
      await run.advance(0)
    }
  }

  /** Writes what new members have; they are still hidden. */
  async stage(): Promise<void> {
    const { run } = this
    const added = this.entities.members.flatMap((match) => {
      const after = this.#extAfter(match, defaultMemberExt)
      return match.found || isSame(defaultMemberExt, after) ? [] : { match, after }
    })
    if (!wants(run, 'members') || added.length === 0) return
    for (const { after } of added)
      run.space.countStaged({ text_bytes: textBytes(memberExt, after) })
    await writeInBatches(run.deps, await run.staging(), added, async (tx, { match, after }) => {
      const member_id = run.ids.members.get(match.incoming.key) ?? 0
      await storeMemberExt(tx, { ...after, member_id })
    })
  }

  async apply(tx: Db): Promise<boolean> {
    const { run } = this
    if (!wants(run, 'members')) return false
    let isChanged = false
    const stored = await storedMemberExts(tx, this.#existingIds())
    for (const match of this.entities.members) {
      if (!match.found) continue
      const before = stored.get(match.found.id) ?? defaultMemberExt
      const after = this.#extAfter(match, before)
      if (isSame(before, after)) continue
      await storeMemberExt(tx, { ...after, member_id: match.found.id })
      run.space.countApplied(textBytes(memberExt, after) - textBytes(memberExt, before))
      isChanged = true
    }
    return isChanged
  }

  #existingIds(): number[] {
    return this.entities.members.flatMap(({ found }) => found?.id ?? [])
  }

  /** Returns what a member has after the import. A changed description replaces the long one. */
  #extAfter({ incoming, found }: MemberMatch, before: StoredMemberExt): StoredMemberExt {
    const {
      archived: _,
      fields: _fields,
      buckets: _buckets,
      archived_at,
      ...ext
    } = incoming.ext ?? {}
    const omitted = this.#omitted.get(incoming.key) ?? []
    const isReplaced =
      found !== null &&
      incoming.ext?.about === undefined &&
      'description' in changesOfMember(found, incoming.values)
    // The file of another app does not know when the member was archived.
    const keepsTime =
      incoming.origin !== undefined && before.archived_at !== null && archived_at !== null
    return {
      ...before,
      ...ext,
      ...(archived_at !== undefined && !keepsTime && { archived_at }),
      ...(isReplaced && { about: null }),
      ...Object.fromEntries(omitted.map((key) => [key, null])),
    }
  }
}

function isSame(before: StoredMemberExt, after: StoredMemberExt): boolean {
  return isEmptyPatch(
    diff<typeof memberExt>({ ...before, archived: false, fields: {}, buckets: [] }, after),
  )
}
