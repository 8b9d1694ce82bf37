import { runWithToast } from '../actions'
import { requestOwn } from '../api'
import { Page } from '../components/page'
import { clearSession } from '../session'
import { isOffline } from '../store'
import { strings } from '../strings'

export function More() {
  const pages = [
    ['#/groups', strings.groups, strings.groupsMore],
    ['#/privacy', strings.privacy, strings.privacyMore],
    ['#/friends', strings.friends, strings.friendsMore],
    ['#/import', strings.import, strings.importMore],
    ['#/devices', strings.devices, strings.devicesMore],
    ['#/look', strings.appearance, strings.appearanceMore],
    ['#/system', strings.system, strings.systemMore],
    ['docs', strings.apiPage, strings.apiMore],
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
