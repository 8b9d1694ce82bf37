import { parseInstant } from '../../../model/core/time'
import type { CustomField, Member, SerializedMember } from '../../api/types'
import { formatter } from '../../core/appearance'
import { memberStrings, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Markdown } from '../../ui/markdown'
import { CopyId, Fact, ProxyTags } from '../../ui/profile'
import { Sheet } from '../../ui/sheet'
import { FieldValues } from './memberFields'
import { descriptionOf, useWholeMember } from './useMemberData'

interface Props {
  member: Member
  /** Public custom fields of the system. */
  fields: readonly CustomField[]
  load: (uuid: string, signal: AbortSignal) => Promise<SerializedMember | null>
  onClose: () => void
}

export function PublicMemberSheet({ member: listed, fields, load, onClose }: Props) {
  const member = useWholeMember(listed, load, listed.ext?.about_excerpt).member ?? listed
  const { pronouns, birthday, proxy_tags, message_count } = member
  const description = descriptionOf(member)
  const created = parseInstant(member.created ?? '')
  return (
    <Sheet heading={member.display_name || member.name} onClose={onClose}>
      <div class="someone">
        <Avatar of={member} size="l" />
        {pronouns && (
          <p>
            <bdi>{pronouns}</bdi>
          </p>
        )}
      </div>
      {description && <Markdown text={description} />}
      <FieldValues member={member} fields={fields} />
      <dl class="facts">
        {birthday && (
          <Fact name={memberStrings.birthday}>{formatter.value.birthday(birthday)}</Fact>
        )}
        {proxy_tags.length > 0 && (
          <Fact name={memberStrings.tags}>
            <ProxyTags tags={proxy_tags} />
          </Fact>
        )}
        {message_count > 0 && (
          <Fact name={memberStrings.messages}>{strings.number(message_count)}</Fact>
        )}
        {created !== null && (
          <Fact name={memberStrings.addedOn}>{formatter.value.date(created)}</Fact>
        )}
        <CopyId id={member.id} />
      </dl>
    </Sheet>
  )
}
