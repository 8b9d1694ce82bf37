import { useState } from 'preact/hooks'
import { token, validateToken } from '../../../model/access/token'
import { DAY, formatInstant, type Instant } from '../../../model/core/time'
import { Problem } from '../../../model/core/validation'
import { ApiError, errorMessage, problemMessage } from '../../api/client'
import { api } from '../../api/resources'
import { createDraft } from '../../core/drafts'
import { isOffline, memberWord, zone } from '../../core/store'
import { useAction } from '../../core/useAction'
import { instantOf, nowInstant } from '../../lib/time'
import { friendStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { ProblemText } from '../../ui/problemText'

const ends = ['never', 'day', 'week', 'month', 'own'] as const
type End = (typeof ends)[number]

const lengths: Partial<Record<End, number>> = { day: DAY, week: 7 * DAY, month: 30 * DAY }

interface LinkDraft {
  readonly name: string
  readonly isPrivateNamed: boolean
  readonly end: End
  readonly lastDay: string
}

const emptyDraft: LinkDraft = { name: '', isPrivateNamed: false, end: 'never', lastDay: '' }
const draft = createDraft<LinkDraft>(emptyDraft)

export interface CreatedLink {
  readonly name: string
  readonly token: string
}

/** Creates a friend link: name, visibility of private members, expiry. */
export function LinkForm({ onCreated }: { onCreated: (created: CreatedLink) => void }) {
  const [problems, setProblems] = useState({ name: '', expires: '' })
  const { onSubmit, problem } = useAction()
  const word = memberWord.value
  const { isPrivateNamed, end, lastDay, name } = draft.value
  const change = (patch: Partial<LinkDraft>) => {
    draft.value = { ...draft.value, ...patch }
  }

  const create = async () => {
    const expires = endOf(draft.value, nowInstant(), zone.value)
    const found = problemsOf(draft.value, expires)
    setProblems(found)
    if (found.name !== '' || found.expires !== '') return
    const body = {
      name: name.trim(),
      scope: 'watch',
      private_members: isPrivateNamed,
      expires: typeof expires === 'number' ? formatInstant(expires) : null,
    }
    try {
      const created = await api.tokens.create(body)
      draft.value = emptyDraft
      if (created) onCreated(created)
    } catch (cause) {
      const isTaken = cause instanceof ApiError && cause.status === 409
      if (!isTaken) throw cause
      setProblems({ name: errorMessage(cause), expires: '' })
    }
  }

  return (
    <form class="card" onSubmit={onSubmit(create)} noValidate>
      <h3>{friendStrings.newLink}</h3>
      <div class="field">
        <label for="link-name">{strings.name}</label>
        <input
          id="link-name"
          autocomplete="off"
          value={name}
          maxLength={token.fields.name.max}
          aria-invalid={problems.name !== ''}
          aria-describedby="link-hint link-problem"
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
        <p id="link-hint" class="quiet small">
          {friendStrings.whoFor}
        </p>
        <ProblemText id="link-problem" text={problems.name} />
      </div>
      <ChipGroup
        legend={friendStrings.privateOnes(word)}
        options={[
          [false, friendStrings.showCount],
          [true, friendStrings.showNames],
        ]}
        value={isPrivateNamed}
        onChange={(value) => change({ isPrivateNamed: value })}
      >
        <p class="quiet small">
          {isPrivateNamed ? friendStrings.namesMore(word) : friendStrings.countMore(word)}
        </p>
      </ChipGroup>
      <ChipGroup
        legend={friendStrings.until}
        options={ends.map((one) => [one, friendStrings.ends[one]])}
        value={end}
        onChange={(value) => change({ end: value })}
      >
        {end === 'own' && (
          <label class="field">
            {friendStrings.lastDay}
            <input
              type="date"
              value={lastDay}
              aria-invalid={problems.expires !== ''}
              aria-describedby="end-problem"
              onInput={(event) => change({ lastDay: event.currentTarget.value })}
            />
          </label>
        )}
        <ProblemText id="end-problem" text={problems.expires} />
      </ChipGroup>
      <ProblemText text={problem} />
      <button type="submit" class="main" aria-disabled={isOffline.value}>
        {friendStrings.add}
      </button>
    </form>
  )
}

/** Returns null for no expiry and undefined if no day was chosen. */
function endOf(
  { end, lastDay }: LinkDraft,
  now: Instant,
  zone: string,
): Instant | null | undefined {
  const length = lengths[end]
  if (length !== undefined) return now + length
  if (end === 'never') return null
  return instantOf(lastDay, '23:59:59', zone) ?? undefined
}

/** Validates with the field table before anything is sent. */
function problemsOf({ name, isPrivateNamed }: LinkDraft, expires: Instant | null | undefined) {
  const checked = token.fields.name.parse(name.trim())
  const problems = validateToken(
    {
      name: name.trim(),
      scope: 'watch',
      private_members: isPrivateNamed,
      expires: expires ?? null,
    },
    nowInstant(),
  )
  const messageOf = (found: unknown) => (found instanceof Problem ? problemMessage(found) : '')
  return {
    name: messageOf(checked) || messageOf(problems.name?.[0]),
    expires: expires === undefined ? friendStrings.chooseDay : messageOf(problems.expires?.[0]),
  }
}
