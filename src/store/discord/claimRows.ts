import { and, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { type Placeholders, query, type Values } from '../../db/query'
import { discordClaims as claims } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { type Claim, type ClaimDraft, type ClaimState, claimStates } from '../../model/core/discord'

export function findClaim(db: Db, id: string): MaybePromise<Claim | null> {
  return byId(db).get({ id })
}

/** Stores a claim. Returns null if there is one of this ID. */
export function insertClaim(tx: Db, draft: ClaimDraft): MaybePromise<{ id: string } | null> {
  return insert(tx).get(draft)
}

/** Replaces the dropped claim of a node. Returns null if there is none any more. */
export function replaceClaim(
  tx: Db,
  draft: ClaimDraft,
  before: string,
): MaybePromise<{ id: string } | null> {
  return replace(tx).get({ ...draft, before })
}

/** Stores what is about to be sent. */
export function setClaimDescription(
  tx: Db,
  values: Values<'id' | 'channel' | 'thread' | 'member' | 'digest'>,
): MaybePromise<unknown> {
  return describe(tx).run(values)
}

/** Assigns an unfinished claim to a node. Returns false if it is finished. */
export async function setClaimNode(tx: Db, id: string, node: string): Promise<boolean> {
  return (await assign(tx).get({ id, node })) !== null
}

/**
 * Sets a claim to `recorded`, also if recovery gave it up just before: the message was sent, so the
 * original must go.
 */
export function setClaimRecorded(tx: Db, id: string): MaybePromise<unknown> {
  return record(tx).run({ id })
}

export function setClaimState(tx: Db, id: string, state: ClaimState): MaybePromise<unknown> {
  return settle(tx).run({ id, state })
}

/**
 * Lists the claims that are `recorded`, and those that have been `sending` for longer than an age in
 * milliseconds, oldest first.
 */
export async function listUnfinished(db: Db, age: number, limit: number): Promise<Claim[]> {
  return await unfinished(db).all({ age, limit })
}

/** Lists the IDs of claims that are older than an age in milliseconds. */
export async function listClaimsOlderThan(db: Db, age: number, limit: number): Promise<string[]> {
  return (await expired(db).all({ age, limit })).map(({ id }) => id)
}

export function deleteClaims(tx: Db, ids: readonly string[]): MaybePromise<unknown> {
  return remove(tx).run({ ids: JSON.stringify(ids) })
}

const byId = query((db, { id }: Placeholders<'id'>) =>
  db.select().from(claims).where(eq(claims.id, id)),
)

const insert = query((db, values: Placeholders<keyof ClaimDraft>, { nowMs }) => {
  const { id, kind, node, guild, channel, thread, sender, member, digest } = values
  const row = { id, kind, node, guild, channel, thread, sender, member, digest }
  return db
    .insert(claims)
    .values({ ...row, state: 'sending', at: sql`cast(${nowMs} as bigint)` })
    .onConflictDoNothing()
    .returning({ id: claims.id })
})

/** The node of the dropped claim is unique, so that one of several edits replaces it. */
const replace = query((db, values: Placeholders<keyof ClaimDraft | 'before'>, { nowMs }) => {
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

const describe = query(
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

const assign = query((db, { id, node }: Placeholders<'id' | 'node'>) =>
  db
    .update(claims)
    .set({ node })
    .where(and(eq(claims.id, id), inArray(claims.state, ['sending', 'recorded'])))
    .returning({ id: claims.id }),
)

const record = query((db, { id }: Placeholders<'id'>) =>
  db
    .update(claims)
    .set({ state: 'recorded' })
    .where(and(eq(claims.id, id), inArray(claims.state, ['sending', 'dropped']))),
)

const settle = query((db, { id, state }: Placeholders<'id' | 'state'>) =>
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

const remove = query((db, { ids }: Placeholders<'ids'>, { inJsonTexts }) =>
  db.delete(claims).where(inJsonTexts(claims.id, ids)),
)
