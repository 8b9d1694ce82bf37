import type { Db } from '../db/open'
import { error } from '../model/errors'
import { ORIGINAL_LOOKUP } from '../model/message'
import { type Gate, gates, isOwner, passGate, type Viewer } from '../model/privacy'
import { isUuid, parseRef, parseSystemRef } from '../model/ref'
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
  memberGroupsJson,
  memberJson,
  membersJson,
  messageById,
  messageByOriginal,
  switchesJson,
  switchJson,
  systemJson,
} from './readingQueries'
import { requireSystem } from './systems'

/**
 * What version 2 reads, answered by SQLite as ready JSON text in one statement each. Mapping a
 * thousand rows to objects and spelling those would take three times as long.
 */

export async function readSystem({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const { json } = await findBySystemRef(systemJson, db, viewer, ref)
  return json ?? 'null'
}

export async function readMembers({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await findBySystemRef(membersJson, db, viewer, ref)
  return throughGate('members', row)
}

export async function readGroups(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Promise<string> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  const row = await findBySystemRef(query, db, viewer, ref)
  return throughGate('groups', row)
}

export async function readSwitches(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
  { before, limit }: { before: Instant | null; limit: number },
): Promise<string> {
  const range = { before: before ?? Number.MAX_SAFE_INTEGER, limit }
  const row = await findBySystemRef(switchesJson, db, viewer, ref, range)
  return throughGate('history', row)
}

/** Null when the system has no switches. */
export async function readFronters(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<string | null> {
  const row = await findBySystemRef(frontersJson, db, viewer, ref)
  passGate('fronters', row, isOwner(viewer, row.id))
  return row.json
}

export async function readSwitch(
  { db }: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): Promise<string> {
  const uuid = switchRef.toLowerCase()
  const row = await findBySystemRef(switchJson, db, viewer, systemRef, { uuid })
  if (!isUuid(switchRef)) throw error('invalidSwitchId')
  return throughGate('switch', row)
}

export async function readMember({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await findByRef(memberJson, db, viewer, ref)
  if (!row?.json) throw error('memberNotFound')
  return row.json
}

export async function readGroup({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await findByRef(groupJson, db, viewer, ref)
  if (!row?.json) throw error('groupNotFound')
  return row.json
}

export async function readGroupMembers({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await findByRef(groupMembersJson, db, viewer, ref)
  if (!row) throw error('groupNotFound')
  return throughGate('groupMembers', row)
}

export async function readMemberGroups({ db }: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await findByRef(memberGroupsJson, db, viewer, ref)
  if (!row) throw error('memberNotFound')
  return throughGate('groups', row)
}

export async function readMessage(deps: Deps, viewer: Viewer, id: string): Promise<string> {
  const asked = { id, viewer: viewer.system, since: deps.now() - ORIGINAL_LOOKUP }
  const row =
    (await messageById(deps.db).get(asked)) ?? (await messageByOriginal(deps.db).get(asked))
  if (!row) throw error('messageNotFound')
  return row.json
}

/** SQLite leaves out what lies behind a closed gate; the gate has the words for it. */
function throughGate(gate: Gate, { json }: { json: string | null }): string {
  if (json === null) throw error(gates[gate].closed)
  return json
}

async function findBySystemRef(
  query: BySystemRef,
  db: Db,
  viewer: Viewer,
  text: string,
  more: Record<string, unknown> = {},
) {
  const ref = parseSystemRef(text)
  const [way, value] =
    ref === null ? [] : 'me' in ref ? ['id', requireSystem(viewer)] : (Object.entries(ref)[0] ?? [])
  const row =
    way &&
    (await query[way as keyof typeof query](db).get({ ref: value, viewer: viewer.system, ...more }))
  if (!row) throw error('systemNotFound')
  return row
}

async function findByRef(query: ByRef, db: Db, viewer: Viewer, text: string) {
  const ref = parseRef(text)
  if (ref === null) return undefined
  const asked = { viewer: viewer.system }
  return 'hid' in ref
    ? await query.hid(db).get({ ...asked, ref: ref.hid })
    : await query.uuid(db).get({ ...asked, ref: ref.uuid })
}
