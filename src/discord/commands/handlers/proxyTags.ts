import { Problem, type ProxyTag } from '../../../model/core/validation'
import { member as memberEntity } from '../../../model/members/member'
import { patchMember } from '../../../service/members/members'
import { escapeMarkdown } from '../../messages/escape'
import type { Texts } from '../../text/texts'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import { formatNames, formatTag } from '../cards/cards'
import type { Handler } from '../command'
import type { Context } from '../context'
import { isPrivate, mayNamePrivate, viewerAt } from '../ownSystem'
import { resolveMember, resolveOwnMember } from '../references'
import { Refusal } from '../refusal'
import { type MemberView, viewMember, viewMembers } from '../views'

/** Shows the proxy tags of a member, or removes them with `-clear`. */
export const showTags: Handler = async (context, args) => {
  const { values, flags } = args
  if (flags.has('clear')) return changeTags('clear')(context, args)
  const { id, own } = await resolveMember(context, values.member ?? '', { flags })
  const viewer = await viewerAt(context, own, flags)
  const member = await viewMember(context, viewer, id)
  return { content: tagsText(context, member.name, member.proxy_tags) }
}

/** Changes the proxy tags of a member. Tags that other members have are named, and confirmed. */
export function changeTags(action: 'set' | 'add' | 'remove' | 'clear'): Handler {
  return async (context, { values, flags }) => {
    const { texts, deps } = context
    const { id, own } = await resolveOwnMember(context, values.member ?? '', { flags })
    const members = await viewMembers(context, own.viewer, '@me')
    const member = members.find((member) => member.id === id)
    if (!member) throw new Refusal(texts.memberGone)
    const write = async (proxy_tags: ProxyTag[]): Promise<Answer> => {
      const parsed = memberEntity.fields.proxy_tags.parse(proxy_tags)
      if (parsed instanceof Problem)
        throw new Refusal(texts.invalidValue(texts.labels.proxyTags, parsed))
      await patchMember(deps, own.viewer, id, { proxy_tags: parsed })
      return { content: texts.tagsChanged(tagsText(context, member.name, parsed)) }
    }
    const isSure = flags.has('y')
    const before = [...member.proxy_tags]
    if (action === 'clear') {
      if (isSure || before.length < 2) return write([])
      return confirm(context, texts.confirmClearTags(escapeMarkdown(member.name)), () => write([]))
    }
    const tag = parseTag(texts, values.tags ?? '')
    if (typeof tag === 'string') throw new Refusal(tag)
    const hasTag = before.some((other) => isSame(tag, other))
    if (action === 'remove') {
      if (!hasTag) throw new Refusal(texts.hasNoSuchTag(formatTag(tag)))
      return write(before.filter((other) => !isSame(tag, other)))
    }
    if (action === 'add' && hasTag) throw new Refusal(texts.hasTag(formatTag(tag)))
    const after = action === 'set' ? [tag] : [...before, tag]
    const lost = action === 'set' && before.length > 1 ? before : []
    const questions = [
      ...conflictsOf(
        texts,
        members.filter((other) => other.id !== id),
        tag,
        mayNamePrivate(context, own, flags),
      ),
      ...(lost.length > 0 ? [texts.confirmReplaceTags(lost.map(formatTag).join(', '))] : []),
    ]
    if (isSure || questions.length === 0) return write(after)
    return confirm(context, questions.join('\n'), () => write(after))
  }
}

/** Asks about members that have the same tag. */
export function conflictsOf(
  texts: Texts,
  members: readonly MemberView[],
  tag: ProxyTag,
  mayName: boolean,
): readonly string[] {
  const rivals = members.filter(({ proxy_tags }) =>
    proxy_tags.some((rivalTag) => isSame(rivalTag, tag)),
  )
  const names = formatNames(
    rivals.map((member) => (mayName || !isPrivate(member) ? member.name : texts.hiddenMember)),
  )
  return rivals.length === 0 ? [] : [texts.confirmTagConflict(formatTag(tag), names)]
}

/** Parses an example such as `[text]`: the texts around the word `text`, or the reason against it. */
export function parseTag(texts: Texts, example: string): ProxyTag | string {
  const parts = example.split(/text/i)
  const [prefix = '', suffix = ''] = parts
  if (parts.length !== 2) return texts.tagNeedsText
  if (prefix === '' && suffix === '') return texts.tagEmpty
  return { prefix: prefix || null, suffix: suffix || null }
}

function isSame(tag: ProxyTag, other: ProxyTag): boolean {
  return tag.prefix === other.prefix && tag.suffix === other.suffix
}

function tagsText({ texts }: Context, name: string, tags: readonly ProxyTag[]): string {
  const shown = tags.map((tag) => formatTag(tag)).join(', ')
  return tags.length === 0
    ? texts.noTags(escapeMarkdown(name))
    : texts.tagsAre(escapeMarkdown(name), shown)
}
