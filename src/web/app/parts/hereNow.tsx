import type { RefObject } from 'preact'
import { sinceWhen } from '../history'
import { spell } from '../look'
import { front, isAway, membersById, nameOf, switches } from '../store'
import { now } from '../ticking'
import { spellLength } from '../time'
import { words } from '../words'
import { Face, tint } from './face'
import { Icon } from './icon'

interface Props {
  heading: RefObject<HTMLHeadingElement | null>
  /** Those who stay when one steps back. */
  onStay: (ids: readonly string[]) => void
}

/** The card of who is here, washed in their colours. */
export function HereNow({ heading, onStay }: Props) {
  const here = front.value?.members ?? []
  const began = sinceWhen(switches.value)
  return (
    <section class="card here-now" aria-labelledby="here-now">
      <div class="glows" aria-hidden="true">
        {here.slice(0, 4).map((id) => (
          <span key={id} class="glow tinted" style={tint(membersById.value.get(id)?.color)} />
        ))}
      </div>
      <h2 id="here-now" ref={heading} tabIndex={-1}>
        {words.hereNow}
      </h2>
      {here.length === 0 && <p>{front.value ? words.nobody : words.nothingYet}</p>}
      <ul>
        {here.map((id) => {
          const member = membersById.value.get(id)
          const since = began.get(id) ?? now.value
          return (
            <li key={id} class="someone">
              <Face of={member} size="l" />
              <div class="about">
                <span class="name">{nameOf(id)}</span>{' '}
                {member?.pronouns && <span class="pronouns">{member.pronouns}</span>}
                <div class="small">
                  {words.hereSince(
                    spell.value.moment(since, now.value),
                    spellLength(now.value - since),
                  )}
                </div>
              </div>
              {here.length > 1 && (
                <button
                  type="button"
                  class="round"
                  aria-label={words.stepsBack(nameOf(id))}
                  title={words.stepsBack(nameOf(id))}
                  aria-disabled={isAway.value}
                  onClick={() => onStay(here.filter((other) => other !== id))}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
