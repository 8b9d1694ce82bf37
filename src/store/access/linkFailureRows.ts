import { and, eq, gt, lte } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { linkFailures } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import type { Instant } from '../../model/core/time'

/** Lists the times at which an account sent a wrong code, oldest first. */
export async function listFailureTimes(
  db: Db,
  account: string,
  since: Instant,
): Promise<Instant[]> {
  return (await failuresOf(db).all({ account, since })).map(({ at }) => at)
}

export function insertFailure(tx: Db, account: string, at: Instant): MaybePromise<unknown> {
  return insert(tx).run({ account, at })
}

/** Deletes the wrong codes of all accounts up to a time. */
export function deleteFailuresUntil(tx: Db, until: Instant): MaybePromise<unknown> {
  return remove(tx).run({ until })
}

const { account_id, at } = linkFailures

const failuresOf = query((db, { account, since }: Placeholders<'account' | 'since'>) =>
  db
    .select({ at })
    .from(linkFailures)
    .where(and(eq(account_id, account), gt(at, since)))
    .orderBy(at),
)

const insert = query((db, { account, at }: Placeholders<'account' | 'at'>) =>
  db.insert(linkFailures).values({ account_id: account, at }),
)

const remove = query((db, { until }: Placeholders<'until'>) =>
  db.delete(linkFailures).where(lte(at, until)),
)
