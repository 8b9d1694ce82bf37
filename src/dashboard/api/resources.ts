import type { ExtSettings } from '../../model/systems/extSettings'
import { request } from './client'
import type { Path } from './json'
import {
  EXT,
  EXT_SYSTEM,
  groupPath,
  groupsPath,
  memberPath,
  membersPath,
  systemPath,
} from './paths'
import type {
  ArchivedCollection,
  ArchivePage,
  Bucket,
  CreatedInvitation,
  CustomField,
  Device,
  Friend,
  FrontNote,
  Group,
  Invitation,
  Member,
  Note,
  NoteInList,
  OriginPage,
  Poll,
  Post,
  PublicFront,
  PublicSwitch,
  Reminder,
  Room,
  SerializedGroup,
  SerializedMember,
  System,
  Token,
} from './types'

/** Objects of one kind: their list, and each by its ID. */
export interface Resource<T, Item = T, Created = T> {
  readonly list: Path<readonly Item[]>
  at(id: string): Path<T>
  create(body: object): Promise<Created | null>
  patch(id: string, body: object): Promise<T | null>
  remove(id: string): Promise<unknown>
  /** Path of the order of the IDs. */
  readonly order: string
}

function resource<T, Item = T, Created = T>(
  list: Path<readonly Item[]>,
  at: (id: string) => Path<T>,
  all: string = list,
): Resource<T, Item, Created> {
  return {
    list,
    at,
    create: (body) => request<Created>(all, { method: 'POST', body }),
    patch: (id, body) => request(at(id), { method: 'PATCH', body }),
    remove: (id) => request(at(id), { method: 'DELETE' }),
    order: `${list}/order`,
  }
}

/** Rows of the extension API, which are listed for the system and named without it. */
function rows<T, Item = T>(name: string, list = name): Resource<T, Item> {
  return resource<T, Item>(`${EXT_SYSTEM}/${list}`, (id) => `${EXT}${name}/${id}`)
}

/** Objects whose paths begin with that of their list. */
function below<T, Created = T>(list: Path<readonly T[]>): Resource<T, T, Created> {
  return resource<T, T, Created>(list, (id) => `${list}/${encodeURIComponent(id)}`)
}

const archive: Path<readonly ArchivedCollection[]> = `${EXT_SYSTEM}/archive`
const webhook = `${systemPath}/webhook`

export const api = {
  members: resource<SerializedMember>(membersPath, memberPath, `${EXT}members`),
  groups: resource<SerializedGroup>(groupsPath, (uuid) => `${EXT}groups/${uuid}`),
  /** Members and groups of version 2, whose answers lack what the extension API adds. */
  v2Members: resource<Member>(
    `${systemPath}/members`,
    (uuid) => `v2/members/${uuid}`,
    'v2/members',
  ),
  v2Groups: resource<Group>(`${systemPath}/groups`, groupPath, 'v2/groups'),
  fields: rows<CustomField>('fields'),
  notes: rows<Note, NoteInList>('notes'),
  rooms: rows<Room>('rooms'),
  posts: rows<Post>('posts'),
  polls: rows<Poll>('polls'),
  reminders: rows<Reminder>('reminders'),
  frontNotes: rows<FrontNote>('front-notes', 'front/notes'),
  buckets: below<Bucket>(`${EXT}buckets`),
  friends: below<Friend>(`${EXT}friends`),
  invitations: below<Invitation, CreatedInvitation>(`${EXT}friends/invites`),
  tokens: below<Token, { readonly name: string; readonly token: string }>(`${systemPath}/tokens`),
  sessions: below<Device>('web/sessions'),
  archive: below<ArchivedCollection>(archive),
} as const

export const groupTreePath = `${groupsPath}/tree`
export const readPostsPath = `${api.posts.list}/read`
export const extSettingsPath: Path<ExtSettings> = `${EXT_SYSTEM}/settings`
export const accountsPath: Path<readonly { readonly id: string }[]> = `${systemPath}/accounts`
export const linkCodePath = `${systemPath}/link-code`
export const exportPath = `${systemPath}/export`
export const importPath = `${systemPath}/import`
export const importPlacePath: Path<{ readonly ready: boolean }> = 'web/import-place'
export const convertPath = `${archive}/convert`
export const friendStreamPath = `${api.friends.list}/stream`
export const frontStreamPath = `${EXT_SYSTEM}/front/stream`
export const previewInvitationPath = `${api.invitations.list}/preview`
export const statisticsPath = `${systemPath}/fronting`
export const loginPath = 'web/login'
export const setupPath = 'web/setup'
export const newSystemPath = 'web/systems'
export const loginLinksPath = 'web/login-links'
export const pushPath = `${EXT}push`

export const webhookPaths = {
  state: webhook,
  verify: `${webhook}/verify`,
  enable: `${webhook}/enable`,
  test: `${webhook}/test`,
} as const

export function votePath(poll: string, member: string): string {
  return `${api.polls.at(poll)}/votes/${member}`
}

/** Path of what is in a privacy bucket. */
export function contentsPath(bucket: string): string {
  return `${api.buckets.at(bucket)}/contents`
}

export function changeMembersPath(group: string, action: string): string {
  return `${groupPath(group)}/members/${action}`
}

export function archivedRowsPath<Row>(
  name: string,
  after: string,
  limit: number,
): Path<ArchivePage<Row>> {
  return `${api.archive.at(name)}?limit=${limit}&after=${after}`
}

export function originsPath(collection: string, after = ''): Path<OriginPage> {
  const query = new URLSearchParams({ app: 'simplyplural', collection, limit: '1000' })
  if (after !== '') query.set('after', after)
  return `${EXT_SYSTEM}/origins?${query}`
}

/** Path of the picture of a system or member, such as `members/…`. */
export function picturePath(owner: string): Path<{ readonly url: string }> {
  return `${EXT}${owner}/picture`
}

export function pictureFilePath(file: string): string {
  return `pictures/${file}`
}

/** Paths of what a friend shares. */
export function sharedPaths(friend: string) {
  const path = api.friends.at(friend)
  const members: Path<readonly SerializedMember[]> = `${path}/members`
  const groups: Path<readonly SerializedGroup[]> = `${path}/groups`
  const fields: Path<readonly CustomField[]> = `${path}/fields`
  const member = (uuid: string): Path<SerializedMember> => `${members}/${uuid}`
  return { members, groups, fields, member }
}

/** Paths of a system that anyone may read. */
export function publicPaths(id: string) {
  const path = `systems/${encodeURIComponent(id)}`
  const system: Path<System> = `v2/${path}`
  const members: Path<readonly SerializedMember[]> = `${EXT}${path}/members`
  const fields: Path<readonly CustomField[]> = `${EXT}${path}/fields`
  const groups: Path<readonly Group[]> = `${system}/groups?with_members=true`
  const front: Path<PublicFront> = `${EXT}${path}/front`
  const switches: Path<readonly PublicSwitch[]> = `${system}/switches`
  return { system, members, fields, groups, front, switches, stream: `${front}/stream` }
}
