import type { Values } from '../../db/statement'
import type { Db } from '../../db/types'
import { type ErrorName, error } from '../../model/errors'
import { ORIGINAL_LOOKUP } from '../../model/message'
import { listAccessRules, ownedSystemId, systemOf, type Viewer } from '../../model/privacy'
import { isUuid, parseRef, parseSystemRef, type Ref, type SystemRef } from '../../model/ref'
import type { Audience } from '../../model/renderedJson'
import { SWITCHES_PER_PAGE } from '../../model/switch'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import {
  frontersSlowly,
  groupMembersSlowly,
  groupSlowly,
  groupsSlowly,
  memberGroupsSlowly,
  memberSlowly,
  membersSlowly,
  messageSlowly,
  switchSlowly,
  systemSlowly,
} from './longWay'
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
} from './queries'

/**
 * What version 2 reads, put together by the engine from the faces of rows: in one statement for the
 * owner and for nobody, in two for a system that asks for another's. Where a face is missing, the
 * answer comes the long way, and is the same.
 */

export function loadSystem(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const slowly = () => systemSlowly(deps, viewer, ref)
  if (viewer.access === 'watch') return systemSlowly(asTheyAre(deps), viewer, ref).then(encode)
  return loadOfSystem(systemJson, slowly, deps, viewer, ref, 'systemNotFound', {})
}

export function loadMembers(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const slowly = () => membersSlowly(deps, viewer, ref)
  return loadOfSystem(
    membersJson,
    slowly,
    deps,
    viewer,
    ref,
    listAccessRules.members.deniedError,
    {},
  )
}

export function loadGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Found<Json> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  const slowly = () => groupsSlowly(deps, viewer, ref, withMembers)
  return loadOfSystem(query, slowly, deps, viewer, ref, listAccessRules.groups.deniedError, {})
}

export function loadSwitches(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { before: asked, limit }: { before: Instant | null; limit: number },
): Found<Json> {
  const { deniedError } = listAccessRules.history
  const before = asked ?? Infinity
  return limit === SWITCHES_PER_PAGE
    ? loadOfSystem(pageOfSwitchesJson, never, deps, viewer, ref, deniedError, { before })
    : loadOfSystem(someSwitchesJson, never, deps, viewer, ref, deniedError, { before, limit })
}

/** Null when the system has no switches. */
export function loadFronters(deps: Deps, viewer: Viewer, ref: string): Found<Json | null> {
  const slowly = () => frontersSlowly(deps, viewer, ref)
  const orNull = (json: Json) => (json.length === 'null'.length ? null : json)
  if (viewer.access === 'watch')
    return frontersSlowly(asTheyAre(deps), viewer, ref).then((json) => orNull(encode(json)))
  const { deniedError } = listAccessRules.fronters
  const found = loadOfSystem(frontersJson, slowly, deps, viewer, ref, deniedError, {})
  return andThen(found, orNull)
}

export function loadSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): Found<Json> {
  const missing = isUuid(switchRef) ? listAccessRules.switch.deniedError : 'invalidSwitchId'
  const slowly = () => switchSlowly(deps, viewer, systemRef, switchRef)
  const uuid = switchRef.toLowerCase()
  return loadOfSystem(switchJson, slowly, deps, viewer, systemRef, missing, { uuid })
}

export function loadMember(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const slowly = () => memberSlowly(deps, viewer, ref)
  return loadOne(memberJson, slowly, deps, viewer, ref, 'memberNotFound')
}

export function loadGroup(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const slowly = () => groupSlowly(deps, viewer, ref)
  return loadOne(groupJson, slowly, deps, viewer, ref, 'groupNotFound')
}

export function loadGroupMembers(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const { deniedError } = listAccessRules.groupMembers
  const slowly = () => groupMembersSlowly(deps, viewer, ref)
  return loadOne(groupMembersJson, slowly, deps, viewer, ref, 'groupNotFound', deniedError)
}

export function loadMemberGroups(deps: Deps, viewer: Viewer, ref: string): Found<Json> {
  const { deniedError } = listAccessRules.groups
  const slowly = () => memberGroupsSlowly(deps, viewer, ref)
  return loadOne(memberGroupsJson, slowly, deps, viewer, ref, 'memberNotFound', deniedError)
}

