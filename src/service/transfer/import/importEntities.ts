import { updateRow } from '../../../db/renderedJson'
import type { Db } from '../../../db/types'
import { hiddenIdentity } from '../../../db/visible'
import type { BundleGroup, BundleMember } from '../../../formats/bundle'
import { type Identity, isEmptyPatch } from '../../../model/core/entity'
import { type ErrorName, error } from '../../../model/core/errors'
import type { Group } from '../../../model/groups/group'
import type { Member } from '../../../model/members/member'
import type { Tally } from '../../../model/transfer/transfer'
import {
  adoptEntity,
  availableParts,
  countEntities,
  updateEntity,
} from '../../../store/core/entityRows'
import { groupRowKind } from '../../../store/groups/groupRows'
import { memberRowKind } from '../../../store/members/memberRows'
import type { StoredTags } from '../../../store/members/tagIndex'
import { getSettings } from '../../../store/systems/settingRows'
import {
  addGroupMembers,
  groupsOfSystem,
  memberIdsOfGroup,
  membersOfSystem,
} from '../../../store/transfer/importEntityRows'
import { insertGroup } from '../../groups/groups'
import { insertMember } from '../../members/members'
import { purgeTags } from '../../systems/purge'
import { writeInBatches } from '../../systems/staging'
import { type ImportRun, PENDING_ID, recordRename, wants } from './importRun'
import type { ImportStep } from './importStep'
import { applyTags, stageTags } from './importTags'
import type { KnownOrigins } from './knownOrigins'
import { changesOfGroup, changesOfMember, type Match, matchRows } from './matchEntities'

const kinds = { members: memberRowKind, groups: groupRowKind }
const nouns = { members: 'member', groups: 'group' }

/** Memberships of existing groups cannot be staged, and the last transaction must be short. */
const MAX_ADDED_MEMBERSHIPS = 40_000

/** Members with their proxy tags, and groups with their memberships. */
export class Entities implements ImportStep {
  readonly reads = 'groups'
  members: Match<BundleMember, Member>[] = []
  groups: Match<BundleGroup, Group>[] = []
  /** UUIDs of new members and groups by part and key, known in the last transaction. */
  readonly assignedUuids = new Map<string, string>()
  /** Tags of members whose keys were staged; null if there were few and none were staged. */
  #writtenTags: StoredTags | null = null
  /** Set of tag keys that the import replaced. */
  #oldTags: number | null = null

  constructor(
    readonly run: ImportRun,
    readonly origins: KnownOrigins,
  ) {}

  /** Matches members and groups of the file with existing rows, and counts the changes. */
  async plan(): Promise<void> {
    const { run } = this
    const { file, report, ids } = run
    await this.origins.load([...file.members, ...file.groups].flatMap(({ origin }) => origin ?? []))
    await this.#match(run.deps.db)
    if (run.options.isConversion) this.#requireAllFound()
    await this.#requireQuota(run.deps.db)
    for (const { incoming, found } of this.members) {
      if (found) ids.members.set(incoming.key, found.id)
      if (!wants(run, 'members')) report.members.left_out += 1
      else if (found) count(report.members, changesOfMember(found, incoming.values))
      else {
        report.members.added += 1
        ids.members.set(incoming.key, PENDING_ID)
      }
      await run.advance()
    }
    let addedToExisting = 0
    for (const { incoming, found } of this.groups) {
      if (found) ids.groups.set(incoming.key, found.id)
      if (!wants(run, 'groups')) report.groups.left_out += 1
      else if (found) count(report.groups, changesOfGroup(found, incoming.values))
      else report.groups.added += 1
      if (wants(run, 'groups')) {
        const added = await this.#countMemberships(incoming, found)
        if (found) addedToExisting += added
      }
      await run.advance()
    }
    if (addedToExisting > MAX_ADDED_MEMBERSHIPS)
      throw error(
        'badRequest',
        `the file adds more than ${MAX_ADDED_MEMBERSHIPS.toLocaleString('en')} memberships to existing groups`,
      )
    if (run.options.dryRun) await this.#planNames()
  }

