import { inArray } from 'drizzle-orm'
import { storeFaces } from '../../db/faces'
import type { Db } from '../../db/handle'
import { statement } from '../../db/statement'
import { messages } from '../../db/tables'
import { Problem } from '../../model/check'
import { error } from '../../model/errors'
import type { Member } from '../../model/member'
import type { Message } from '../../model/message'
import { requireWitness, type Viewer } from '../../model/privacy'
import { switchEffect } from '../../model/proxy/decide'
import type { Settings } from '../../model/settings'
import { MAX_FRONTERS, nextMoment } from '../../model/switch'
import type { Instant } from '../../model/time'
import { findAccount } from '../accounts'
import { getAutoproxy, storeAutoproxy } from '../autoproxy'
import type { Deps } from '../deps'
import { findMember } from '../members'
import { type FoundMessage, findMessage, insertMessage, withMember } from '../messages'
import { tell } from '../outbox'
import { findAt, findLatest, insertSwitch, replaceMembers } from '../switches'
import { getSystemById } from '../systems'

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

/**
 * Keeps the record of a message that was proxied, with everything that follows from it. Sent
 * again, it changes nothing: a bot that does not know whether it was heard may simply repeat.
 */
export async function recordMessage(
  deps: Deps,
  viewer: Viewer,
  draft: MessageDraft,
): Promise<FoundMessage & { isNew: boolean }> {
  requireWitness(viewer, draft.sender)
  return deps.transact(async (tx) => {
    const speaker = await getSpeaker(tx, draft)
    const known = await findMessage(tx, draft.id)
    if (known) {
      if (!isSame(known, draft, speaker))
        throw error('conflict', 'the message is recorded otherwise')
      return { ...(await withMember(tx, known)), isNew: false }
    }
    // What is recorded stays so: a repeat is not refused for an account that was unlinked since.
    await refuseStranger(tx, draft.sender, speaker)
    const { member: _, ...ids } = draft
    const timestamp = draft.timestamp ?? deps.now()
    const message = { ...ids, timestamp, system_id: speaker.system_id, member_id: speaker.id }
    await insertMessage(tx, message)
    await countMessage(tx).run({ timestamp, id: speaker.id })
    const member = {
      ...speaker,
      message_count: speaker.message_count + 1,
      last_message_timestamp: timestamp,
    }
    await storeFaces(tx, 'members', member)
    const system = await getSystemById(tx, member.system_id)
    await tell(tx, deps.now(), {
      system_id: system.id,
      type: 'CREATE_MESSAGE',
      subject: null,
      data: { ...message, system, member },
    })
    await moveLatch(deps, tx, message, member)
    await followWithSwitch(deps, tx, timestamp, draft.timestamp !== null, member)
    return { message, member, system, isNew: true }
  })
}

export async function deleteMessages(
  deps: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) requireWitness(viewer, id)
  await deps.transact(async (tx) => {
    await tx.delete(messages).where(inArray(messages.id, [...ids]))
  })
}

/** The member that is said to have spoken. */
async function getSpeaker(tx: Db, { member }: MessageDraft): Promise<Member> {
  const found = await findMember(tx, member)
  if (!found) throw error('invalidBody', { member: [new Problem('Member not found.')] })
  return found
}

/** Members speak through the accounts of their own system only. */
async function refuseStranger(tx: Db, sender: string, speaker: Member): Promise<void> {
  const account = await findAccount(tx, sender)
  if (account?.system_id !== speaker.system_id) throw error('notYourMember')
}

function isSame(known: Message, draft: MessageDraft, speaker: Member): boolean {
  return (
    known.original === draft.original &&
    known.sender === draft.sender &&
    known.channel === draft.channel &&
    known.guild === draft.guild &&
    known.member_id === speaker.id &&
    (draft.timestamp === null || known.timestamp === draft.timestamp)
  )
}

/** While the guild's autoproxy latches, it follows whoever spoke last. */
async function moveLatch(
  deps: Deps,
  tx: Db,
  { guild, timestamp }: Message,
  speaker: Member,
): Promise<void> {
  if (guild === null) return
  const before = await getAutoproxy(tx, speaker.system_id, guild)
  if (before.autoproxy_mode !== 'latch') return
  const after = { ...before, autoproxy_member: speaker, last_latch_timestamp: timestamp }
  await storeAutoproxy(deps, tx, speaker.system_id, guild, before, after)
}

/** What the system asked to happen to its switches when somebody speaks. */
async function followWithSwitch(
  deps: Deps,
  tx: Db,
  timestamp: Instant,
  isGiven: boolean,
  speaker: Member,
): Promise<void> {
  const systemId = speaker.system_id
  const proxy_switch = (await proxySwitch(tx).get({ system: systemId }))?.proxy_switch ?? 'off'
  if (proxy_switch === 'off') return
  const latest = await findLatest(tx, systemId)
  const fronters = latest?.members ?? []
  const effect = switchEffect(
    proxy_switch,
    fronters.map(({ id }) => id),
    speaker.id,
  )
  if (effect.kind === 'none') return
  if (effect.kind === 'append' && latest) {
    if (fronters.length < MAX_FRONTERS)
      await replaceMembers(deps, tx, latest, [...fronters, speaker])
    return
  }
  // Two messages of one moment may both ask for a switch; times of switches are unique.
  let at = isGiven ? timestamp : nextMoment(timestamp, latest?.timestamp)
  while (await findAt(tx, systemId, at)) at += 1
  await insertSwitch(deps, tx, systemId, at, [speaker])
}

const proxySwitch = statement<'system', Pick<Settings, 'proxy_switch'>>(
  'select proxy_switch from settings where system_id = :system',
)

const countMessage = statement<'timestamp' | 'id'>(`
   update members set message_count = message_count + 1, last_message_timestamp = :timestamp
   where id = :id`)
