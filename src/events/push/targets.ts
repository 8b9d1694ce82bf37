import { createHash, randomUUID } from 'node:crypto'
import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { columnsOfEntity, createInserter, createUpdater } from '../../db/rows'
import { pushQueue, pushTargets, tokens } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { fillDefaults, throwIfInvalid } from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import { Problem } from '../../model/core/validation'
import {
  allowedPushKinds,
  MAX_PUSH_TARGETS,
  MAX_TARGETS_OF_SYSTEM,
  MAX_WATCH_TARGETS,
  type PushSubscription,
  type PushTarget,
  type PushTargetDraft,
  type PushTargetPatch,
  pushTarget,
} from '../../model/push/pushTarget'
import type { EventDeps } from '../deps'
import type { PostResult } from '../httpPost'
import { parseAuthSecret, parsePublicKey } from './encrypt'
import type { PushSender } from './sender'
import { getPushKey } from './serverKey'

/** Push targets of the caller: a `watch` token has its own, all others share those of the system. */

/** Event layer with its sender. */
export interface PushParts {
  readonly deps: EventDeps
  readonly push: PushSender
}

export interface ListedTarget {
  readonly target: Redacted<typeof pushTarget>
  /** True if the caller's session or token registered it. */
  readonly isThis: boolean
}

/** Returns the public key of the server, null if push is off, and the targets of the caller. */
export async function listPushTargets(
  { deps, push }: PushParts,
  viewer: Viewer,
): Promise<{ key: string | null; targets: ListedTarget[] }> {
  const system = requireSystem(viewer, 'manage_push')
  const key = push.contact === null ? null : (await getPushKey(deps)).public_key
  const rows = isWatching(viewer)
    ? await ofToken(deps.db).all({ system, token: viewer.token ?? null })
    : await ofOwner(deps.db).all({ system })
  return { key, targets: rows.map((row) => present(row, viewer)) }
}

/** Registers a browser, or updates the target of its address, which then belongs to the caller. */
export async function putPushTarget(
  { deps, push }: PushParts,
  viewer: Viewer,
  subscription: PushSubscription,
  draft: PushTargetDraft,
): Promise<ListedTarget & { isNew: boolean }> {
  const system = requireSystem(viewer, 'manage_push')
  const { session = null, token = null } = viewer
  // A bot has neither, and could not be told that its target ended.
  if (session === null && token === null) throw error('forbidden')
  requirePushOn(push)
  rejectForbiddenKinds(viewer, draft)
  const keys = await parseSubscription(push, subscription)
  const endpoint_hash = createHash('sha256').update(keys.endpoint).digest('hex')
  return deps.transact({ system }, async (tx) => {
    if (!(await existing(tx).get({ system }))) throw error('systemNotFound')
    const target = await byHash(tx).get({ hash: endpoint_hash })
    const isOwn =
      target?.system_id === system && target.session_id === session && target.token_id === token
    if (target && isOwn) {
      const changed = { ...keys, ...draft, failing_since: null }
      await updateRow(tx, target.id, changed)
      await rebuildQueued(tx).run({ id: target.id })
      return { ...present({ ...target, ...changed }, viewer), isNew: false }
    }
    // The messages that wait for the former owner must not reach the new one.
    if (target) await removeById(tx).run({ id: target.id })
    // A session is one browser, whose former address is void.
    if (session !== null) await removeOfSession(tx).run({ session })
    await requireSpace(tx, system, viewer)
    const row = {
      ...fillDefaults(pushTarget, draft),
      ...keys,
      endpoint_hash,
      uuid: randomUUID(),
      system_id: system,
      session_id: session,
      token_id: session === null ? token : null,
      created: deps.now(),
      failing_since: null,
    }
    await insertRow(tx, row)
    return { ...present(row, viewer), isNew: !target }
  })
}

export async function patchPushTarget(
  { deps }: PushParts,
  viewer: Viewer,
  uuid: string,
  patch: PushTargetPatch,
): Promise<ListedTarget> {
  const system = requireSystem(viewer, 'manage_push')
  return deps.transact({ system }, async (tx) => {
    const target = await getTarget(tx, viewer, uuid)
    rejectForbiddenKinds(viewer, patch)
    await updateRow(tx, target.id, patch)
    await rebuildQueued(tx).run({ id: target.id })
    return present({ ...target, ...patch }, viewer)
  })
}

export async function deletePushTarget(
  { deps }: PushParts,
  viewer: Viewer,
  uuid: string,
): Promise<void> {
  const system = requireSystem(viewer, 'manage_push')
  await deps.transact({ system }, async (tx) => {
    const { id } = await getTarget(tx, viewer, uuid)
    await removeById(tx).run({ id })
  })
}

/** Sends a message to a target now and returns the answer of the push service. */
export async function testPushTarget(
  { deps, push }: PushParts,
  viewer: Viewer,
  uuid: string,
): Promise<PostResult> {
  requireSystem(viewer, 'manage_push')
  const { id } = await getTarget(deps.db, viewer, uuid)
  requirePushOn(push)
  return push.sendTest(id)
}

type TargetRow = typeof pushTargets.$inferSelect

