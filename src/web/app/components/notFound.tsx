import { memberStrings } from '../strings/member'
import { Page } from './page'

const texts = {
  members: [memberStrings.nobodyByThatId, memberStrings.toEveryone],
  groups: [memberStrings.noGroupByThatId, memberStrings.toGroups],
} as const

/** Page for an unknown or deleted member or group, with a link to the others. */
export function NotFound({ kind }: { kind: keyof typeof texts }) {
  const [message, linkText] = texts[kind]
  return (
    <Page title={message}>
      <a class="beside" href={`#/${kind}`}>
        {linkText}
      </a>
    </Page>
  )
}
