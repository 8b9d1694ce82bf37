import { statement } from '../db/statement'
import type { Db } from '../db/types'
import { isEnabled, isVisible } from '../db/visibility'
import { error } from '../model/errors'
import { type Member, member } from '../model/member'
import { type Message, ORIGINAL_LOOKUP } from '../model/message'
import { isOwner, type Redacted, redact, type Viewer } from '../model/privacy'
import { type System, system } from '../model/system'
import type { Instant } from '../model/time'
import type { Deps } from './deps'
import { memberRepository } from './members'
import { getSystemById } from './systems'

/** A message with its member and system, both null once the member is gone. */
export interface FoundMessage {
  message: Message
  member: Member | null
  system: System | null
}

/** The same as a viewer may see it. */
export interface RedactedMessage {
  message: Message
  member: Redacted<typeof member> | null
  system: Redacted<typeof system> | null
}

export async function getVisibleMessage(
  deps: Deps,
  viewer: Viewer,
  id: string,
): Promise<RedactedMessage> {
  const found = await getMessage(deps.db, deps.now(), id)
  const owner = isOwner(viewer, found.message.system_id)
  return {
    message: found.message,
    member: found.member && redact(member, found.member, owner),
    system: found.system && redact(system, found.system, owner),
  }
}

/** By its own ID at any time; by the message that triggered it only for a while. */
export async function getMessage(db: Db, now: Instant, id: string): Promise<FoundMessage> {
  const found =
    (await byId(db).get({ id })) ??
    (await byOriginal(db).get({ original: id, since: now - ORIGINAL_LOOKUP }))
  if (!found) throw error('messageNotFound')
  return withMember(db, found)
}

/** Also of a system that is disabled: its ID is taken all the same. */
export async function findMessage(db: Db, id: string): Promise<Message | null> {
  return await takenById(db).get({ id })
}

export async function withMember(db: Db, message: Message): Promise<FoundMessage> {
  const member =
    message.member_id === null ? null : await memberRepository.findById(db, message.member_id)
  return { message, member, system: member && (await getSystemById(db, message.system_id)) }
}

export async function insertMessage(tx: Db, message: Message): Promise<void> {
  const { id, original, sender, channel, guild, system_id, member_id, timestamp } = message
  const values = { id, original, sender, channel, guild, system_id, member_id, timestamp }
  // Another system's may have come while this was looked up.
  if (!(await insertRow(tx).get(values)))
    throw error('conflict', 'the message is recorded otherwise')
}

/** In the place of one, if at all, whose system is being removed. */
const insertRow = statement<keyof Message, { id: string }>(`
   insert into messages (id, original, sender, channel, guild, system_id, member_id, timestamp)
   values (:id, :original, :sender, :channel, :guild, :system_id, :member_id, :timestamp)
   on conflict (id) do update set original = excluded.original, sender = excluded.sender,
     channel = excluded.channel, guild = excluded.guild, system_id = excluded.system_id,
     member_id = excluded.member_id, timestamp = excluded.timestamp
   where not exists (
     select 1 from systems where systems.id = messages.system_id and ${isVisible('systems')}
   ) returning id`)

/** A condition that leaves out messages whose system is being removed, or is disabled. */
const isMessageThere = isOf(`${isVisible('systems')} and ${isEnabled('systems')}`)

function isOf(systems: string): string {
  return `exists (select 1 from systems where systems.id = messages.system_id and ${systems})`
}

const takenById = statement<'id', Message>(
  `select * from messages where id = :id and ${isOf(isVisible('systems'))}`,
)

const byId = statement<'id', Message>(`select * from messages where id = :id and ${isMessageThere}`)

const byOriginal = statement<'original' | 'since', Message>(`
   select * from messages where original = :original and timestamp > :since
   and ${isMessageThere} order by timestamp desc limit 1`)
