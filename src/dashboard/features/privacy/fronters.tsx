import { parseInstant } from '../../../model/core/time'
import type { PublicFront } from '../../api/types'
import { formatter } from '../../core/appearance'
import { now } from '../../lib/clock'
import { publicViewStrings, strings } from '../../texts/texts'
import { Avatar, tint } from '../../ui/avatar'

interface Props {
  /** A friend gets no time of the front, but one of each fronter. */
  front: (Omit<PublicFront, 'since'> & { readonly since?: string }) | null
  isBusy?: boolean
  /** Text when no one is here. */
  nobody?: string
  heading?: 'h2' | 'h4'
}

/** Card of the fronters for friends and the public page. */
export function Fronters({ front, isBusy = false, nobody, heading: Heading = 'h2' }: Props) {
  const fronters = front?.fronters ?? []
  const hidden = front?.hidden ?? 0
  const since = parseInstant(front?.since ?? '')
  return (
    <section class="card here-now" aria-labelledby="here-now" aria-busy={isBusy} aria-live="polite">
      <div class="glows" aria-hidden="true">
        {fronters.slice(0, 4).map(({ member: { id, color } }) => (
          <span key={id} class="glow tinted" style={tint(color)} />
        ))}
      </div>
      <Heading id="here-now">{strings.hereNow}</Heading>
      {!isBusy && fronters.length + hidden === 0 && (
        <p>{nobody ?? (front ? strings.nobody : strings.nothingYet)}</p>
      )}
      <ul>
        {fronters.map(({ member, status, since: start }) => (
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
              {since === null && start !== undefined && (
                <div class="small" aria-live="off">
                  {formatter.value.since(parseInstant(start) ?? now.value, now.value)}
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
      {since !== null && fronters.length + hidden > 0 && (
        // The duration changes constantly and must not be announced each time.
        <p class="small" aria-live="off">
          {formatter.value.since(since, now.value)}
        </p>
      )}
    </section>
  )
}
