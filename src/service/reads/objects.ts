import type { MaybePromise } from '../../db/types'
import { type ErrorName, error } from '../../model/core/errors'
import { ListPieces } from '../../model/core/listPieces'
import {
  isOwner,
  listAccessRules,
  ownedSystemId,
  systemOf,
  type Viewer,
} from '../../model/core/privacy'
import { isUuid, parseRef, parseSystemRef } from '../../model/core/ref'
import type { Instant } from '../../model/core/time'
import { SWITCHES_PER_PAGE } from '../../model/front/switch'
import type { MemberExt } from '../../model/members/memberExt'
import { ORIGINAL_LOOKUP } from '../../model/proxy/message'
import {
  type FoundJson,
  findByRef,
  findBySystemRef,
  findMessageJson,
  findMessageJsonByOriginal,
  type ReadValues,
} from '../../store/reads/findObjects'
import { GAP_MARK } from '../../store/reads/jsonSql'
import {
  extendedMemberList,
  type MemberListStatements,
  memberList,
  someExtendedMembers,
} from '../../store/reads/memberListSql'
import {
  type ByRef,
  type BySystemRef,
  extendedMemberJson,
  frontersJson,
  groupJson,
  groupMembersJson,
  groupsJson,
  groupsWithMembersJson,
  type Json,
  memberGroupsJson,
  memberJson,
  pageOfSwitchesJson,
  someSwitchesJson,
  switchJson,
  systemJson,
} from '../../store/reads/objectSql'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { getOwnSystem } from '../systems/systems'
import { type ListJson, readInPieces } from './largeLists'
import { renderGaps } from './renderGaps'

// Reads of version 2, and of members in the extension API, assembled in SQL from rendered JSON: one statement for the owner and anonymous
// callers, two for other systems. JSON that the cache lacks is rendered and put into the gaps.

export function readSystem(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  return readBySystem(systemJson, deps, viewer, ref, 'systemNotFound', {})
}

/** Lists members; large lists in pieces. */
export function readMembers(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  client?: FindClient,
): MaybePromise<ListJson> {
  return readMemberList(memberList, deps, viewer, ref, {}, client)
}

