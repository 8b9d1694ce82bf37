import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { entityOf, type RenderedTable } from '../../db/renderedJson'
import { groupMembers, groups, members } from '../../db/tables'
import type { Db } from '../../db/types'
import { error } from '../../model/errors'
import type { Group } from '../../model/group'
import type { Member } from '../../model/member'
import { isOwner, isWatcher, requireListAccess, type Viewer } from '../../model/privacy'
import type { Audience } from '../../model/renderedJson'
import { type System, withWatcherVisibility } from '../../model/system'
import { formatInstant } from '../../model/time'
import type { Deps } from '../deps'
import { groupRepository } from '../groups'
import { listMembers, memberRepository } from '../members'
import { getMessage } from '../messages'
import { type Front, findSwitch, getFronters } from '../switches'
import { getSystem, getSystemById } from '../systems'

// Fallback of `service/read/v2.ts` on a cache miss: reads whole rows, redacts and serializes them like
// responses to writes, and schedules a refresh of the cache.

export async function renderSystem(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const row = await getSystem(deps, viewer, ref)
  const visible = isWatcher(viewer, row.id) ? withWatcherVisibility(row) : row
  return renderObject(deps, 'systems', visible, audienceOf(viewer, row.id))
}

export async function renderMembers(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  return renderObjects(
    deps,
    'members',
    await listMembers(deps, viewer, of),
    audienceOf(viewer, of.id),
  )
}

export async function renderGroups(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  withMembers: boolean,
): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const audience = audienceOf(viewer, of.id)
  requireListAccess('groups', of, audience === 'owner')
  const rows = await deps.db
    .select()
    .from(groups)
    .where(and(eq(groups.system_id, of.id), isVisible('groups', audience)))
    .orderBy(asc(groups.id))
    .all()
  const objects: string[] = []
  for (const row of rows) {
    const extra = withMembers ? `"members":${await uuidsIn(deps.db, row, audience)},` : ''
    objects.push(renderObject(deps, 'groups', row, audience, extra))
  }
  return `[${objects.join()}]`
}

export async function renderMember(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  return renderOne(deps, viewer, 'members', await memberRepository.get(deps.db, ref))
}

/** Renders a member for its owner, without the ID of its system. */
export async function renderOwnMember(deps: Deps, id: number): Promise<string> {
  const row = await memberRepository.findById(deps.db, id)
  if (!row) throw error('memberNotFound')
  return renderObject(deps, 'members', row, 'owner')
}

export async function renderGroup(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  return renderOne(deps, viewer, 'groups', await groupRepository.get(deps.db, ref))
}

export async function renderGroupMembers(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await groupRepository.get(deps.db, ref)
  const audience = audienceOf(viewer, of.system_id)
  requireListAccess('groupMembers', of, audience === 'owner')
  return renderObjects(deps, 'members', await membersIn(deps.db, of, audience), audience)
}

export async function renderMemberGroups(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const { id, system_id } = await memberRepository.get(deps.db, ref)
  const audience = audienceOf(viewer, system_id)
  requireListAccess('groups', await getSystemById(deps.db, system_id), audience === 'owner')
  const rows = await deps.db
    .select(getTableColumns(groups))
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.group_id))
    .where(
      and(
        eq(groupMembers.member_id, id),
        eq(groups.system_id, system_id),
        isVisible('groups', audience),
        audience === 'owner' ? undefined : eq(groups.list_privacy, 'public'),
      ),
    )
    .orderBy(asc(groups.id))
    .all()
  return renderObjects(deps, 'groups', rows, audience)
}

export async function renderFronters(deps: Deps, viewer: Viewer, ref: string): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const front = await getFronters(deps, viewer, of)
  return front ? renderFront(deps, front, audienceOf(viewer, of.id)) : 'null'
}

export async function renderSwitch(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  uuid: string,
): Promise<string> {
  const of = await getSystem(deps, viewer, ref)
  const audience = audienceOf(viewer, of.id)
  requireListAccess('switch', of, audience === 'owner')
  const front = await findSwitch(deps.db, of.id, uuid)
  if (!front) throw error('switchNotFound')
  return renderFront(deps, front, audience)
}

export async function renderMessage(deps: Deps, viewer: Viewer, id: string): Promise<string> {
  const { message, system, member } = await getMessage(deps.db, deps.now(), id)
  const audience = audienceOf(viewer, message.system_id)
  const { original, sender, channel, guild } = message
  const head = {
    timestamp: formatInstant(message.timestamp),
    id: message.id,
    original,
    sender,
    channel,
    guild,
  }
  const systemJson = system ? renderObject(deps, 'systems', system, audience) : 'null'
  const memberJson = member ? renderObject(deps, 'members', member, audience) : 'null'
  return `${JSON.stringify(head).slice(0, -1)},"system":${systemJson},"member":${memberJson}}`
}

function audienceOf(viewer: Viewer, systemId: number): Audience {
  return isOwner(viewer, systemId) ? 'owner' : 'others'
}

function renderObject(
  deps: Deps,
  table: RenderedTable,
  row: System | Member | Group,
  audience: Audience,
  extra = '',
): string {
  deps.scheduleRender(table, row.id)
  const fields = deps.db.renderJson?.(entityOf(table), row, audience) ?? ''
  return `{"id":"${row.hid}","uuid":"${row.uuid}",${extra}${fields}}`
}

function renderObjects(
  deps: Deps,
  table: RenderedTable,
  rows: (Member | Group)[],
  audience: Audience,
): string {
  return `[${rows.map((row) => renderObject(deps, table, row, audience)).join()}]`
}

/** Renders a member or group with the short ID of its system. */
async function renderOne(
  deps: Deps,
  viewer: Viewer,
  table: 'members' | 'groups',
  row: Member | Group,
): Promise<string> {
  const { hid } = await getSystemById(deps.db, row.system_id)
  return renderObject(deps, table, row, audienceOf(viewer, row.system_id), `"system":"${hid}",`)
}

function renderFront(deps: Deps, front: Front, audience: Audience): string {
  const list = renderObjects(deps, 'members', front.members, audience)
  const time = formatInstant(front.timestamp)
  const hidden = front.hidden === undefined ? '' : `,"hidden":${front.hidden}`
  return `{"id":"${front.uuid}","timestamp":"${time}","members":${list}${hidden}}`
}

/** Other callers get no members of a group with a private list, and no private members. */
async function uuidsIn(db: Db, of: Group, audience: Audience): Promise<string> {
  if (audience !== 'owner' && of.list_privacy !== 'public') return '[]'
  return JSON.stringify((await membersIn(db, of, audience)).map(({ uuid }) => uuid))
}

async function membersIn(db: Db, { id }: Group, audience: Audience): Promise<Member[]> {
  return await db
    .select(getTableColumns(members))
    .from(groupMembers)
    .innerJoin(members, eq(members.id, groupMembers.member_id))
    .where(and(eq(groupMembers.group_id, id), isVisible('members', audience)))
    .orderBy(asc(members.id))
    .all()
}

function isVisible(table: 'members' | 'groups', audience: Audience) {
  return audience === 'owner' ? undefined : sql.raw(`${table}.visibility = 'public'`)
}
