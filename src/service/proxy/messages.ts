import { and, desc, eq, exists, getTableColumns, gt, notExists, sql } from 'drizzle-orm'
import { type Placeholders, QueryBuilder, query } from '../../db/query'
import { accounts, messages } from '../../db/tables'
import type { Db } from '../../db/types'
import { isEnabled, visibleSystems } from '../../db/visible'
import { error } from '../../model/core/errors'
import {
  type Audience,
  audienceOf,
  type Redacted,
  redact,
  requirePlatformAuthority,
  type Viewer,
} from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { type Member, member } from '../../model/members/member'
import { LAST_MESSAGE_LOOKUP, type Message, ORIGINAL_LOOKUP } from '../../model/proxy/message'
import { type System, system } from '../../model/systems/system'
import { findAccount } from '../../store/access/accountRows'
import type { Deps } from '../core/deps'
import { memberRepository } from '../members/members'
import { getSettings } from '../systems/settings'
import { getSystemById } from '../systems/systems'

/** A message with its member and system, both null once the member is deleted. */
export interface FoundMessage {
  message: Message
  member: Member | null
  system: System | null
}

/** A message whose member and system are redacted for a viewer. */
export interface RedactedMessage {
  message: Message
  member: Redacted<typeof member> | null
  system: Redacted<typeof system> | null
}

/** A message as an account sees it. */
export interface MessageForAccount extends RedactedMessage {
  /** True if the account sent the message or is linked to its system, and so may change it. */
  own: boolean
  /** True if other users may ping the sender through the message. */
  pings_enabled: boolean
}

export async function getVisibleMessage(
  deps: Deps,
  viewer: Viewer,
  id: string,
): Promise<RedactedMessage> {
  const found = await getMessage(deps.db, deps.now(), id)
  return redactMessage(found, audienceOf(viewer, found.message.system_id))
}

/** Returns a message and what an account may do with it; null for an account that is not known. */
export async function getMessageForAccount(
  deps: Deps,
  viewer: Viewer,
  id: string,
  account: string | null,
): Promise<MessageForAccount> {
  requirePlatformAuthority(viewer, id)
  if (account !== null) requirePlatformAuthority(viewer, account)
  return toAccountView(deps, await getMessage(deps.db, deps.now(), id), account)
}

/** Returns the last message of an account in a channel, if it is recent. */
export async function getLastMessage(
  deps: Deps,
  viewer: Viewer,
  account: string,
  channel: string,
): Promise<MessageForAccount> {
  requirePlatformAuthority(viewer, account)
  requirePlatformAuthority(viewer, channel)
  const since = deps.now() - LAST_MESSAGE_LOOKUP
  const found = await lastOfSender(deps.db).get({ sender: account, channel, since })
  if (!found) throw error('messageNotFound')
  return toAccountView(deps, await withMember(deps.db, found), account)
}

/** A sender that was unlinked since may delete the message, but no longer sees private data. */
async function toAccountView(
  deps: Deps,
  found: FoundMessage,
  account: string | null,
): Promise<MessageForAccount> {
  const { sender, system_id } = found.message
  const linked = account === null ? null : await findAccount(deps.db, account)
  const isLinked = linked?.system_id === system_id
  const { pings_enabled } = await getSettings(deps, deps.db, system_id)
  const redacted = redactMessage(found, isLinked ? 'owner' : 'public')
  return { ...redacted, own: isLinked || sender === account, pings_enabled }
}

function redactMessage(found: FoundMessage, audience: Audience): RedactedMessage {
  return {
    message: found.message,
    member: found.member && redact(member, found.member, audience),
    system: found.system && redact(system, found.system, audience),
  }
}

/** Finds a message by its own ID, or for a limited time by the ID of the original message. */
export async function getMessage(db: Db, now: Instant, id: string): Promise<FoundMessage> {
  const found =
    (await byId(db).get({ id })) ??
    (await byOriginal(db).get({ original: id, since: now - ORIGINAL_LOOKUP }))
  if (!found) throw error('messageNotFound')
  return withMember(db, found)
}

/** Finds a message by its ID, including messages of disabled systems, because their IDs are in use. */
export async function findMessage(db: Db, id: string): Promise<Message | null> {
  return await byIdOfAny(db).get({ id })
}

export async function withMember(db: Db, message: Message): Promise<FoundMessage> {
  const member =
    message.member_id === null ? null : await memberRepository.findById(db, message.member_id)
  return { message, member, system: member && (await getSystemById(db, message.system_id)) }
}

export async function insertMessage(tx: Db, message: Message): Promise<void> {
  const { id, original, sender, channel, guild, system_id, member_id, timestamp } = message
  const values = { id, original, sender, channel, guild, system_id, member_id, timestamp }
  // Another system may have recorded this ID since the lookup.
  if (!(await insertRow(tx).get(values)))
    throw error('conflict', 'the message is recorded with other values')
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

const byIdOfAny = query((db, { id }: Placeholders<'id'>) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.id, id), isMessageStored)),
)

const byId = query((db, { id }: Placeholders<'id'>) =>
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
