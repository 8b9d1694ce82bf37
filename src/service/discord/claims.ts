import { and, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { discordClaims as claims } from '../../db/tables'
import type { Db } from '../../db/types'
import { type Claim, claimStates } from '../../model/core/discord'
import { requireDiscordBot, type Viewer } from '../../model/core/privacy'
import { type PeriodicTask, startPeriodicTask } from '../../runtime/timers/periodicTask'
import type { Deps } from '../core/deps'
import { type MessageDraft, type Recorded, recordMessage } from '../proxy/recordMessage'

/** Longer than a request to Discord may take, so that no other process sends it any more. */
export const STALE_CLAIM_MS = 20_000
/** Discord repeats no event after this time. */
const KEPT_MS = 60 * 60 * 1000
const CLEAN_UP_EVERY_MS = 60 * 1000
/** Maximum number of claims that are returned or deleted together. */
const BATCH = 500

export type ClaimDraft = Omit<Claim, 'state' | 'at'>

/**
 * Claims an event before it is handled. Returns false if it was claimed before. A claim whose commit
 * had an unknown outcome can be repeated with the same `node`, which therefore differs for each event
 * that a process receives. An edited message may replace the `dropped` claim that was read before.
 */
export async function claimEvent(
  deps: Deps,
  viewer: Viewer,
  draft: ClaimDraft,
  dropped: Claim | null = null,
): Promise<boolean> {
  requireDiscordBot(viewer)
  const { id, kind, node, guild, channel, thread, sender, member, digest } = draft
  const values = { id, kind, node, guild, channel, thread, sender, member, digest }
  return deps.transact(
    'new',
    async (tx) => {
      const before = dropped?.node
      const isNew = before ? replaceRow(tx).get({ ...values, before }) : insertRow(tx).get(values)
      if (await isNew) return true
      return (await byId(tx).get({ id }))?.node === node
    },
    'quick',
  )
}

/** Finds the claim of a message of which nothing was sent. */
export async function findDroppedClaim(
  { db }: Deps,
  viewer: Viewer,
  id: string,
): Promise<Claim | null> {
  requireDiscordBot(viewer)
  const found = await byId(db).get({ id })
  return found?.state === 'dropped' && found.kind === 'message' ? found : null
}

/** Describes the message that a claimed command is about to send, so that recovery can find it. */
export async function describeClaim(
  deps: Deps,
  viewer: Viewer,
  id: string,
  { channel, thread, member, digest }: Pick<Claim, 'channel' | 'thread' | 'member' | 'digest'>,
): Promise<void> {
  requireDiscordBot(viewer)
  await deps.transact(
    'new',
    async (tx) => void (await describeRow(tx).run({ id, channel, thread, member, digest })),
    'quick',
  )
}

/** Returns whether no other process has taken over the claim of an attempt. */
export async function ownsClaim(
  { db }: Deps,
  viewer: Viewer,
  id: string,
  node: string,
): Promise<boolean> {
  requireDiscordBot(viewer)
  return (await byId(db).get({ id }))?.node === node
}

/**
 * Assigns an unfinished claim to another process, before that one finishes it. A former process that
 * still runs then knows why the original is gone. Returns false if the claim is finished.
 */
export async function takeOverClaim(
  deps: Deps,
  viewer: Viewer,
  id: string,
  node: string,
): Promise<boolean> {
  requireDiscordBot(viewer)
  const take = async (tx: Db) => (await setNode(tx).get({ id, node })) !== null
  return deps.transact('new', take, 'quick')
}

/**
 * Records a proxied message like `recordMessage`, and sets the claim of its original to `recorded` in
 * the same transaction.
 */
export function recordClaimedMessage(
  deps: Deps,
  viewer: Viewer,
  draft: MessageDraft,
): Promise<Recorded> {
  requireDiscordBot(viewer)
  return recordMessage(deps, viewer, draft, (tx) => setRecorded(tx).run({ id: draft.original }))
}

/** Ends a claim. Does nothing if it was deleted. */
export async function settleClaim(
  deps: Deps,
  viewer: Viewer,
  id: string,
  state: 'done' | 'dropped',
): Promise<void> {
  requireDiscordBot(viewer)
  // If this is lost, recovery finds out again what was sent.
  await deps.transact('new', async (tx) => void (await setState(tx).run({ id, state })), 'slice')
}

/**
 * Lists claims that a process may have left unfinished, oldest first: `recorded` ones, and `sending`
 * ones that no living process is sending any more. At most 500, so it is repeated until it returns
 * none.
 */
export async function listUnfinishedClaims({ db }: Deps, viewer: Viewer): Promise<Claim[]> {
  requireDiscordBot(viewer)
  return await unfinished(db).all({ age: STALE_CLAIM_MS, limit: BATCH })
}

/** Deletes claims that are older than an hour. Returns their number. */
async function deleteOldClaims(deps: Deps, isStopped: () => boolean): Promise<number> {
  let deleted = 0
  while (!isStopped()) {
    const old = await expired(deps.db).all({ age: KEPT_MS, limit: BATCH })
    if (old.length === 0) break
    const ids = JSON.stringify(old.map(({ id }) => id))
    await deps.transact('new', async (tx) => void (await deleteRows(tx).run({ ids })), 'slice')
    deleted += old.length
  }
  return deleted
}

interface CleanupOptions {
  /** Returns true in the one process, of all on the same database, that deletes them. */
  readonly isLeader: () => boolean
  readonly warn: (message: string, fields: { cause: string }) => void
}

/** Deletes old claims every minute, also on servers without a bot, which may have had one. */
export function startClaimCleanup(
  deps: Deps,
  { isLeader, warn }: CleanupOptions,
  everyMs = CLEAN_UP_EVERY_MS,
): PeriodicTask {
  return startPeriodicTask({
    clock: deps.clock,
    everyMs,
    mayRun: isLeader,
    async run(isStopped) {
      await deleteOldClaims(deps, isStopped)
    },
    onError: (cause) => warn('claim cleanup failed', { cause: String(cause) }),
  })
}

const byId = query((db, { id }: Placeholders<'id'>) =>
  db.select().from(claims).where(eq(claims.id, id)),
)

const insertRow = query((db, values: Placeholders<keyof ClaimDraft>, { nowMs }) => {
  const { id, kind, node, guild, channel, thread, sender, member, digest } = values
  const row = { id, kind, node, guild, channel, thread, sender, member, digest }
  return db
    .insert(claims)
    .values({ ...row, state: 'sending', at: sql`cast(${nowMs} as bigint)` })
    .onConflictDoNothing()
    .returning({ id: claims.id })
})

/** The node of the dropped claim is unique, so that one of several edits replaces it. */
const replaceRow = query((db, values: Placeholders<keyof ClaimDraft | 'before'>, { nowMs }) => {
  const { id, before, kind, node, guild, channel, thread, sender, member, digest } = values
  return db
    .update(claims)
    .set({
      ...{ kind, node, guild, channel, thread, sender, member, digest },
      state: 'sending',
      at: sql`cast(${nowMs} as bigint)`,
    })
    .where(and(eq(claims.id, id), eq(claims.state, 'dropped'), eq(claims.node, before)))
    .returning({ id: claims.id })
})

const describeRow = query(
  (
    db,
    {
      id,
      channel,
      thread,
      member,
      digest,
    }: Placeholders<'id' | 'channel' | 'thread' | 'member' | 'digest'>,
  ) => db.update(claims).set({ channel, thread, member, digest }).where(eq(claims.id, id)),
)

const setNode = query((db, { id, node }: Placeholders<'id' | 'node'>) =>
  db
    .update(claims)
    .set({ node })
    .where(and(eq(claims.id, id), inArray(claims.state, ['sending', 'recorded'])))
    .returning({ id: claims.id }),
)

/** Also if recovery gave the claim up just before: the message was sent, so the original must go. */
const setRecorded = query((db, { id }: Placeholders<'id'>) =>
  db
    .update(claims)
    .set({ state: 'recorded' })
    .where(and(eq(claims.id, id), inArray(claims.state, ['sending', 'dropped']))),
)

const setState = query((db, { id, state }: Placeholders<'id' | 'state'>) =>
  db.update(claims).set({ state }).where(eq(claims.id, id)),
)

const unfinished = query((db, { age, limit }: Placeholders<'age' | 'limit'>, { nowMs }) =>
  db
    .select()
    .from(claims)
    .where(
      or(
        eq(claims.state, 'recorded'),
        and(eq(claims.state, 'sending'), lt(claims.at, sql`${nowMs} - ${age}`)),
      ),
    )
    .orderBy(claims.at, claims.id)
    .limit(limit),
)

/** Claims of the future were written before the clock was set back. */
const expired = query((db, { age, limit }: Placeholders<'age' | 'limit'>, { nowMs }) =>
  db
    .select({ id: claims.id })
    .from(claims)
    .where(
      and(
        // All states, so that the index is used.
        inArray(claims.state, [...claimStates]),
        or(lt(claims.at, sql`${nowMs} - ${age}`), gt(claims.at, sql`${nowMs} + ${age}`)),
      ),
    )
    .limit(limit),
)

const deleteRows = query((db, { ids }: Placeholders<'ids'>, { inJsonTexts }) =>
  db.delete(claims).where(inJsonTexts(claims.id, ids)),
)