export function loadMessage(deps: Deps, viewer: Viewer, id: string): Found<Json> {
  const since = deps.now() - ORIGINAL_LOOKUP
  const found = orElse(messageById(deps.db).get({ id, viewer: ownedSystemId(viewer) }), () =>
    messageByOriginal(deps.db).get({ original: id, viewer: ownedSystemId(viewer), since }),
  )
  return andThen(found, (row) => {
    if (!row) throw error('messageNotFound')
    return row.json.length > 0 ? row.json : messageSlowly(deps, viewer, id).then(encode)
  })
}

/**
 * What storage found, or will find. Here and nowhere else it is gone on with at once where it is
 * there: waiting for what is there would take as long as finding it.
 */
export type Found<T> = T | Promise<T>

function andThen<T, R>(found: Found<T>, next: (found: T) => Found<R>): Found<R> {
  return found instanceof Promise ? found.then(next) : next(found)
}

function orElse<T>(found: Found<T | null>, other: () => Found<T | null>): Found<T | null> {
  return andThen(found, (one) => one ?? other())
}

/** Faces are for owners and for others. Who watches is neither, and none is missing for them. */
function asTheyAre(deps: Deps): Deps {
  return { ...deps, mendFaces: () => {} }
}

/** A list of switches names its members, and needs nobody's face. */
const never = () => Promise.reject(new Error('a list of switches has no faces'))

const encoder = new TextEncoder()

function encode(json: string): Json {
  return encoder.encode(json) as Json
}

/**
 * What the owner's statement finds if the system is theirs, else what everybody may see. It
 * leaves out what lies behind a closed gate; the error has the words for it.
 */
function loadOfSystem<More extends string>(
  { owner, others }: BySystemRef<NoInfer<More>>,
  slowly: () => Promise<string>,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  deniedError: ErrorName,
  more: Values<More>,
): Found<Json> {
  const ref = parseSystemRef(text)
  if (ref === null) throw error('systemNotFound')
  const own = ownedSystemId(viewer) === null ? null : askBySystemRef(owner, db, viewer, ref, more)
  const found = orElse(own, () => askBySystemRef(others, db, viewer, ref, more))
  return andThen(found, (row) => {
    if (!row) throw error('systemNotFound')
    if (row.json === null) throw error(deniedError)
    return row.json.length > 0 ? row.json : slowly().then(encode)
  })
}

function askBySystemRef<More extends string>(
  query: BySystemRef<More>[Audience],
  db: Db,
  viewer: Viewer,
  ref: SystemRef,
  more: Values<More>,
) {
  const named = { ...more, viewer: ownedSystemId(viewer) }
  if ('hid' in ref) return query.hid(db).get({ ...named, ref: ref.hid })
  if ('me' in ref) return query.id(db).get({ ...named, ref: systemOf(viewer) })
  if ('uuid' in ref) return query.uuid(db).get({ ...named, ref: ref.uuid })
  return query.account(db).get({ ...named, ref: ref.account })
}

/** As readOfSystem, of a member or a group. */
function loadOne(
  { owner, others }: ByRef,
  slowly: () => Promise<string>,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  missing: ErrorName,
  deniedError = missing,
): Found<Json> {
  const ref = parseRef(text)
  if (ref === null) throw error(missing)
  const own = ownedSystemId(viewer) === null ? null : askByRef(owner, db, viewer, ref)
  const found = orElse(own, () => askByRef(others, db, viewer, ref))
  return andThen(found, (row) => {
    if (!row) throw error(missing)
    if (row.json === null) throw error(deniedError)
    return row.json.length > 0 ? row.json : slowly().then(encode)
  })
}

function askByRef(query: ByRef[Audience], db: Db, asking: Viewer, ref: Ref) {
  const viewer = ownedSystemId(asking)
  return 'hid' in ref
    ? query.hid(db).get({ ref: ref.hid, viewer })
    : query.uuid(db).get({ ref: ref.uuid, viewer })
}
