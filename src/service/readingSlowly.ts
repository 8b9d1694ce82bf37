import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { entityOf, type Faced } from '../db/faces'
import type { Db } from '../db/handle'
import { groupMembers, groups, members } from '../db/tables'
import { error } from '../model/errors'
import type { Eyes } from '../model/face'
import type { Group } from '../model/group'
import type { Member } from '../model/member'
import { isOwner, passGate, type Viewer } from '../model/privacy'
import type { System } from '../model/system'
import { formatInstant } from '../model/time'
import type { Deps } from './deps'
import { getGroup } from './groups'
import { getMember, listMembers } from './members'
import { getMessage } from './messages'
import { type Front, findSwitch, getFronters } from './switches'
import { getSystem, getSystemById } from './systems'

/**
 * The long way to the answers of `reading.ts`, for rows whose faces are missing: whole rows, each
 * seen and spelled as answers to writes are. Whoever comes this way asks for the faces to be mended.
 */

export async function systemSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await getSystem(deps, viewer, ref)
  return spell(deps, 'systems', row, eyesOf(viewer, row.id))
}

export async function membersSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  return spellAll(deps, 'members', await listMembers(deps, viewer, of), eyesOf(viewer, of.id))
}

export async function groupsSlowly(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const eyes = eyesOf(viewer, of.id)
  passGate('groups', of, eyes === 'owner')
  const rows = await deps.db
    .select()
    .from(groups)
    .where(and(eq(groups.system_id, of.id), isVisible('groups', eyes)))
    .orderBy(asc(groups.id))
    .all()
  const spelled: string[] = []
  for (const row of rows) {
    const extra = withMembers ? `"members":${await uuidsIn(deps.db, row, eyes)},` : ''
    spelled.push(spell(deps, 'groups', row, eyes, extra))
  }
  return `[${spelled.join()}]`
}

export async function memberSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  return spellOne(deps, viewer, 'members', await getMember(deps, ref))
}

export async function groupSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  return spellOne(deps, viewer, 'groups', await getGroup(deps, ref))
}

export async function groupMembersSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await getGroup(deps, ref)
  const eyes = eyesOf(viewer, of.system_id)
  passGate('groupMembers', of, eyes === 'owner')
  return spellAll(deps, 'members', await membersIn(deps.db, of, eyes), eyes)
}

export async function memberGroupsSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const { id, system_id } = await getMember(deps, ref)
  const eyes = eyesOf(viewer, system_id)
  passGate('groups', await getSystemById(deps.db, system_id), eyes === 'owner')
  const rows = await deps.db
    .select(getTableColumns(groups))
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.group_id))
    .where(
      and(
        eq(groupMembers.member_id, id),
        eq(groups.system_id, system_id),
        isVisible('groups', eyes),
        eyes === 'owner' ? undefined : eq(groups.list_privacy, 'public'),
      ),
    )
    .orderBy(asc(groups.id))
    .all()
  return spellAll(deps, 'groups', rows, eyes)
}

export async function frontersSlowly(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const front = await getFronters(deps, viewer, of)
  return front ? spellFront(deps, front, eyesOf(viewer, of.id)) : 'null'
}

export async function switchSlowly(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  uuid: string,
): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const eyes = eyesOf(viewer, of.id)
  passGate('switch', of, eyes === 'owner')
  const front = await findSwitch(deps.db, of.id, uuid)
  if (!front) throw error('switchNotFound')
  return spellFront(deps, front, eyes)
}

export async function messageSlowly(deps: Deps, viewer: Viewer, id: string): Promise<string> {
  const { message, system, member } = await getMessage(deps, id)
  const eyes = eyesOf(viewer, message.system_id)
  const { original, sender, channel, guild } = message
  const head = {
    timestamp: formatInstant(message.timestamp),
    id: message.id,
    original,
    sender,
    channel,
    guild,
  }
  const seenSystem = system ? spell(deps, 'systems', system, eyes) : 'null'
  const seenMember = member ? spell(deps, 'members', member, eyes) : 'null'
  return `${JSON.stringify(head).slice(0, -1)},"system":${seenSystem},"member":${seenMember}}`
}

function eyesOf(viewer: Viewer, systemId: number): Eyes {
  return isOwner(viewer, systemId) ? 'owner' : 'others'
}

function spell(
  deps: Deps,
  table: Faced,
  row: System | Member | Group,
  eyes: Eyes,
  extra = '',
): string {
  deps.mendFaces(table, row.id)
  const face = deps.db.render?.(entityOf(table), row, eyes) ?? ''
  return `{"id":"${row.hid}","uuid":"${row.uuid}",${extra}${face}}`
}

function spellAll(deps: Deps, table: Faced, rows: (Member | Group)[], eyes: Eyes): string {
  return `[${rows.map((row) => spell(deps, table, row, eyes)).join()}]`
}

/** With the short ID of the system it belongs to. */
async function spellOne(
  deps: Deps,
  viewer: Viewer,
  table: 'members' | 'groups',
  row: Member | Group,
): Promise<string> {
  const { hid } = await getSystemById(deps.db, row.system_id)
  return spell(deps, table, row, eyesOf(viewer, row.system_id), `"system":"${hid}",`)
}

function spellFront(deps: Deps, front: Front, eyes: Eyes): string {
  const list = spellAll(deps, 'members', front.members, eyes)
  const time = formatInstant(front.timestamp)
  return `{"id":"${front.uuid}","timestamp":"${time}","members":${list}}`
}

/** Strangers see no members of a group with a hidden list, and no hidden member anywhere. */
async function uuidsIn(db: Db, of: Group, eyes: Eyes): Promise<string> {
  if (eyes !== 'owner' && of.list_privacy !== 'public') return '[]'
  return JSON.stringify((await membersIn(db, of, eyes)).map(({ uuid }) => uuid))
}

async function membersIn(db: Db, { id }: Group, eyes: Eyes): Promise<Member[]> {
  return await db
    .select(getTableColumns(members))
    .from(groupMembers)
    .innerJoin(members, eq(members.id, groupMembers.member_id))
    .where(and(eq(groupMembers.group_id, id), isVisible('members', eyes)))
    .orderBy(asc(members.id))
    .all()
}

function isVisible(table: 'members' | 'groups', eyes: Eyes) {
  return eyes === 'owner' ? undefined : sql.raw(`${table}.visibility = 'public'`)
}