function present(row: Omit<TargetRow, 'id'>, { session, token }: Viewer): ListedTarget {
  const isThis =
    (row.session_id !== null && row.session_id === session) ||
    (row.token_id !== null && row.token_id === token)
  const shown: PushTarget & { uuid: string } = row
  return { target: redact(pushTarget, shown, 'owner'), isThis }
}

function isWatching({ access }: Viewer): boolean {
  return access === 'watch'
}

function requirePushOn({ contact }: PushSender): void {
  if (contact === null) throw error('badRequest', 'push is turned off on this server')
}

function rejectForbiddenKinds({ access }: Viewer, { wants = [] }: PushTargetPatch): void {
  const allowed = allowedPushKinds(access)
  if (wants.some((kind) => !allowed.includes(kind)))
    throw error('invalidBody', {
      wants: [new Problem('not_choices', { choices: allowed })],
    })
}

/** Returns the address and keys in their stored form. Throws if messages cannot be sent there. */
async function parseSubscription(
  push: PushSender,
  { endpoint, p256dh, auth }: PushSubscription,
): Promise<PushSubscription> {
  const problems: Problems = {}
  const key = await parsePublicKey(p256dh)
  if (key === null) problems['keys.p256dh'] = [new Problem('not_public_key')]
  const secret = parseAuthSecret(auth)
  if (secret === null) problems['keys.auth'] = [new Problem('not_secret')]
  const checked = await push.checkEndpoint(endpoint)
  if (!checked.ok) problems.endpoint = [checked.problem]
  throwIfInvalid(problems)
  return { endpoint, p256dh: key ?? '', auth: secret ?? '' }
}

async function getTarget(db: Db, viewer: Viewer, uuid: string): Promise<TargetRow> {
  const target = isUuid(uuid) && (await byUuid(db).get({ uuid: uuid.toLowerCase() }))
  const isVisible =
    target &&
    target.system_id === viewer.system &&
    (isWatching(viewer) ? target.token_id === viewer.token : !(await isWatchTarget(db, target)))
  if (!isVisible) throw error('pushTargetNotFound')
  return target
}

async function isWatchTarget(db: Db, { token_id }: TargetRow): Promise<boolean> {
  return token_id !== null && (await watchToken(db).get({ id: token_id })) !== null
}

async function requireSpace(tx: Db, system: number, viewer: Viewer): Promise<void> {
  const max = isWatching(viewer) ? MAX_WATCH_TARGETS : MAX_PUSH_TARGETS
  const targets = isWatching(viewer)
    ? await ofToken(tx).all({ system, token: viewer.token ?? null })
    : await ofOwner(tx).all({ system })
  if (targets.length >= max) throw error('limitReached', `push targets (${max})`)
  const all = await ofSystem(tx).all({ system })
  if (all.length >= MAX_TARGETS_OF_SYSTEM)
    throw error('limitReached', `push targets of this system (${MAX_TARGETS_OF_SYSTEM})`)
}

const { id, system_id, token_id } = pushTargets

const insertRow = createInserter(pushTargets, [
  'uuid',
  'system_id',
  'session_id',
  'token_id',
  'endpoint',
  'endpoint_hash',
  'p256dh',
  'auth',
  ...columnsOfEntity(pushTarget),
  'failing_since',
])
const updateRow = createUpdater(pushTargets)

const existing = query((db, { system }: Placeholders<'system'>) =>
  db.select({ id: visibleSystems.id }).from(visibleSystems).where(eq(visibleSystems.id, system)),
)

const byHash = query((db, { hash }: Placeholders<'hash'>) =>
  db.select().from(pushTargets).where(eq(pushTargets.endpoint_hash, hash)),
)

const byUuid = query((db, { uuid }: Placeholders<'uuid'>) =>
  db.select().from(pushTargets).where(eq(pushTargets.uuid, uuid)),
)

const ofSystem = query((db, { system }: Placeholders<'system'>) =>
  db.select({ id }).from(pushTargets).where(eq(system_id, system)),
)

const ofToken = query((db, { system, token }: Placeholders<'system' | 'token'>) =>
  db
    .select()
    .from(pushTargets)
    .where(and(eq(token_id, token), eq(system_id, system)))
    .orderBy(id),
)

/** Targets of sessions, and of tokens that act as the owner. */
const isOfOwner: SQL | undefined = or(
  isNull(token_id),
  sql`exists (select 1 from ${tokens} where ${eq(tokens.id, token_id)} and ${ne(tokens.scope, 'watch')})`,
)

const ofOwner = query((db, { system }: Placeholders<'system'>) =>
  db
    .select()
    .from(pushTargets)
    .where(and(eq(system_id, system), isOfOwner))
    .orderBy(id),
)

const watchToken = query((db, values: Placeholders<'id'>) =>
  db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.id, values.id), eq(tokens.scope, 'watch'))),
)

const removeOfSession = query((db, { session }: Placeholders<'session'>) =>
  db.delete(pushTargets).where(eq(pushTargets.session_id, session)),
)

/** Messages that are being built contain what the target wanted before. */
const rebuildQueued = query((db, values: Placeholders<'id'>) =>
  db
    .update(pushQueue)
    .set({ revision: sql`${pushQueue.revision} + 1` })
    .where(eq(pushQueue.target_id, values.id)),
)

const removeById = query((db, values: Placeholders<'id'>) =>
  db.delete(pushTargets).where(eq(id, values.id)),
)
