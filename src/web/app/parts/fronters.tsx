import { parseInstant } from '../../../model/time'
import { spell } from '../look'
import type { ShownFront } from '../outside'
import { now } from '../ticking'
import { spellLength } from '../time'
import { words } from '../words'
import { Face, tint } from './face'

interface Props {
  front: ShownFront | null
  isBusy?: boolean
  heading?: 'h2' | 'h4'
}

/** The card of who is here, for those who look from outside. */
export function Fronters({ front, isBusy = false, heading: Heading = 'h2' }: Props) {
  const members = front?.members ?? []
  const hidden = front?.hidden ?? 0
  const since = parseInstant(front?.timestamp ?? '') ?? now.value
  return (
    <section class="card here-now" aria-labelledby="here-now" aria-busy={isBusy} aria-live="polite">
      <div class="glows" aria-hidden="true">
        {members.slice(0, 4).map(({ id, color }) => (
          <span key={id} class="glow tinted" style={tint(color)} />
        ))}
      </div>
      <Heading id="here-now">{words.hereNow}</Heading>
      {!isBusy && members.length + hidden === 0 && <p>{front ? words.nobody : words.nothingYet}</p>}
      <ul>
        {members.map((member) => (
          <li class="someone" key={member.id}>
            <Face of={member} size="l" />
            <div class="about">
              <span class="name">{member.display_name || member.name}</span>{' '}
              {member.pronouns && <span class="pronouns">{member.pronouns}</span>}
            </div>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p>{members.length === 0 ? words.onlyHidden(hidden) : words.someHidden(hidden)}</p>
      )}
      {members.length + hidden > 0 && (
        // It moves on by itself, and is not said again each time.
        <p class="small" aria-live="off">
          {words.hereSince(spell.value.moment(since, now.value), spellLength(now.value - since))}
        </p>
      )}
    </section>
  )
}
