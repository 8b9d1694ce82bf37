import { group } from '../../model/groups/group'
import { MAX_DESCRIPTION, member } from '../../model/members/member'
import { beginningOf } from '../../model/members/memberExt'
import { system } from '../../model/systems/system'
import { textOf } from '../repair'
import type { RecordType } from './recordType'
import {
  birthdayIn,
  birthdayOut,
  colorIn,
  colorOut,
  levelsIn,
  positionIn,
  timeIn,
  visibilityOut,
  wordsIn,
} from './values'

export const systemRecord: RecordType = {
  keys: [
    'name',
    'display_name',
    'description',
    'tag',
    'color',
    'avatar_asset_id',
    'banner_asset_id',
    'parent_system_id',
    'privacy',
  ],
  write: (row) => ({
    name: textOf(row.name) ?? row.id,
    display_name: null,
    description: row.description,
    tag: row.tag,
    color: colorOut(row.color),
    parent_system_id: null,
    archived: false,
    privacy: visibilityOut(row.privacy),
  }),
  read: (record, refs) => ({
    name: wordsIn(record.name) ?? wordsIn(record.display_name),
    description: textOf(record.description),
    tag: textOf(record.tag),
    color: colorIn(record.color),
    avatar_url: refs.picture(record.avatar_asset_id) ?? undefined,
    banner: refs.picture(record.banner_asset_id) ?? undefined,
    privacy: levelsIn(system, record.privacy),
  }),
}

export const memberRecord: RecordType = {
  keys: [
    'name',
    'display_name',
    'pronouns',
    'description',
    'birthday',
    'color',
    'avatar_asset_id',
    'banner_asset_id',
    'proxy_tags',
    'is_custom_front',
    'archived',
    'created_at',
    'privacy',
  ],
  write: (row) => ({
    name: row.name,
    display_name: row.display_name,
    pronouns: row.pronouns,
    description: row.description,
    birthday: birthdayOut(row.birthday),
    color: colorOut(row.color),
    proxy_tags: row.proxy_tags,
    created_at: row.created,
    privacy: visibilityOut(row.privacy),
  }),
  read: (record, refs) => {
    const description = textOf(record.description)
    return {
      name: wordsIn(record.name),
      display_name: wordsIn(record.display_name),
      pronouns: wordsIn(record.pronouns),
      description: description && beginningOf(description.toWellFormed()),
      birthday: birthdayIn(record.birthday),
      color: colorIn(record.color),
      avatar_url: refs.picture(record.avatar_asset_id) ?? undefined,
      banner: refs.picture(record.banner_asset_id) ?? undefined,
      proxy_tags: record.proxy_tags ?? undefined,
      created: textOf(record.created_at),
      privacy: levelsIn(member, record.privacy),
    }
  },
}

/** Fields that the extension API adds to a member, in the same record. */
export const memberExtRecord: RecordType = {
  keys: [],
  write: (row) => ({
    ...(typeof row.about === 'string' && { description: row.about }),
    is_custom_front: row.kind === 'custom_front',
    archived: typeof row.archived_at === 'string',
  }),
  read: (record) => {
    const description = textOf(record.description)
    const isLong = description !== undefined && description.length > MAX_DESCRIPTION
    return {
      kind: record.is_custom_front === true ? 'custom_front' : undefined,
      // The file does not say when a member was archived.
      archived_at: record.archived === true ? timeIn(record.created_at, LONG_AGO) : undefined,
      about: isLong ? description : undefined,
    }
  },
}

const LONG_AGO = '1970-01-01T00:00:00.000001Z'

export const groupRecord: RecordType = {
  keys: ['name', 'description', 'color', 'emoji', 'parent_group_id', 'sort_order', 'privacy'],
  write: (row) => ({
    name: row.name,
    description: row.description,
    color: colorOut(row.color),
    privacy: visibilityOut(row.privacy),
  }),
  read: (record) => ({
    name: wordsIn(record.name),
    description: textOf(record.description),
    color: colorIn(record.color),
    privacy: levelsIn(group, record.privacy),
  }),
}

