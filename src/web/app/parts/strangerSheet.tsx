import { parseInstant } from '../../../model/time'
import { spell } from '../look'
import type { Member } from '../things'
import { spellBirthday } from '../time'
import { peopleWords } from '../words/people'
import { Face } from './face'
import { Markdown } from './markdown'
import { CopyId, Fact, ProxyTags } from './profile'
import { Sheet } from './sheet'

/** What anybody sees of somebody. */
export function StrangerSheet({ member, onClose }: { member: Member; onClose: () => void }) {
  const { pronouns, description, birthday, proxy_tags, message_count } = member
  const made = parseInstant(member.created ?? '')
  return (
    <Sheet heading={member.display_name || member.name} onClose={onClose}>
      <div class="someone">
        <Face of={member} size="l" />
        {pronouns && <p>{pronouns}</p>}
      </div>
      {description && <Markdown text={description} />}
      <dl class="facts">
        {birthday && <Fact name={peopleWords.birthday}>{spellBirthday(birthday)}</Fact>}
        {proxy_tags.length > 0 && (
          <Fact name={peopleWords.tags}>
            <ProxyTags tags={proxy_tags} />
          </Fact>
        )}
        {message_count > 0 && (
          <Fact name={peopleWords.messages}>{message_count.toLocaleString()}</Fact>
        )}
        {made !== null && <Fact name={peopleWords.made}>{spell.value.date(made)}</Fact>}
        <CopyId id={member.id} />
      </dl>
    </Sheet>
  )
}
