import type { Db } from '../db/handle'
import type { Eyes } from '../db/json'
import type { Value } from '../db/statement'
import { type ErrorName, error } from '../model/errors'
import { ORIGINAL_LOOKUP } from '../model/message'
import { gates, type Viewer } from '../model/privacy'
import { isUuid, parseRef, parseSystemRef, type Ref, type SystemRef } from '../model/ref'
import { MAX_SWITCHES } from '../model/switch'
import type { Instant } from '../model/time'
import type { Deps } from './deps'
import {
  type ByRef,
  type BySystemRef,
  frontersJson,
  groupJson,
  groupMembersJson,
  groupsJson,
  groupsWithMembersJson,
  type Json,
  memberGroupsJson,
  memberJson,
  membersJson,
  messageById,
  messageByOriginal,
  pageOfSwitchesJson,
  someSwitchesJson,
  switchJson,
  systemJson,
} from './readingQueries'
import { requireSystem } from './systems'

/**
 * What version 2 reads, answered by SQLite as ready JSON: in one statement for the owner and for
 * nobody, in two for a system that asks for another's. Mapping a thousand rows to objects and
 * spelling those would take three times as long.
 */

export function readSystem(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOfSystem(systemJson, deps, viewer, ref, 'systemNotFound')
}

export function readMembers(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOfSystem(membersJson, deps, viewer, ref, gates.members.closed)
}

export function readGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Promise<Json> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  return readOfSystem(query, deps, viewer, ref, gates.groups.closed)
}

export function readSwitches(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<Json> {
  const { closed } = gates.history
  const from = before ?? Infinity
  return limit === MAX_SWITCHES
    ? readOfSystem(pageOfSwitchesJson, deps, viewer, ref, closed, from)
    : readOfSystem(someSwitchesJson, deps, viewer, ref, closed, from, limit)
}

/** Null when the system has no switches. */
export async function readFronters(deps: Deps, viewer: Viewer, ref: string): Promise<Json | null> {
  const json = await readOfSystem(frontersJson, deps, viewer, ref, gates.fronters.closed)
  return json.length === 'null'.length ? null : json
}

export function readSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): Promise<Json> {
  const missing = isUuid(switchRef) ? gates.switch.closed : 'invalidSwitchId'
  return readOfSystem(switchJson, deps, viewer, systemRef, missing, switchRef.toLowerCase())
}

export function readMember(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOne(memberJson, deps, viewer, ref, 'memberNotFound')
}

export function readGroup(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOne(groupJson, deps, viewer, ref, 'groupNotFound')
}

export function readGroupMembers(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOne(groupMembersJson, deps, viewer, ref, 'groupNotFound', gates.groupMembers.closed)
}

export function readMemberGroups(deps: Deps, viewer: Viewer, ref: string): Promise<Json> {
  return readOne(memberGroupsJson, deps, viewer, ref, 'memberNotFound', gates.groups.closed)
}

export async function readMessage(deps: Deps, viewer: Viewer, id: string): Promise<Json> {
  const since = deps.now() - ORIGINAL_LOOKUP
  const row =
    (await messageById(deps.db).get(id, viewer.system)) ??
    (await messageByOriginal(deps.db).get(id, viewer.system, since))
  if (!row) throw error('messageNotFound')
  return row.json
}

/**
 * What the owner's statement finds if the system is theirs, else what everybody may see. SQLite
 * leaves out what lies behind a closed gate; the error has the words for it.
 */
async function readOfSystem(
  { owner, others }: BySystemRef,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  closed: ErrorName,
  ...more: Value[]
): Promise<Json> {
  const ref = parseSystemRef(text)
  if (ref === null) throw error('systemNotFound')
  const own =
    viewer.system === null
      ? null
      : await askBySystemRef(owner, db, viewer, ref, [...more, viewer.system])
  const row = own ?? (await askBySystemRef(others, db, viewer, ref, more))
  if (!row) throw error('systemNotFound')
  if (row.json === null) throw error(closed)
  return row.json
}

function askBySystemRef(
  query: BySystemRef[Eyes],
  db: Db,
  viewer: Viewer,
  ref: SystemRef,
  values: Value[],
) {
  if ('hid' in ref) return query.hid(db).get(ref.hid, ...values)
  if ('me' in ref) return query.id(db).get(requireSystem(viewer), ...values)
  if ('uuid' in ref) return query.uuid(db).get(ref.uuid, ...values)
  return query.account(db).get(ref.account, ...values)
}

/** As readOfSystem, of a member or a group. */
async function readOne(
  { owner, others }: ByRef,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  missing: ErrorName,
  closed = missing,
): Promise<Json> {
  const ref = parseRef(text)
  if (ref === null) throw error(missing)
  const own = viewer.system === null ? null : await askByRef(owner, db, ref, [viewer.system])
  const row = own ?? (await askByRef(others, db, ref, []))
  if (!row) throw error(missing)
  if (row.json === null) throw error(closed)
  return row.json
}

function askByRef(query: ByRef[Eyes], db: Db, ref: Ref, values: Value[]) {
  return 'hid' in ref
    ? query.hid(db).get(ref.hid, ...values)
    : query.uuid(db).get(ref.uuid, ...values)
}
