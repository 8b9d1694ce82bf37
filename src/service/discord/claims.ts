import type { Claim, ClaimDraft } from '../../model/core/discord'
import { requireDiscordBot, type Viewer } from '../../model/core/privacy'
import type { PeriodicTask } from '../../runtime/timers/periodicTask'
import {
  deleteClaims,
  findClaim,
  insertClaim,
  listClaimsOlderThan,
  listUnfinished,
  replaceClaim,
  setClaimDescription,
  setClaimNode,
  setClaimRecorded,
  setClaimState,
} from '../../store/discord/claimRows'
import type { Deps } from '../core/deps'
import { type LeaderOptions, startLeaderTask } from '../core/leaderTask'
import { type MessageDraft, type Recorded, recordMessage } from '../proxy/recordMessage'

/** Longer than a request to Discord may take, so that no other process sends it any more. */
export const STALE_CLAIM_MS = 20_000
/** Discord repeats no event after this time. */
const KEPT_MS = 60 * 60 * 1000
const CLEAN_UP_EVERY_MS = 60 * 1000
/** Maximum number of claims that are returned or deleted together. */
const BATCH = 500

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
  const { id, node } = draft
  return deps.transact(
    'new',
    async (tx) => {
      const before = dropped?.node
      const isNew = before ? replaceClaim(tx, draft, before) : insertClaim(tx, draft)
      if (await isNew) return true
      return (await findClaim(tx, id))?.node === node
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
  const claim = await findClaim(db, id)
  return claim?.state === 'dropped' && claim.kind === 'message' ? claim : null
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
    async (tx) => void (await setClaimDescription(tx, { id, channel, thread, member, digest })),
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
  return (await findClaim(db, id))?.node === node
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
  return deps.transact('new', (tx) => setClaimNode(tx, id, node), 'quick')
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
  return recordMessage(deps, viewer, draft, (tx) => setClaimRecorded(tx, draft.original))
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
  await deps.transact('new', async (tx) => void (await setClaimState(tx, id, state)), 'slice')
}

/**
 * Lists claims that a process may have left unfinished, oldest first: `recorded` ones, and `sending`
 * ones that no living process is sending any more. At most 500, so it is repeated until it returns
 * none.
 */
export async function listUnfinishedClaims({ db }: Deps, viewer: Viewer): Promise<Claim[]> {
  requireDiscordBot(viewer)
  return listUnfinished(db, STALE_CLAIM_MS, BATCH)
}

/** Deletes claims that are older than an hour. Returns their number. */
async function deleteOldClaims(deps: Deps, isStopped: () => boolean): Promise<number> {
  let deleted = 0
  while (!isStopped()) {
    const old = await listClaimsOlderThan(deps.db, KEPT_MS, BATCH)
    if (old.length === 0) break
    await deps.transact('new', async (tx) => void (await deleteClaims(tx, old)), 'slice')
    deleted += old.length
  }
  return deleted
}

/** Deletes old claims every minute, also on servers without a bot, which may have had one. */
export function startClaimCleanup(
  deps: Deps,
  leader: LeaderOptions,
  everyMs = CLEAN_UP_EVERY_MS,
): PeriodicTask {
  return startLeaderTask(deps, leader, {
    name: 'claim cleanup',
    everyMs,
    run: (isStopped) => deleteOldClaims(deps, isStopped),
  })
}
