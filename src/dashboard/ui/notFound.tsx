import { memberWord } from '../core/store'
import { memberStrings } from '../texts/texts'
import { Page } from './page'

/** Page for an unknown or deleted member or group, with a link to the others. */
export function NotFound({ kind }: { kind: 'members' | 'groups' }) {
  const [message, linkText] =
    kind === 'members'
      ? [memberStrings.nobodyByThatId, memberStrings.toEveryone(memberWord.value)]
      : [memberStrings.noGroupByThatId, memberStrings.toGroups]
  return (
    <Page title={message}>
      <a class="beside" href={`#/${kind}`}>
        {linkText}
      </a>
    </Page>
  )
}
