import type { ProxyTag } from '../../../model/core/validation'
import type { MemberGuild, SystemGuild } from '../../../model/proxy/guild'
import { escapeMarkdown, escapeMaskedLinks, formatCodeSpan } from '../../messages/escape'
import type { Texts } from '../../text/texts'
import type { Embed } from '../answer'
import type { GroupView, MemberView, SystemView } from '../views'
import { buildEmbed, formatTime } from './embed'
import { formatShortId, type IdStyle } from './formatShortId'

/** Parts of a card that are not in the object itself. */
interface Style {
  readonly texts: Texts
  readonly ids: IdStyle
  /** Page of the dashboard about the object; null if there is none. */
  readonly link: string | null
}

export function systemCard(
  system: SystemView,
  {
    texts,
    ids,
    link,
    fronters,
    accounts,
    memberCount,
    inGuild,
  }: Style & {
    fronters: readonly string[] | null
    accounts: readonly string[]
    memberCount: number | null
    /** Settings of the guild where the card is shown, to its owner. */
    inGuild: Pick<SystemGuild, 'display_name' | 'tag' | 'tag_enabled' | 'avatar_url'> | null
  },
): Embed {
  const { labels } = texts
  return buildEmbed({
    title: system.name ?? texts.unnamedSystem,
    link,
    color: system.color,
    description: system.description && escapeMaskedLinks(system.description),
    picture: system.avatar_url,
    banner: system.banner,
    fields: [
      { name: labels.fronters, value: fronters && formatNames(fronters), isInline: true },
      { name: labels.tag, value: system.tag && escapeMarkdown(system.tag), isInline: true },
      { name: labels.serverName, value: escaped(inGuild?.display_name ?? null), isInline: true },
      {
        name: labels.serverTag,
        value: inGuild?.tag_enabled === false ? texts.isHidden : escaped(inGuild?.tag ?? null),
        isInline: true,
      },
      { name: labels.serverAvatar, value: address(inGuild?.avatar_url), isInline: true },
      { name: labels.pronouns, value: escaped(system.pronouns), isInline: true },
      { name: labels.color, value: system.color && `#${system.color}`, isInline: true },
      { name: labels.accounts, value: accounts.map((id) => `<@${id}>`).join('\n'), isInline: true },
      { name: labels.members, value: memberCount?.toString(), isInline: true },
      { name: labels.created, value: formatTime(system.created), isInline: true },
    ],
    footer: texts.systemId(formatShortId(system.id, ids)),
  })
}

export function memberCard(
  member: MemberView,
  {
    texts,
    ids,
    link,
    groups,
    inGuild,
    system,
  }: Style & {
    groups: readonly string[]
    /** Settings of the guild where the card is shown, to its owner. */
    inGuild: Pick<MemberGuild, 'display_name' | 'avatar_url'> | null
    system: Pick<SystemView, 'id' | 'name'>
  },
): Embed {
  const { labels } = texts
  return buildEmbed({
    title: titleOf(member.name, system),
    link,
    color: member.color,
    description: member.description && escapeMaskedLinks(member.description),
    picture: member.avatar_url,
    banner: member.banner,
    fields: [
      { name: labels.displayName, value: escaped(member.display_name), isInline: true },
      { name: labels.serverName, value: escaped(inGuild?.display_name ?? null), isInline: true },
      { name: labels.serverAvatar, value: address(inGuild?.avatar_url), isInline: true },
      { name: labels.pronouns, value: escaped(member.pronouns), isInline: true },
      { name: labels.birthday, value: formatBirthday(member.birthday), isInline: true },
      { name: labels.color, value: member.color && `#${member.color}`, isInline: true },
      { name: labels.messageCount, value: member.message_count?.toString(), isInline: true },
      {
        name: labels.proxyTags,
        value: member.proxy_tags.map((tag) => formatTag(tag)).join('\n'),
        isInline: true,
      },
      { name: labels.groups, value: formatNames(groups), isInline: true },
      {
        name: labels.lastMessage,
        value: formatTime(member.last_message_timestamp),
        isInline: true,
      },
      { name: labels.created, value: formatTime(member.created), isInline: true },
    ],
    footer: footerOf(texts, ids, system, texts.memberId(formatShortId(member.id, ids)), member),
  })
}

export function groupCard(
  group: GroupView,
  {
    texts,
    ids,
    link,
    memberCount,
    system,
  }: Style & { memberCount: number | null; system: Pick<SystemView, 'id' | 'name'> },
): Embed {
  const { labels } = texts
  return buildEmbed({
    title: titleOf(group.name, system),
    link,
    color: group.color,
    description: group.description && escapeMaskedLinks(group.description),
    picture: group.icon,
    banner: group.banner,
    fields: [
      { name: labels.displayName, value: escaped(group.display_name), isInline: true },
      { name: labels.color, value: group.color && `#${group.color}`, isInline: true },
      { name: labels.members, value: memberCount?.toString(), isInline: true },
      { name: labels.created, value: formatTime(group.created), isInline: true },
    ],
    footer: footerOf(texts, ids, system, texts.groupId(formatShortId(group.id, ids)), group),
  })
}

/** Names an object with its system, if the viewer may see the name of the system. */
function titleOf(name: string, system: Pick<SystemView, 'name'>): string {
  return system.name === null ? name : `${name} (${system.name})`
}

function footerOf(
  texts: Texts,
  ids: IdStyle,
  system: Pick<SystemView, 'id'>,
  id: string,
  { privacy }: Pick<MemberView, 'privacy'>,
): string {
  return [
    texts.systemId(formatShortId(system.id, ids)),
    id,
    ...(privacy?.visibility === 'private' ? [texts.isPrivate] : []),
  ].join(' · ')
}

function address(url: string | null | undefined): string | null {
  return url ? `<${url}>` : null
}

/** Formats a proxy tag around the word `text`, so that a reader sees how it is used. */
export function formatTag({ prefix, suffix }: ProxyTag): string {
  return formatCodeSpan(`${prefix ?? ''}text${suffix ?? ''}`)
}

/** Formats a birthday; the year 4 means that the year is unknown. */
export function formatBirthday(birthday: string | null): string | null {
  if (birthday === null) return null
  const date = new Date(`${birthday}T00:00:00Z`)
  const hasYear = !birthday.startsWith('0004-')
  return new Intl.DateTimeFormat('en', {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
    ...(hasYear && { year: 'numeric' as const }),
  }).format(date)
}

/** Formats names that people chose as a list. */
export function formatNames(names: readonly string[]): string {
  return names.map((name) => escapeMarkdown(name)).join(', ')
}

function escaped(text: string | null): string | null {
  return text === null ? null : escapeMarkdown(text)
}