export const groupExtRecord: RecordType = {
  keys: [],
  write: (row) => ({
    emoji: row.emoji,
    parent_group_id: row.parent,
    sort_order: row.position,
  }),
  read: (record, refs) => ({
    parent: refs.group(record.parent_group_id) ?? undefined,
    emoji: textOf(record.emoji),
    position: positionIn(record.sort_order),
  }),
}

export const noteRecord: RecordType = {
  keys: [
    'member_id',
    'title',
    'body',
    'created_at',
    'updated_at',
    'entry_date',
    'color',
    'pinned',
    'visibility',
  ],
  write: (row) => ({
    member_id: row.member,
    title: row.title,
    body: row.text ?? '',
    created_at: row.created ?? row.date,
    updated_at: row.edited,
    entry_date: typeof row.date === 'string' ? row.date.slice(0, 10) : null,
    author_member_ids: [],
    color: colorOut(row.color),
    visibility: 'private',
    pinned: row.pinned,
  }),
  read: (record, refs) => ({
    member: refs.writer(record.member_id) ?? undefined,
    title: wordsIn(record.title),
    text: textOf(record.body),
    color: colorIn(record.color),
    date: timeIn(dayIn(record.entry_date), record.created_at),
    pinned: record.pinned === true,
    created: textOf(record.created_at),
    edited: textOf(record.updated_at),
  }),
}

/** Converts a day to its first moment; a time stays as it is. */
function dayIn(value: unknown): string | undefined {
  const text = textOf(value)?.trim()
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
}

export const commentRecord: RecordType = {
  keys: [
    'front_period_id',
    'front_event_id',
    'target_time',
    'author_member_id',
    'body',
    'created_at',
    'edited_at',
  ],
  write: (row) => ({
    front_period_id: null,
    front_event_id: null,
    target_time: row.at,
    author_member_id: row.by,
    body: row.text ?? '',
    created_at: row.created ?? row.at,
    edited_at: row.edited,
  }),
  read: (record, refs) => ({
    kind: 'comment',
    at: timeIn(record.target_time, record.created_at),
    text: textOf(record.body),
    by: refs.writer(record.author_member_id) ?? undefined,
    created: textOf(record.created_at),
    edited: textOf(record.edited_at),
  }),
}

export const roomRecord: RecordType = {
  keys: ['kind', 'title', 'category', 'description', 'access', 'sort_order'],
  write: (row) => ({
    kind: 'internal_chat',
    title: row.name,
    category: row.category,
    description: row.about,
    access: { kind: 'all_members' },
    archived: false,
    sort_order: row.position,
  }),
  read: (record) => ({
    name: wordsIn(record.title),
    about: textOf(record.description),
    category: wordsIn(record.category),
    position: positionIn(record.sort_order),
  }),
}

export const messageRecord: RecordType = {
  keys: [
    'conversation_id',
    'author_member_id',
    'kind',
    'body',
    'created_at',
    'edited_at',
    'reply_to_message_id',
  ],
  write: (row) => ({
    conversation_id: row.room,
    author_member_id: row.by,
    kind: row.reply_to === null ? 'text' : 'reply',
    body: row.text,
    created_at: row.written,
    edited_at: row.edited,
    reply_to_message_id: row.reply_to,
  }),
  read: (record, refs) => ({
    room: refs.room(record.conversation_id) ?? undefined,
    by: refs.writer(record.author_member_id) ?? undefined,
    text: textOf(record.body),
    written: textOf(record.created_at),
    edited: textOf(record.edited_at),
    reply_to: refs.message(record.reply_to_message_id) ?? undefined,
  }),
}

export const boardPostRecord: RecordType = {
  keys: [
    'target_member_id',
    'author_member_id',
    'title',
    'body',
    'audience',
    'created_at',
    'written_at',
    'edited_at',
  ],
  write: (row) => ({
    target_member_id: row.for,
    author_member_id: row.by,
    title: row.title,
    body: row.text,
    audience: 'private',
    pinned: false,
    created_at: row.written,
    written_at: row.written,
    edited_at: row.edited,
    deleted_at: null,
  }),
  read: (record, refs) => ({
    for: refs.member(record.target_member_id) ?? undefined,
    by: refs.writer(record.author_member_id) ?? undefined,
    title: wordsIn(record.title),
    text: textOf(record.body),
    written: timeIn(record.written_at, record.created_at),
    edited: textOf(record.edited_at),
  }),
}
