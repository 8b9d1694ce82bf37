import type { Db } from '../../db/types'
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
import { findEntityById } from '../../store/core/entityRows'
import { memberRowKind } from '../../store/members/memberRows'
import {
  findLastMessage,
  findMessageByOriginal,
  findVisibleMessage,
} from '../../store/proxy/messageRows'
import { getSettings } from '../../store/systems/settingRows'
import { getSystemById } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'

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
  const message = await findLastMessage(deps.db, account, channel, since)
  if (!message) throw error('messageNotFound')
  return toAccountView(deps, await withMember(deps.db, message), account)
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
  const message =
    (await findVisibleMessage(db, id)) ??
    (await findMessageByOriginal(db, id, now - ORIGINAL_LOOKUP))
  if (!message) throw error('messageNotFound')
  return withMember(db, message)
}

export async function withMember(db: Db, message: Message): Promise<FoundMessage> {
  const member =
    message.member_id === null ? null : await findEntityById(db, memberRowKind, message.member_id)
  return { message, member, system: member && (await getSystemById(db, message.system_id)) }
}