/** Lists members, all at once. */
export async function readAllMembers(deps: Deps, viewer: Viewer, ref: string): Promise<Uint8Array> {
  const list = await readMembers(deps, viewer, ref)
  if (!(list instanceof ListPieces)) return list
  const pieces: Uint8Array[] = []
  for (let piece = await list.read(); piece; piece = await list.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

export interface MemberFilter {
  readonly kind: MemberExt['kind'] | null
  /** Only the owner may filter by this: a filtered list would disclose it. */
  readonly archived: boolean | null
}

/** Lists members with what the extension API adds to them; large lists in pieces. */
export async function readExtendedMembers(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  { kind, archived }: MemberFilter,
  client?: FindClient,
): Promise<ListJson> {
  if (archived !== null) await getOwnSystem(deps, viewer, ref, 'read')
  if (kind === null && archived === null)
    return readMemberList(extendedMemberList, deps, viewer, ref, {}, client)
  const filter = { kind: kind ?? 'any', archived: archived === null ? 'any' : String(archived) }
  return readMemberList(someExtendedMembers, deps, viewer, ref, filter, client)
}

/** Finds the client that a large list is sent to. */
export type FindClient = () => WaitingClient

function readMemberList<More extends string>(
  { whole, sizes, piece }: MemberListStatements<More>,
  deps: Deps,
  viewer: Viewer,
  ref: string,
  more: ReadValues<More>,
  findClient: FindClient = () => noConnection,
): MaybePromise<ListJson> {
  const { deniedError } = listAccessRules.members
  const listJson = readBySystem(whole, deps, viewer, ref, deniedError, more)
  return andThen(listJson, (json): MaybePromise<ListJson> => {
    if (json[0] === OPENING) return json
    const systemId = Number(decoder.decode(json))
    const request = { systemId, isOwn: isOwner(viewer, systemId), ...findClient() }
    const readSizes = async () => {
      const bytes = await readBySystem(sizes, deps, viewer, ref, deniedError, more)
      return JSON.parse(decoder.decode(bytes))
    }
    return readInPieces(deps, request, readSizes, async (range) => {
      const values = { ...more, ...range } as ReadValues<More | 'first' | 'last'>
      return readBySystem(piece, deps, viewer, ref, deniedError, values)
    })
  })
}

/** First byte of a JSON list. */
const OPENING = '['.charCodeAt(0)

const decoder = new TextDecoder()

export function readExtendedMember(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  return readByRef(extendedMemberJson, deps, viewer, ref, 'memberNotFound')
}

export function readGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): MaybePromise<Json> {
  const query = withMembers ? groupsWithMembersJson : groupsJson
  return readBySystem(query, deps, viewer, ref, listAccessRules.groups.deniedError, {})
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
    ? readBySystem(pageOfSwitchesJson, deps, viewer, ref, deniedError, { before })
    : readBySystem(someSwitchesJson, deps, viewer, ref, deniedError, { before, limit })
}

/** Returns null if the system has no switches. */
export function readFronters(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json | null> {
  const { deniedError } = listAccessRules.fronters
  const fronters = readBySystem(frontersJson, deps, viewer, ref, deniedError, {})
  return andThen(fronters, (json) => (json.length === 'null'.length ? null : json))
}

export function readSwitch(
  deps: Deps,
  viewer: Viewer,
  systemRef: string,
  switchRef: string,
): MaybePromise<Json> {
  const missing = isUuid(switchRef) ? listAccessRules.switch.deniedError : 'invalidSwitchId'
  const uuid = switchRef.toLowerCase()
  return readBySystem(switchJson, deps, viewer, systemRef, missing, { uuid })
}

export function readMember(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  return readByRef(memberJson, deps, viewer, ref, 'memberNotFound')
}

export function readGroup(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  return readByRef(groupJson, deps, viewer, ref, 'groupNotFound')
}

export function readGroupMembers(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const { deniedError } = listAccessRules.groupMembers
  return readByRef(groupMembersJson, deps, viewer, ref, 'groupNotFound', deniedError)
}

export function readMemberGroups(deps: Deps, viewer: Viewer, ref: string): MaybePromise<Json> {
  const { deniedError } = listAccessRules.groups
  return readByRef(memberGroupsJson, deps, viewer, ref, 'memberNotFound', deniedError)
}

export function readMessage(deps: Deps, viewer: Viewer, id: string): MaybePromise<Json> {
  const since = deps.now() - ORIGINAL_LOOKUP
  const viewerId = ownedSystemId(viewer)
  const find = () =>
    orElse(findMessageJson(deps.db, id, viewerId), () =>
      findMessageJsonByOriginal(deps.db, id, viewerId, since),
    )
  return readWith(find, deps, viewer, 'messageNotFound', 'messageNotFound')
}

/** Continues synchronously if it can, because `await` would cost as much as a query. */
function andThen<T, R>(
  answer: MaybePromise<T>,
  next: (answer: T) => MaybePromise<R>,
): MaybePromise<R> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}

function orElse<T>(
  value: MaybePromise<T | null>,
  fallback: () => MaybePromise<T | null>,
): MaybePromise<T | null> {
  return andThen(value, (resolved) => resolved ?? fallback())
}

/** Runs the statement of a read. */
type Find = () => MaybePromise<FoundJson | null>

function readWith(
  find: Find,
  deps: Deps,
  viewer: Viewer,
  missing: ErrorName,
  denied: ErrorName,
): MaybePromise<Json> {
  return andThen(find(), (found) => {
    if (!found) throw error(missing)
    if (found.json === null) throw error(denied)
    if (!found.json.includes(GAP_MARK)) return found.json
    // Without all rows, one was deleted since.
    return renderGaps(deps, viewer, found.json).then(
      (json) => json ?? readWith(find, deps, viewer, missing, denied),
    )
  })
}

/** Runs the statement for the owner, and that for other callers if it finds nothing. */
function readBySystem<More extends string>(
  { owner, public: forOthers }: BySystemRef<NoInfer<More>>,
  deps: Deps,
  viewer: Viewer,
  text: string,
  denied: ErrorName,
  more: ReadValues<More>,
): MaybePromise<Json> {
  const ref = parseSystemRef(text)
  if (ref === null) throw error('systemNotFound')
  const ownSystemId = ownedSystemId(viewer)
  const me = 'me' in ref ? systemOf(viewer) : null
  const find: Find = () => {
    const values = { ...more, viewer: ownSystemId }
    const found = ownSystemId === null ? null : findBySystemRef(owner, deps.db, ref, me, values)
    return orElse(found, () => findBySystemRef(forOthers, deps.db, ref, me, values))
  }
  return readWith(find, deps, viewer, 'systemNotFound', denied)
}

/** Like `readBySystem`, for a member or a group. */
function readByRef(
  { owner, public: forOthers }: ByRef,
  deps: Deps,
  viewer: Viewer,
  text: string,
  missing: ErrorName,
  denied = missing,
): MaybePromise<Json> {
  const ref = parseRef(text)
  if (ref === null) throw error(missing)
  const ownSystemId = ownedSystemId(viewer)
  const find: Find = () => {
    const found = ownSystemId === null ? null : findByRef(owner, deps.db, ref, ownSystemId)
    return orElse(found, () => findByRef(forOthers, deps.db, ref, ownSystemId))
  }
  return readWith(find, deps, viewer, missing, denied)
}
