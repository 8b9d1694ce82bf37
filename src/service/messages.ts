import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { prepared } from '../db/prepared'
import { messages } from '../db/tables'
import { error } from '../model/errors'
import type { Member } from '../model/member'
import { type Message, ORIGINAL_LOOKUP } from '../model/message'
import type { System } from '../model/system'
import type { Deps } from './deps'
import { findMemberById } from './members'
import { getSystemById } from './systems'

/** A message with its member and system, both null once the member is gone. */
export interface FoundMessage {
  message: Message
  member: Member | null
  system: System | null
}

/** By its own ID at any time; by the message that triggered it only for a while. */
export async function getMessage(deps: Deps, id: string): Promise<FoundMessage> {
  const found =
    (await byId(deps.db).get({ id })) ??
    (await byOriginal(deps.db).get({ original: id, since: deps.now() - ORIGINAL_LOOKUP }))
  if (!found) throw error('messageNotFound')
  return withMember(deps.db, found)
}

export async function findMessage(db: Db, id: string): Promise<Message | null> {
  return (await byId(db).get({ id })) ?? null
}

export async function withMember(db: Db, message: Message): Promise<FoundMessage> {
  const member = message.member_id === null ? null : await findMemberById(db, message.member_id)
  return { message, member, system: member && (await getSystemById(db, message.system_id)) }
}

export async function insertMessage(tx: Db, message: Message): Promise<void> {
  await tx.insert(messages).values(message)
}

const byId = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, sql.placeholder('id')))
    .prepare(),
)

const byOriginal = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.original, sql.placeholder('original')),
        gt(messages.timestamp, sql.placeholder('since')),
      ),
    )
    .orderBy(desc(messages.timestamp))
    .limit(1)
    .prepare(),
)
