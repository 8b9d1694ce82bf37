import type { RefObject } from 'preact'
import { formatter } from '../../core/appearance'
import { type FrontNoteDraft, frontNoteDraft } from '../../core/drafts'
import { sinceWhen } from '../../core/history'
import { canLog, front, frontStatuses, membersById, nameOf, switches } from '../../core/store'
import { now } from '../../lib/clock'
import { strings } from '../../texts/texts'
import { Avatar, tint } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { lazy } from '../../ui/lazy'
import { ZoneNote } from '../../ui/zoneNote'

interface Props {
  heading: RefObject<HTMLHeadingElement | null>
  /** Called with the remaining fronters when one is removed. */
  onStay: (ids: readonly string[]) => void
}

const LazyFrontNoteSheet = lazy(async () => (await import('./nowParts')).FrontNoteSheet)

function write(draft: FrontNoteDraft): void {
  frontNoteDraft.value = draft
}

/** Card of the current fronters, tinted in their colours. */
export function CurrentFronters({ heading, onStay }: Props) {
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
        {strings.hereNow}
      </h2>
      {here.length === 0 && <p>{front.value ? strings.nobody : strings.nothingYet}</p>}
      <ZoneNote />
      <ul>
        {here.map((id) => {
          const member = membersById.value.get(id)
          const status = frontStatuses.value.get(id) ?? ''
          const since = began.get(id) ?? now.value
          return (
            <li key={id} class="someone">
              <Avatar of={member} size="l" />
              <div class="about">
                <bdi class="name">{nameOf(id)}</bdi>{' '}
                {member?.pronouns && <bdi class="pronouns">{member.pronouns}</bdi>}
                <div class="small">{formatter.value.since(since, now.value)}</div>
                <button
                  type="button"
                  class="plain small"
                  aria-label={strings.statusOf(nameOf(id), status || strings.setStatus)}
                  onClick={() => write({ kind: 'status', member: id, text: status })}
                >
                  <bdi>{status || strings.setStatus}</bdi>
                </button>
              </div>
              {here.length > 1 && (
                <button
                  type="button"
                  class="round"
                  aria-label={strings.stepsBack(nameOf(id))}
                  title={strings.stepsBack(nameOf(id))}
                  aria-disabled={!canLog.value}
                  onClick={() => onStay(here.filter((other) => other !== id))}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          )
        })}
      </ul>
      <button type="button" class="plain" onClick={() => write({ kind: 'comment', text: '' })}>
        {strings.addComment}
      </button>
      {frontNoteDraft.value && <LazyFrontNoteSheet draft={frontNoteDraft.value} />}
    </section>
  )
}
