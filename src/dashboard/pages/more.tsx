import { sessionPath } from '../api/paths'
import { preferences } from '../core/store'
import { useLogOut } from '../features/access/useLogOut'
import { archiveStrings, fieldStrings, moreStrings, reminderStrings, strings } from '../texts/texts'
import { Page } from '../ui/page'
import { ProblemText } from '../ui/problemText'

export function More() {
  const pages = [
    ['#/groups', strings.groups, moreStrings.groupsMore],
    ['#/notes', strings.notes, moreStrings.notesMore],
    ['#/chat', strings.chat, moreStrings.chatMore],
    ['#/reminders', strings.reminders, reminderStrings.more],
    ['#/fields', strings.fields, fieldStrings.more],
    ['#/privacy', strings.privacy, moreStrings.privacyMore],
    ['#/friends', strings.friends, moreStrings.friendsMore],
    ['#/import', strings.import, moreStrings.importMore],
    ...(preferences.value.archive
      ? [['#/archive', strings.archivedData, archiveStrings.more] as const]
      : []),
    ['#/devices', strings.devices, moreStrings.devicesMore],
    ['#/appearance', strings.appearance, moreStrings.appearanceMore],
    ['#/system', strings.system, moreStrings.systemMore],
    ['docs', moreStrings.apiPage, moreStrings.apiMore],
  ] as const
  const { logOut, question, problem, isBusy } = useLogOut()
  return (
    <Page title={strings.more}>
      <ul class="card things">
        {pages.map(([href, title, about]) => (
          <li key={href}>
            <a href={href}>
              <b>{title}</b>
              <br />
              <span class="quiet small">{about}</span>
            </a>
          </li>
        ))}
      </ul>
      <ProblemText text={problem} />
      <button
        type="button"
        aria-busy={isBusy || undefined}
        onClick={() => logOut({ path: sessionPath })}
      >
        {problem === '' ? strings.logOut : strings.tryAgain}
      </button>
      {question}
    </Page>
  )
}
