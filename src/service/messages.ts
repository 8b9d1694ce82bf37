import type { Db } from '../db/handle'
import { statement } from '../db/statement'
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
    (await byId(deps.db).get(id)) ??
    (await byOriginal(deps.db).get(id, deps.now() - ORIGINAL_LOOKUP))
  if (!found) throw error('messageNotFound')
  return withMember(deps.db, found)
}

export async function findMessage(db: Db, id: string): Promise<Message | null> {
  return await byId(db).get(id)
}

export async function withMember(db: Db, message: Message): Promise<FoundMessage> {
  const member = message.member_id === null ? null : await findMemberById(db, message.member_id)
  return { message, member, system: member && (await getSystemById(db, message.system_id)) }
}

export async function insertMessage(tx: Db, message: Message): Promise<void> {
  const { id, original, sender, channel, guild, system_id, member_id, timestamp } = message
  await insertRow(tx).run(id, original, sender, channel, guild, system_id, member_id, timestamp)
}

const columns = [
  'id',
  'original',
  'sender',
  'channel',
  'guild',
  'system_id',
  'member_id',
  'timestamp',
]

const insertRow = statement(
  columns,
  `insert into messages (${columns.join()}) values (${columns.map((name) => `:${name}`).join()})`,
)

const byId = statement<Message>(['id'], 'select * from messages where id = :id')

const byOriginal = statement<Message>(
  ['original', 'since'],
  `select * from messages where original = :original and timestamp > :since
   order by timestamp desc limit 1`,
)
