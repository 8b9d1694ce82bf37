import type { Db } from '../../db/types'
import {
  audienceOf,
  isOwner,
  type Redacted,
  redact,
  requireListAccess,
  type Viewer,
} from '../../model/core/privacy'
import { type Member, type MemberDraft, type MemberPatch, member } from '../../model/members/member'
import type { System } from '../../model/systems/system'
import { findEntity, getEntity, insertEntity } from '../../store/core/entityRows'
import type { GivenIdentity, Stored } from '../../store/core/identityRows'
import { listAllMembers, listPublicMembers, memberRowKind } from '../../store/members/memberRows'
import type { Deps } from '../core/deps'
import {
  changeAllEntities,
  changeEntities,
  changeEntity,
  createEntity,
  deleteEntity,
  type ListedPatches,
} from '../core/entities'
import { actAs } from '../systems/systems'
import { memberKind } from './memberKind'

/** Finds a member of any system by a short ID or UUID. */
export function findMember(db: Db, ref: string): Promise<Member | null> {
  return findEntity(db, memberRowKind, ref)
}

/** Returns a member of any system, redacted for the viewer. */
export async function getMember(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof member>> {
  const row = await getEntity(db, memberRowKind, ref)
  return redact(member, row, audienceOf(viewer, row.system_id))
}

/** Returns the viewer for acting as the system of a member. */
export async function actForMember({ db }: Deps, viewer: Viewer, ref: string): Promise<Viewer> {
  const { system_id } = await getEntity(db, memberRowKind, ref)
  return actAs(db, viewer, system_id)
}

/** Lists the members of a system that the viewer may list. */
export async function listMembers({ db }: Deps, viewer: Viewer, system: System): Promise<Member[]> {
  const owner = isOwner(viewer, system.id)
  requireListAccess('members', system, owner)
  return owner ? listAllMembers(db, system.id) : listPublicMembers(db, system.id)
}

/** Inserts a member without limits and events. */
export async function insertMember(
  tx: Db,
  systemId: number,
  draft: MemberDraft,
  identity?: GivenIdentity,
): Promise<Member> {
  return (await insertEntity(tx, memberRowKind, systemId, draft, identity)).row
}

export function createMember(
  deps: Deps,
  viewer: Viewer,
  draft: MemberDraft,
): Promise<Stored<Member>> {
  return createEntity(deps, viewer, memberKind, draft)
}

export function patchMember(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: MemberPatch,
): Promise<Stored<Member>> {
  return changeEntity(deps, viewer, memberKind, ref, patch)
}

export function patchMembers(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  changes: Generator<void, ListedPatches<typeof member>>,
): Promise<string> {
  return changeEntities(deps, viewer, memberKind, signal, changes)
}

export function patchAllMembers(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
  patch: MemberPatch,
): Promise<void> {
  return changeAllEntities(deps, viewer, memberKind, signal, patch)
}

export function deleteMember(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  return deleteEntity(deps, viewer, memberKind, ref)
}
