import type { Values } from '../../db/statement'
import type { Db, MaybePromise } from '../../db/types'
import { type ErrorName, error } from '../../model/errors'
import { ORIGINAL_LOOKUP } from '../../model/message'
import { listAccessRules, ownedSystemId, systemOf, type Viewer } from '../../model/privacy'
import { isUuid, parseRef, parseSystemRef, type Ref, type SystemRef } from '../../model/ref'
import type { Audience } from '../../model/renderedJson'
import { SWITCHES_PER_PAGE } from '../../model/switch'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'
import {
  renderFronters,
  renderGroup,
  renderGroupMembers,
  renderGroups,
  renderMember,
  renderMemberGroups,
  renderMembers,
  renderMessage,
  renderSwitch,
  renderSystem,
} from './v2Fallback'
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
} from './v2Sql'

// Reads of version 2, assembled in SQL from rendered JSON: one statement for the owner and anonymous
// callers, two for other systems. On a cache miss `v2Fallback.ts` renders the same bytes from rows.

export function readSystem(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const fallback = () => renderSystem(deps, viewer, ref)
  if (viewer.access === 'watch')
    return renderSystem(withoutCacheRefresh(deps), viewer, ref).then(encode)
  return readBySystem(systemJson, fallback, deps, viewer, ref, 'systemNotFound', {})
}

export function readMembers(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const fallback = () => renderMembers(deps, viewer, ref)
  return readBySystem(
    membersJson,
    fallback,
    deps,
    viewer,
    ref,
    listAccessRules.members.deniedError,
    {},
  )
}

export function readGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): MaybePromise<Json> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  const fallback = () => renderGroups(deps, viewer, ref, withMembers)
  return readBySystem(query, fallback, deps, viewer, ref, listAccessRules.groups.deniedError, {})
}

export function readSwitches(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { before: requested, limit }: { before: Instant | null; limit: number },
): MaybePromise<Json> {
  const { deniedError } = listAccessRules.history
  const before = requested ?? Infinity
  return limit === SWITCHES_PER_PAGE
    ? readBySystem(pageOfSwitchesJson, noFallback, deps, viewer, ref, deniedError, { before })
    : readBySystem(someSwitchesJson, noFallback, deps, viewer, ref, deniedError, { before, limit })
}

/** Returns null if the system has no switches. */
export function readFronters(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json | null> {
  const fallback = () => renderFronters(deps, viewer, ref)
  const orNull = (json: Json) => (json.length === 'null'.length ? null : json)
  if (viewer.access === 'watch')
    return renderFronters(withoutCacheRefresh(deps), viewer, ref).then((json) =>
      orNull(encode(json)),
    )
  const { deniedError } = listAccessRules.fronters
  const found = readBySystem(frontersJson, fallback, deps, viewer, ref, deniedError, {})
  return andThen(found, orNull)
}

export function readSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): MaybePromise<Json> {
  const missing = isUuid(switchRef) ? listAccessRules.switch.deniedError : 'invalidSwitchId'
  const fallback = () => renderSwitch(deps, viewer, systemRef, switchRef)
  const uuid = switchRef.toLowerCase()
  return readBySystem(switchJson, fallback, deps, viewer, systemRef, missing, { uuid })
}

export function readMember(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const fallback = () => renderMember(deps, viewer, ref)
  return readByRef(memberJson, fallback, deps, viewer, ref, 'memberNotFound')
}

export function readGroup(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const fallback = () => renderGroup(deps, viewer, ref)
  return readByRef(groupJson, fallback, deps, viewer, ref, 'groupNotFound')
}

export function readGroupMembers(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const { deniedError } = listAccessRules.groupMembers
  const fallback = () => renderGroupMembers(deps, viewer, ref)
  return readByRef(groupMembersJson, fallback, deps, viewer, ref, 'groupNotFound', deniedError)
}

export function readMemberGroups(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const { deniedError } = listAccessRules.groups
  const fallback = () => renderMemberGroups(deps, viewer, ref)
  return readByRef(memberGroupsJson, fallback, deps, viewer, ref, 'memberNotFound', deniedError)
}

