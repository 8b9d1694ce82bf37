import { askOwn } from '../client'
import { leaveHome } from '../home'
import { Page } from '../parts/page'
import { isAway } from '../store'
import { words } from '../words'

export function More() {
  const places = [
    ['#/groups', words.groups, words.groupsMore],
    ['#/privacy', words.privacy, words.privacyMore],
    ['#/friends', words.friends, words.friendsMore],
    ['#/import', words.import, words.importMore],
    ['#/devices', words.devices, words.devicesMore],
    ['#/look', words.look, words.lookMore],
    ['#/system', words.system, words.systemMore],
    ['docs', words.apiPage, words.apiMore],
  ] as const
  const logOut = async () => {
    await askOwn('web/session', { method: 'DELETE' }).catch(() => {})
    leaveHome()
  }
  return (
    <Page place={words.more}>
      <ul class="card things">
        {places.map(([href, title, about]) => (
          <li key={href}>
            <a href={href}>
              <b>{title}</b>
              <br />
              <span class="quiet small">{about}</span>
            </a>
          </li>
        ))}
      </ul>
      <button type="button" aria-disabled={isAway.value} onClick={() => isAway.value || logOut()}>
        {words.logOut}
      </button>
    </Page>
  )
}
