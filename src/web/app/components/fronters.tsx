import { parseInstant } from '../../../model/time'
import { formatter } from '../appearance'
import { now } from '../clock'
import type { PublicFront } from '../publicView'
import { publicViewStrings, strings } from '../strings'
import { Avatar, tint } from './avatar'

interface Props {
  front: PublicFront | null
  isBusy?: boolean
  heading?: 'h2' | 'h4'
}

/** Card of the fronters for friends and the public page. */
export function Fronters({ front, isBusy = false, heading: Heading = 'h2' }: Props) {
  const fronters = front?.fronters ?? []
  const hidden = front?.hidden ?? 0
  const since = parseInstant(front?.since ?? '') ?? now.value
  return (
    <section class="card here-now" aria-labelledby="here-now" aria-busy={isBusy} aria-live="polite">
      <div class="glows" aria-hidden="true">
        {fronters.slice(0, 4).map(({ member: { id, color } }) => (
          <span key={id} class="glow tinted" style={tint(color)} />
        ))}
      </div>
      <Heading id="here-now">{strings.hereNow}</Heading>
      {!isBusy && fronters.length + hidden === 0 && (
        <p>{front ? strings.nobody : strings.nothingYet}</p>
      )}
      <ul>
        {fronters.map(({ member, status }) => (
          <li class="someone" key={member.id}>
            <Avatar of={member} size="l" />
            <div class="about">
              <bdi class="name">{member.display_name || member.name}</bdi>{' '}
              {member.pronouns && <bdi class="pronouns">{member.pronouns}</bdi>}
              {status !== null && (
                <div>
                  <bdi>{status}</bdi>
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p>
          {fronters.length === 0
            ? publicViewStrings.onlyHidden(hidden)
            : publicViewStrings.someHidden(hidden)}
        </p>
      )}
      {fronters.length + hidden > 0 && (
        // The duration changes constantly and must not be announced each time.
        <p class="small" aria-live="off">
          {formatter.value.since(since, now.value)}
        </p>
      )}
    </section>
  )
}
