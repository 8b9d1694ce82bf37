import { ownerJson, updateAndRender } from '../../db/renderedJson'
import type { Db, MaybePromise } from '../../db/types'
import { requireEnabled } from '../../db/visible'
import { error } from '../../model/core/errors'
import { requirePlatformAuthority, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { Problem } from '../../model/core/validation'
import { MAX_FRONTERS, nextTimestamp } from '../../model/front/switch'
import type { Member } from '../../model/members/member'
import { switchEffect } from '../../model/proxy/decide'
import type { Message } from '../../model/proxy/message'
import type { Settings } from '../../model/systems/settings'
import { findAccount } from '../../store/access/accountRows'
import { findEntity, locateEntity } from '../../store/core/entityRows'
import type { RowLocation } from '../../store/core/identityRows'
import { recordEvent } from '../../store/events/recordEvent'
import { insertSwitch, replaceMembers } from '../../store/front/switchChanges'
import { findLatest, hasSwitchAt } from '../../store/front/switchRows'
import { memberRowKind } from '../../store/members/memberRows'
import { getAutoproxy, storeAutoproxy } from '../../store/proxy/autoproxyRows'
import { deleteMessageRows, findMessage, insertMessage } from '../../store/proxy/messageRows'
import { findSenderContext } from '../../store/proxy/senderContext'
import type { Deps } from '../core/deps'
import { type FoundMessage, withMember } from './messages'

export interface MessageDraft {
  id: string
  original: string
  sender: string
  channel: string
  guild: string | null
  /** Short ID or UUID. */
  member: string
  timestamp: Instant | null
}

/** A message with the JSON of its system and its member for their owner. */
export interface Recorded {
  message: Message
  system: string | null
  member: string | null
  isNew: boolean
}

/**
 * Records a proxied message, and updates its member, the latch and switches. Idempotent, so that a
 * bot that got no response can repeat the request. `alsoWrite` runs in the same transaction.
 */
export async function recordMessage(
  deps: Deps,
  viewer: Viewer,
  draft: MessageDraft,
  alsoWrite?: (tx: Db) => MaybePromise<unknown>,
): Promise<Recorded> {
  requirePlatformAuthority(viewer, draft.sender)
  let location: RowLocation | undefined
  const findSystem = async () => {
    location =
      (await locateEntity(deps.db, memberRowKind, draft.member)) ??
      (await requireKnownSender(deps.db, draft))
    return { system: location.system_id }
  }
  return deps.transact(findSystem, async (tx) => {
    // Read again, because it may have been deleted while this waited for the lock.
    const pendingSpeaker = requireMember(tx, draft)
    const { system_id } = location ?? (await pendingSpeaker)
    const [speaker, row, context] = await Promise.all([
      pendingSpeaker,
      findMessage(tx, draft.id),
      findSenderContext(tx, system_id, draft),
      alsoWrite?.(tx),
    ])
    if (!context) throw error('systemNotFound')
    const { sender_system, autoproxy_mode, proxy_switch, system_json, ...system } = context
    // A member of a running import moves to its final system when the import commits.
    if (speaker.system_id !== system_id)
      throw error('conflict', 'the member was moved by another request')
    if (row) {
      if (!isSame(row, draft, speaker))
        throw error('conflict', 'the message is recorded with other values')
      return { ...serializeRows(tx, await withMember(tx, row)), isNew: false }
    }
    // Only accounts of its own system may proxy as a member. Checked after the repeat, which must
    // succeed even if the account was unlinked since.
    if (sender_system !== speaker.system_id) throw error('notYourMember')
    const { member: _, ...ids } = draft
    const timestamp = draft.timestamp ?? deps.now()
    const message = { ...ids, timestamp, system_id: speaker.system_id, member_id: speaker.id }
    const counted = {
      message_count: speaker.message_count + 1,
      last_message_timestamp: timestamp,
    }
    const member = { ...speaker, ...counted }
    // Sent without waiting in between; none depends on another.
    const [rendered] = await Promise.all([
      updateAndRender(tx, 'members', member, counted),
      insertMessage(tx, message),
      recordEvent(tx, deps.now(), {
        system_id: system.id,
        type: 'CREATE_MESSAGE',
        subject: null,
        data: { ...message, system, member },
      }),
    ])
    if (autoproxy_mode === 'latch') await moveLatch(deps, tx, message, member)
    if (proxy_switch !== 'off')
      await applyProxySwitch(deps, tx, timestamp, draft.timestamp !== null, member, proxy_switch)
    return {
      message,
      system: system_json ?? ownerJson(tx, 'systems', system),
      member: rendered,
      isNew: true,
    }
  })
}

export async function deleteMessages(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) requirePlatformAuthority(viewer, id)
  await deps.transact('new', async (tx) => {
    await deleteMessageRows(tx, ids)
  })
}

/** Returns the member that the draft names. */
async function requireMember(tx: Db, draft: MessageDraft): Promise<Member> {
  return (
    (await findEntity(tx, memberRowKind, draft.member)) ?? (await requireKnownSender(tx, draft))
  )
}

async function requireKnownSender(tx: Db, { sender }: MessageDraft): Promise<never> {
  const account = await findAccount(tx, sender)
  if (account) await requireEnabled(tx, account.system_id)
  throw error('invalidBody', { member: [new Problem('member_not_found')] })
}

function serializeRows(tx: Db, { message, system, member }: FoundMessage): Omit<Recorded, 'isNew'> {
  return {
    message,
    system: system && ownerJson(tx, 'systems', system),
    member: member && ownerJson(tx, 'members', member),
  }
}

function isSame(message: Message, draft: MessageDraft, speaker: Member): boolean {
  return (
    message.original === draft.original &&
    message.sender === draft.sender &&
    message.channel === draft.channel &&
    message.guild === draft.guild &&
    message.member_id === speaker.id &&
    (draft.timestamp === null || message.timestamp === draft.timestamp)
  )
}

/** Sets the latch of the guild to the member that was proxied last. */
async function moveLatch(
  deps: Deps,
  tx: Db,
  { guild, timestamp }: Message,
  speaker: Member,
): Promise<void> {
  if (guild === null) return
  const before = await getAutoproxy(tx, speaker.system_id, guild)
  const after = { ...before, autoproxy_member: speaker, last_latch_timestamp: timestamp }
  await storeAutoproxy(deps, tx, speaker.system_id, guild, before, after)
}

/** Logs or extends a switch for the proxied member, if the system's settings say so. */
async function applyProxySwitch(
  deps: Deps,
  tx: Db,
  timestamp: Instant,
  isGiven: boolean,
  speaker: Member,
  proxySwitch: Settings['proxy_switch'],
): Promise<void> {
  const systemId = speaker.system_id
  const latest = await findLatest(tx, systemId)
  const fronters = latest?.members ?? []
  const effect = switchEffect(
    proxySwitch,
    fronters.map(({ id }) => id),
    speaker.id,
  )
  if (effect.kind === 'none') return
  if (effect.kind === 'append' && latest) {
    if (fronters.length < MAX_FRONTERS)
      await replaceMembers(deps, tx, latest, [...fronters, speaker])
    return
  }
  // Two messages may have the same time, but times of switches are unique.
  let at = isGiven ? timestamp : nextTimestamp(timestamp, latest?.timestamp)
  while (await hasSwitchAt(tx, systemId, at)) at += 1
  await insertSwitch(deps, tx, systemId, at, [speaker])
}
