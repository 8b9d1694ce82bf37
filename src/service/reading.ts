import type { Db } from '../db/handle'
import type { Eyes } from '../db/json'
import type { Value } from '../db/statement'
import { error } from '../model/errors'
import { ORIGINAL_LOOKUP } from '../model/message'
import { type Gate, gates, type Viewer } from '../model/privacy'
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

export async function readSystem({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const { json } = await findBySystemRef(systemJson, db, viewer, ref)
  if (!json) throw error('systemNotFound')
  return json
}

export async function readMembers({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const row = await findBySystemRef(membersJson, db, viewer, ref)
  return throughGate('members', row)
}

export async function readGroups(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Promise<Json> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  const row = await findBySystemRef(query, db, viewer, ref)
  return throughGate('groups', row)
}

export async function readSwitches(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<Json> {
  const from = before ?? Number.MAX_SAFE_INTEGER
  const row =
    limit === MAX_SWITCHES
      ? await findBySystemRef(pageOfSwitchesJson, db, viewer, ref, from)
      : await findBySystemRef(someSwitchesJson, db, viewer, ref, from, limit)
  return throughGate('history', row)
}

/** Null when the system has no switches. */
export async function readFronters(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Json | null> {
  const json = throughGate('fronters', await findBySystemRef(frontersJson, db, viewer, ref))
  return json.length === 'null'.length ? null : json
}

export async function readSwitch(
  { db }: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): Promise<Json> {
  const uuid = switchRef.toLowerCase()
  const row = await findBySystemRef(switchJson, db, viewer, systemRef, uuid)
  if (!isUuid(switchRef)) throw error('invalidSwitchId')
  return throughGate('switch', row)
}

export async function readMember({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const row = await findByRef(memberJson, db, viewer, ref)
  if (!row?.json) throw error('memberNotFound')
  return row.json
}

export async function readGroup({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const row = await findByRef(groupJson, db, viewer, ref)
  if (!row?.json) throw error('groupNotFound')
  return row.json
}

export async function readGroupMembers({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const row = await findByRef(groupMembersJson, db, viewer, ref)
  if (!row) throw error('groupNotFound')
  return throughGate('groupMembers', row)
}

export async function readMemberGroups({ db }: Deps, viewer: Viewer, ref: string): Promise<Json> {
  const row = await findByRef(memberGroupsJson, db, viewer, ref)
  if (!row) throw error('memberNotFound')
  return throughGate('groups', row)
}

export async function readMessage(deps: Deps, viewer: Viewer, id: string): Promise<Json> {
  const since = deps.now() - ORIGINAL_LOOKUP
  const row =
    (await messageById(deps.db).get(id, viewer.system)) ??
    (await messageByOriginal(deps.db).get(id, viewer.system, since))
  if (!row) throw error('messageNotFound')
  return row.json
}

/** SQLite leaves out what lies behind a closed gate; the gate has the words for it. */
function throughGate(gate: Gate, { json }: { json: Json | null }): Json {
  if (json === null) throw error(gates[gate].closed)
  return json
}

/** As the owner, if this is their system, else as everybody else sees it. */
async function findBySystemRef(
  { owner, others }: BySystemRef,
  db: Db,
  viewer: Viewer,
  text: string,
  ...more: Value[]
) {
  const ref = parseSystemRef(text)
  if (ref === null) throw error('systemNotFound')
  const own =
    viewer.system === null
      ? null
      : await askBySystemRef(owner, db, viewer, ref, [...more, viewer.system])
  const row = own ?? (await askBySystemRef(others, db, viewer, ref, more))
  if (!row) throw error('systemNotFound')
  return row
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

async function findByRef({ owner, others }: ByRef, db: Db, viewer: Viewer, text: string) {
  const ref = parseRef(text)
  if (ref === null) return null
  const own = viewer.system === null ? null : await askByRef(owner, db, ref, [viewer.system])
  return own ?? (await askByRef(others, db, ref, []))
}

function askByRef(query: ByRef[Eyes], db: Db, ref: Ref, values: Value[]) {
  return 'hid' in ref
    ? query.hid(db).get(ref.hid, ...values)
    : query.uuid(db).get(ref.uuid, ...values)
}
