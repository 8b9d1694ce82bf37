import { runWithToast } from '../actions'
import { requestOwn } from '../api'
import { Page } from '../components/page'
import { clearSession } from '../session'
import { isOffline } from '../store'
import { moreStrings, strings } from '../strings'

export function More() {
  const pages = [
    ['#/groups', strings.groups, moreStrings.groupsMore],
    ['#/privacy', strings.privacy, moreStrings.privacyMore],
    ['#/friends', strings.friends, moreStrings.friendsMore],
    ['#/import', strings.import, moreStrings.importMore],
    ['#/devices', strings.devices, moreStrings.devicesMore],
    ['#/appearance', strings.appearance, moreStrings.appearanceMore],
    ['#/system', strings.system, moreStrings.systemMore],
    ['docs', strings.apiPage, moreStrings.apiMore],
  ] as const
  const logOut = async () => {
    await requestOwn('web/session', { method: 'DELETE' }).catch(() => {})
    clearSession()
  }
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
      <button type="button" aria-disabled={isOffline.value} onClick={() => runWithToast(logOut)}>
        {strings.logOut}
      </button>
    </Page>
  )
}