export function readMessage(deps: Deps, viewer: Viewer, id: string): MaybePromise<Json> {
  const since = deps.now() - ORIGINAL_LOOKUP
  const found = orElse(messageById(deps.db).get({ id, viewer: ownedSystemId(viewer) }), () =>
    messageByOriginal(deps.db).get({ original: id, viewer: ownedSystemId(viewer), since }),
  )
  return andThen(found, (row) => {
    if (!row) throw error('messageNotFound')
    return row.json.length > 0 ? row.json : renderMessage(deps, viewer, id).then(encode)
  })
}

/** Continues synchronously if it can, because `await` would cost as much as a query. */
function andThen<T, R>(
  found: MaybePromise<T>,
  next: (found: T) => MaybePromise<R>,
): MaybePromise<R> {
  return found instanceof Promise ? found.then(next) : next(found)
}

function orElse<T>(
  found: MaybePromise<T | null>,
  fallback: () => MaybePromise<T | null>,
): MaybePromise<T | null> {
  return andThen(found, (one) => one ?? fallback())
}

/** JSON for a watch token is never cached, so rendering it must not schedule a refresh. */
function withoutCacheRefresh(deps: Deps): Deps {
  return { ...deps, scheduleRender: () => {} }
}

/** Lists of switches contain only IDs of members, so they use no rendered JSON. */
const noFallback = () => Promise.reject(new Error('a list of switches uses no rendered JSON'))

const encoder = new TextEncoder()

function encode(json: string): Json {
  return encoder.encode(json) as Json
}

/**
 * Runs the statement for the owner, and that for other callers if it finds nothing. The JSON is null
 * if the list is private, which throws `deniedError`.
 */
function readBySystem<More extends string>(
  { owner, others }: BySystemRef<NoInfer<More>>,
  fallback: () => Promise<string>,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  deniedError: ErrorName,
  more: Values<More>,
): MaybePromise<Json> {
  const ref = parseSystemRef(text)
  if (ref === null) throw error('systemNotFound')
  const own = ownedSystemId(viewer) === null ? null : queryBySystemRef(owner, db, viewer, ref, more)
  const found = orElse(own, () => queryBySystemRef(others, db, viewer, ref, more))
  return andThen(found, (row) => {
    if (!row) throw error('systemNotFound')
    if (row.json === null) throw error(deniedError)
    return row.json.length > 0 ? row.json : fallback().then(encode)
  })
}

function queryBySystemRef<More extends string>(
  query: BySystemRef<More>[Audience],
  db: Db,
  viewer: Viewer,
  ref: SystemRef,
  more: Values<More>,
) {
  const values = { ...more, viewer: ownedSystemId(viewer) }
  if ('hid' in ref) return query.hid(db).get({ ...values, ref: ref.hid })
  if ('me' in ref) return query.id(db).get({ ...values, ref: systemOf(viewer) })
  if ('uuid' in ref) return query.uuid(db).get({ ...values, ref: ref.uuid })
  return query.account(db).get({ ...values, ref: ref.account })
}

/** Like `readBySystem`, for a member or a group. */
function readByRef(
  { owner, others }: ByRef,
  fallback: () => Promise<string>,
  { db }: Deps,
  viewer: Viewer,
  text: string,
  missing: ErrorName,
  deniedError = missing,
): MaybePromise<Json> {
  const ref = parseRef(text)
  if (ref === null) throw error(missing)
  const own = ownedSystemId(viewer) === null ? null : queryByRef(owner, db, viewer, ref)
  const found = orElse(own, () => queryByRef(others, db, viewer, ref))
  return andThen(found, (row) => {
    if (!row) throw error(missing)
    if (row.json === null) throw error(deniedError)
    return row.json.length > 0 ? row.json : fallback().then(encode)
  })
}

function queryByRef(query: ByRef[Audience], db: Db, caller: Viewer, ref: Ref) {
  const viewer = ownedSystemId(caller)
  return 'hid' in ref
    ? query.hid(db).get({ ref: ref.hid, viewer })
    : query.uuid(db).get({ ref: ref.uuid, viewer })
}