  /** Writes new members and groups, with the members of new groups, to the staging system. */
  async stage(): Promise<void> {
    const { run } = this
    const { deps, ids } = run
    const isNew = <I, R>({ found }: Match<I, R>) => found === null
    const newMembers = wants(run, 'members') ? this.members.filter(isNew) : []
    const newGroups = wants(run, 'groups') ? this.groups.filter(isNew) : []
    if (run.systemId === null || newMembers.length + newGroups.length > 0) {
      const staging = await run.staging()
      const { stagingSystemId } = staging
      const now = deps.now()
      await writeInBatches(deps, staging, newMembers, async (tx, { incoming: { key, values } }) => {
        const draft = { ...values, created: values.created ?? now }
        const { id } = await insertMember(tx, stagingSystemId, draft, hiddenIdentity())
        ids.members.set(key, id)
      })
      await writeInBatches(deps, staging, newGroups, async (tx, { incoming }) => {
        const draft = { ...incoming.values, created: incoming.values.created ?? now }
        const { id } = await insertGroup(tx, stagingSystemId, draft, hiddenIdentity())
        ids.groups.set(incoming.key, id)
      })
      // Not before, because a batch that is run again inserts other rows.
      const memberships = newGroups.map(
        ({ incoming }) => [ids.groups.get(incoming.key) ?? 0, this.#memberIdsOf(incoming)] as const,
      )
      await writeInBatches(deps, staging, memberships, async (tx, [id, members]) => {
        await addGroupMembers(tx, id, members)
      })
    }
    if (wants(run, 'members')) this.#writtenTags = await stageTags(run, this.members)
  }

  /** Assigns new members and groups to their system, and updates existing ones. */
  async apply(tx: Db, systemId: number): Promise<boolean> {
    await this.#requireUnchanged(tx)
    const { run } = this
    let isChanged = false
    for (const { incoming, found } of wants(run, 'members') ? this.members : []) {
      if (!found) {
        await this.#assignToSystem(tx, systemId, 'members', incoming)
      } else {
        const changed = changesOfMember(found, incoming.values)
        if (!isEmptyPatch(changed)) {
          // A large import renders no JSON here, to keep its last transaction short.
          if (this.#writtenTags !== null) await updateRow.members(tx, found.id, changed)
          else await updateEntity(tx, memberRowKind, found, changed)
          isChanged = true
        }
      }
      await run.advance(0)
    }
    for (const { incoming, found } of wants(run, 'groups') ? this.groups : []) {
      if (!found) {
        await this.#assignToSystem(tx, systemId, 'groups', incoming)
      } else {
        const changed = changesOfGroup(found, incoming.values)
        if (!isEmptyPatch(changed)) await updateEntity(tx, groupRowKind, found, changed)
        // An import adds members to groups and never removes any.
        const added = await addGroupMembers(tx, found.id, this.#memberIdsOf(incoming))
        if (added > 0 || !isEmptyPatch(changed)) isChanged = true
      }
      await run.advance(0)
    }
    this.#oldTags = await applyTags(run, tx, systemId, this.#writtenTags)
    return isChanged
  }

  async cleanUp(isCommitted: boolean): Promise<void> {
    // If this fails, the cleanup after the next start removes them.
    if (isCommitted && this.#oldTags !== null) await purgeTags(this.run.deps, this.#oldTags)
  }

  async #match(db: Db): Promise<void> {
    const { systemId, file } = this.run
    const targetOf = this.origins.targetOf
    this.members = matchRows(await membersOfSystem(db, systemId ?? 0), file.members, targetOf)
    this.groups = matchRows(await groupsOfSystem(db, systemId ?? 0), file.groups, targetOf)
  }

  /** Throws if a member or group was deleted since the file was written; a conversion adds none. */
  #requireAllFound(): void {
    for (const { incoming, found } of [...this.members, ...this.groups])
      if (found?.uuid !== incoming.uuid)
        throw error('conflict', 'members or groups were changed by another request; convert again')
  }

  /** Throws if another request created, renamed or deleted a matching row since the plan. */
  async #requireUnchanged(tx: Db): Promise<void> {
    const { members, groups } = this
    await this.#match(tx)
    const isSame = <I, R extends Identity>(then: Match<I, R>[], now: Match<I, R>[]) =>
      then.every(({ found }, index) => found?.id === now[index]?.found?.id)
    if (!isSame(members, this.members) || !isSame(groups, this.groups))
      throw error('conflict', 'members or groups were changed by another request; import again')
    await this.#requireQuota(tx)
  }

  async #planNames(): Promise<void> {
    const { run } = this
    for (const part of ['members', 'groups'] as const)
      for (const { incoming, found } of wants(run, part) ? this[part] : [])
        if (!found) {
          const free = await availableParts(run.deps.db, kinds[part], incoming)
          recordRename(run, nouns[part], incoming.values.name, incoming, free)
        }
  }

  /** Assigns a staged row to its system, with the IDs of the file as far as they are free. */
  async #assignToSystem(
    tx: Db,
    systemId: number,
    part: 'members' | 'groups',
    incoming: BundleMember | BundleGroup,
  ): Promise<void> {
    const id = this.run.ids[part].get(incoming.key) ?? 0
    const assigned = await adoptEntity(tx, kinds[part], systemId, id, incoming)
    this.assignedUuids.set(`${part} ${incoming.key}`, assigned.uuid)
    recordRename(this.run, nouns[part], incoming.values.name, incoming, assigned)
  }

  /** Throws if the system would have too many rows, including those that are not in the file. */
  async #requireQuota(db: Db): Promise<void> {
    const { run } = this
    const { systemId, deps } = run
    const { quotas } = deps
    const { member_limit, group_limit } =
      systemId === null
        ? { member_limit: quotas.members, group_limit: quotas.groups }
        : await getSettings(deps, db, systemId)
    const check = async (part: 'members' | 'groups', limit: number, name: ErrorName) => {
      const added = this[part].filter(({ found }) => found === null).length
      if (added === 0 || !wants(run, part)) return
      const before = systemId === null ? 0 : (await countEntities(db, kinds[part], systemId)).all
      if (before + added > limit) throw error(name)
    }
    await check('members', member_limit, 'memberLimit')
    await check('groups', group_limit, 'groupLimit')
  }

  /** Counts the memberships of a group and returns the number of added ones. */
  async #countMemberships(incoming: BundleGroup, row: Group | null): Promise<number> {
    const { deps, report, ids } = this.run
    const before = report.memberships.added
    const present = new Set(row ? await memberIdsOfGroup(deps.db, row.id) : [])
    for (const key of incoming.members) {
      const id = ids.members.get(key)
      const isMissing = id === undefined
      report.memberships[isMissing ? 'left_out' : present.has(id) ? 'unchanged' : 'added'] += 1
    }
    return report.memberships.added - before
  }

  #memberIdsOf({ members }: BundleGroup): number[] {
    return members.flatMap((key) => this.run.ids.members.get(key) ?? [])
  }
}

function count(tally: Tally, changed: object): void {
  tally[isEmptyPatch(changed) ? 'unchanged' : 'changed'] += 1
}
