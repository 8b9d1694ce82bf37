import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { pushQueue, pushTargets, sessions, tokens } from '../../db/tables'
import type { Db } from '../../db/types'
import { isDisabled } from '../../db/visible'
import type { Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'

/** Statements of the queue of push messages and of the targets that they are sent to. */

/** Position in the queue, which is ordered by the time of the next attempt. */
export interface DueRow {
  readonly id: number
  readonly due: Instant
  readonly target_id: number
  readonly system_id: number
}

/** Returns the next messages that are due, after a position. */
export async function listDue(
  db: Db,
  now: Instant,
  after: Pick<DueRow, 'due' | 'id'>,
  limit: number,
): Promise<DueRow[]> {
  return await duePage(db).all({ now, due: after.due, id: after.id, limit })
}

/** A queued message with its target. */
export type QueuedMessage = NonNullable<Awaited<ReturnType<typeof findQueued>>>

export async function findQueued(db: Db, id: number) {
  return await byId(db).get({ id })
}

/** Returns whether a message is still queued and was not replaced. */
export async function isQueued(db: Db, { id, revision }: Revision): Promise<boolean> {
  return (await unchanged(db).get({ id, revision })) !== null
}

type Revision = Pick<QueuedMessage, 'id' | 'revision'>

/** Returns the viewer that a target belongs to; null if its session, token or system has ended. */
export async function findReceiver(
  db: Db,
  target: QueuedTarget,
  now: Instant,
): Promise<Viewer | null> {
  const { session_id, token_id, session_expires, token_expires, scope, private_members } = target
  const ends = session_id === null ? token_expires : session_expires
  if ((ends !== null && ends <= now) || (await isDisabled(db, target.system_id))) return null
  const viewer = { system: target.system_id, platform: null }
  if (session_id !== null) return { ...viewer, access: 'session', session: session_id }
  if (token_id === null || scope === null) return null
  return { ...viewer, access: scope, token: token_id, watchesPrivate: private_members === 1 }
}

export type QueuedTarget = Pick<
  QueuedMessage,
  | 'system_id'
  | 'session_id'
  | 'token_id'
  | 'session_expires'
  | 'token_expires'
  | 'scope'
  | 'private_members'
>

/** Deletes a message, unless a newer one replaced it. Returns whether it was deleted. */
export async function deleteQueued(tx: Db, { id, revision }: Revision): Promise<boolean> {
  return (await deleteRevision(tx).get({ id, revision })) !== null
}

/** Records the number of failed attempts, unless a newer message replaced this one. */
export async function countAttempt(
  tx: Db,
  { id, revision }: Revision,
  attempts: number,
): Promise<void> {
  await setAttempts(tx).run({ id, revision, attempts })
}

/**
 * Lets all messages of a target wait, because its push service fails: otherwise each of them would
 * occupy a connection until the time limit.
 */
export async function pauseTarget(tx: Db, targetId: number, until: Instant): Promise<void> {
  await setPause(tx).run({ target: targetId, until })
}

/** Lets no message of a target wait any more, because its push service responds again. */
export async function sendAtOnce(tx: Db, targetId: number, now: Instant): Promise<void> {
  await endPause(tx).run({ target: targetId, now })
}

export async function deleteTarget(tx: Db, id: number): Promise<void> {
  await removeTarget(tx).run({ id })
}

/** Records that the push service accepted a message for the target. */
export async function recordSuccess(tx: Db, targetId: number, now: Instant): Promise<void> {
  await setOk(tx).run({ id: targetId, now })
}

/** Records a failure and returns the time of the first one since the last success. */
export async function recordFailure(tx: Db, targetId: number, now: Instant): Promise<Instant> {
  return (await setFailing(tx).get({ id: targetId, now }))?.failing_since ?? now
}

const { id, target_id, due, revision } = pushQueue

const duePage = query((db, values: Placeholders<'now' | 'due' | 'id' | 'limit'>) =>
  db
    .select({
      id,
      due,
      target_id,
      system_id: sql<number>`${pushTargets.system_id}`.as('system_id'),
    })
    .from(pushQueue)
    .innerJoin(pushTargets, eq(pushTargets.id, target_id))
    .where(sql`(${due}, ${id}) > (${values.due}, ${values.id}) and ${due} <= ${values.now}`)
    .orderBy(due, id)
    .limit(values.limit),
)

const targetColumns = {
  target_id: sql<number>`${pushTargets.id}`.as('target_id'),
  system_id: sql<number>`${pushTargets.system_id}`.as('system_id'),
  session_id: pushTargets.session_id,
  token_id: sql<number | null>`${pushTargets.token_id}`.as('token_id'),
  endpoint: pushTargets.endpoint,
  p256dh: pushTargets.p256dh,
  auth: pushTargets.auth,
  shows_names: pushTargets.shows_names,
  wants: pushTargets.wants,
  session_expires: sql<Instant | null>`${sessions.expires}`.as('session_expires'),
  token_expires: sql<Instant | null>`${tokens.expires}`.as('token_expires'),
  scope: sql<typeof tokens.$inferSelect.scope | null>`${tokens.scope}`.as('scope'),
  private_members: sql<number | null>`${tokens.private_members}`.as('private_members'),
}

const ofSession = eq(sessions.id, pushTargets.session_id)
const ofToken = eq(tokens.id, pushTargets.token_id)

const byId = query((db, values: Placeholders<'id'>) =>
  db
    .select({
      id,
      kind: pushQueue.kind,
      subject: pushQueue.subject,
      attempts: pushQueue.attempts,
      revision,
      ...targetColumns,
    })
    .from(pushQueue)
    .innerJoin(pushTargets, eq(pushTargets.id, target_id))
    .leftJoin(sessions, ofSession)
    .leftJoin(tokens, ofToken)
    .where(eq(id, values.id)),
)

/** A target by its UUID, for a message that is sent at once. */
export const targetById = query((db, values: Placeholders<'id'>) =>
  db
    .select(targetColumns)
    .from(pushTargets)
    .leftJoin(sessions, ofSession)
    .leftJoin(tokens, ofToken)
    .where(eq(pushTargets.id, values.id)),
)

const isRevision = (values: Placeholders<'id' | 'revision'>): SQL | undefined =>
  and(eq(id, values.id), eq(revision, values.revision))

const unchanged = query((db, values: Placeholders<'id' | 'revision'>) =>
  db.select({ id }).from(pushQueue).where(isRevision(values)),
)

const deleteRevision = query((db, values: Placeholders<'id' | 'revision'>) =>
  db.delete(pushQueue).where(isRevision(values)).returning({ id }),
)

const setAttempts = query((db, values: Placeholders<'id' | 'revision' | 'attempts'>) =>
  db.update(pushQueue).set({ attempts: values.attempts }).where(isRevision(values)),
)

const setPause = query((db, values: Placeholders<'target' | 'until'>) =>
  db
    .update(pushQueue)
    .set({ due: values.until })
    .where(and(eq(target_id, values.target), lt(due, values.until))),
)

const endPause = query((db, values: Placeholders<'target' | 'now'>) =>
  db
    .update(pushQueue)
    .set({ due: 0 })
    .where(and(eq(target_id, values.target), gt(due, values.now))),
)

const removeTarget = query((db, values: Placeholders<'id'>) =>
  db.delete(pushTargets).where(eq(pushTargets.id, values.id)),
)

const setOk = query((db, values: Placeholders<'id' | 'now'>) =>
  db
    .update(pushTargets)
    .set({ last_ok: values.now, failing_since: null })
    .where(eq(pushTargets.id, values.id)),
)

const setFailing = query((db, values: Placeholders<'id' | 'now'>, { number }) =>
  db
    .update(pushTargets)
    .set({ failing_since: sql`coalesce(${pushTargets.failing_since}, ${number(values.now)})` })
    .where(eq(pushTargets.id, values.id))
    .returning({ failing_since: pushTargets.failing_since }),
)
