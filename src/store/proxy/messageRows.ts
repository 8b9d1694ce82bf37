import { and, desc, eq, exists, getTableColumns, gt, notExists, sql } from 'drizzle-orm'
import { type Placeholders, QueryBuilder, query } from '../../db/query'
import { accounts, messages } from '../../db/tables'
import type { Db, MaybePromise } from '../../db/types'
import { isEnabled, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import type { Instant } from '../../model/core/time'
import type { Message } from '../../model/proxy/message'

/** Finds a message by its ID, including messages of disabled systems, because their IDs are in use. */
export async function findMessage(db: Db, id: string): Promise<Message | null> {
  return await byId(db).get({ id })
}

/** Finds a message by its ID, unless its system is disabled. */
export function findVisibleMessage(db: Db, id: string): MaybePromise<Message | null> {
  return visibleById(db).get({ id })
}

/** Finds the last message that was proxied for an original since a time. */
export function findMessageByOriginal(
  db: Db,
  original: string,
  since: Instant,
): MaybePromise<Message | null> {
  return byOriginal(db).get({ original, since })
}

/** Finds the last message of an account in a channel since a time. */
export function findLastMessage(
  db: Db,
  sender: string,
  channel: string,
  since: Instant,
): MaybePromise<Message | null> {
  return lastOfSender(db).get({ sender, channel, since })
}

export async function insertMessage(tx: Db, message: Message): Promise<void> {
  const { id, original, sender, channel, guild, system_id, member_id, timestamp } = message
  const values = { id, original, sender, channel, guild, system_id, member_id, timestamp }
  // Another system may have recorded this ID since the lookup.
  if (!(await insertRow(tx).get(values)))
    throw error('conflict', 'the message is recorded with other values')
}

export function deleteMessageRows(tx: Db, ids: readonly string[]): MaybePromise<unknown> {
  return removeAll(tx).run({ ids: JSON.stringify(ids) })
}

export type MessageTime = Pick<Message, 'id' | 'system_id' | 'timestamp'>

/** Lists messages after an ID, by ID. */
export async function listMessagesAfter(db: Db, id: string, limit: number): Promise<MessageTime[]> {
  return await following(db).all({ id, limit })
}

export function deleteMessage(tx: Db, id: string): MaybePromise<unknown> {
  return removeOne(tx).run({ id })
}

const systemOf = new QueryBuilder()
  .select({ id: visibleSystems.id })
  .from(visibleSystems)
  .where(eq(visibleSystems.id, messages.system_id))

/** Condition that excludes messages whose system is being deleted, but not those of a disabled one. */
export const isMessageStored = exists(systemOf)

/** Replaces an existing message only if its system is being deleted. */
const insertRow = query((db, values: Placeholders<keyof Message>) => {
  const { id, original, sender, channel, guild, system_id, member_id, timestamp } = values
  const row = { original, sender, channel, guild, system_id, member_id, timestamp }
  return db
    .insert(messages)
    .values({ id, ...row })
    .onConflictDoUpdate({ target: messages.id, set: row, setWhere: notExists(systemOf) })
    .returning({ id: messages.id })
})

/** Condition that excludes messages whose system is being deleted or is disabled. */
const isMessageVisible = sql`exists (select 1 from ${visibleSystems}
  where ${visibleSystems.id} = ${messages.system_id} and ${isEnabled('systems')})`

const byId = query((db, { id }: Placeholders<'id'>) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.id, id), isMessageStored)),
)

const visibleById = query((db, { id }: Placeholders<'id'>) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.id, id), isMessageVisible)),
)

/** Looks in the account's current system, whose messages are indexed by time. */
const lastOfSender = query(
  (db, { sender, channel, since }: Placeholders<'sender' | 'channel' | 'since'>) =>
    db
      .select(getTableColumns(messages))
      .from(messages)
      .innerJoin(accounts, eq(accounts.system_id, messages.system_id))
      .where(
        and(
          eq(accounts.id, sender),
          gt(messages.timestamp, since),
          eq(messages.sender, sender),
          eq(messages.channel, channel),
          isMessageVisible,
        ),
      )
      .orderBy(desc(messages.timestamp))
      .limit(1),
)

const byOriginal = query((db, { original, since }: Placeholders<'original' | 'since'>) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.original, original), gt(messages.timestamp, since), isMessageVisible))
    .orderBy(desc(messages.timestamp))
    .limit(1),
)

const removeAll = query((db, { ids }: Placeholders<'ids'>, { inJsonTexts }) =>
  db.delete(messages).where(inJsonTexts(messages.id, ids)),
)

const following = query((db, values: Placeholders<'id' | 'limit'>) => {
  const { id, system_id, timestamp } = messages
  return db
    .select({ id, system_id, timestamp })
    .from(messages)
    .where(gt(id, values.id))
    .orderBy(id)
    .limit(values.limit)
})

const removeOne = query((db, { id }: Placeholders<'id'>) =>
  db.delete(messages).where(eq(messages.id, id)),
)
