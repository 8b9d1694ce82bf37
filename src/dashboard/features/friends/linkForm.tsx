import { token, validateToken } from '../../../model/access/token'
import { DAY, formatInstant, type Instant } from '../../../model/core/time'
import { Problem } from '../../../model/core/validation'
import { ApiError, errorMessage } from '../../api/client'
import { api } from '../../api/resources'
import { createDraft } from '../../core/drafts'
import { describeProblems } from '../../core/form'
import { isOffline, memberWord, zone } from '../../core/store'
import { instantOf, nowInstant } from '../../lib/time'
import { friendStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { useFormState } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
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
  const word = memberWord.value
  const { isPrivateNamed, end, name } = draft.value
  const change = (patch: Partial<LinkDraft>) => {
    draft.value = { ...draft.value, ...patch }
  }

  const form = useFormState({
    id: 'link',
    base: { ...emptyDraft },
    values: { ...draft.value },
    put: (key, value) => change({ [key]: value }),
    check: () => problemsOf(draft.value, endOf(draft.value, nowInstant(), zone.value)),
    async save() {
      const expires = endOf(draft.value, nowInstant(), zone.value)
      const created = await api.tokens.create({
        name: name.trim(),
        scope: 'watch',
        private_members: isPrivateNamed,
        expires: typeof expires === 'number' ? formatInstant(expires) : null,
      })
      draft.value = emptyDraft
      if (created) onCreated(created)
    },
    locate: (cause) =>
      cause instanceof ApiError && cause.status === 409 ? { name: errorMessage(cause) } : {},
  })

  return (
    <Form class="card" onSubmit={form.onSubmit}>
      <h3>{friendStrings.newLink}</h3>
      <TextField {...form.field('name')} label={strings.name} hint={friendStrings.whoFor} />
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
        options={ends.map((option) => [option, friendStrings.ends[option]])}
        value={end}
        onChange={(value) => change({ end: value })}
      >
        {end === 'own' && (
          <TextField
            {...form.field('lastDay')}
            label={friendStrings.lastDay}
            problem={form.problems.expires ?? ''}
            input={{ type: 'date' }}
          />
        )}
      </ChipGroup>
      <ProblemText text={form.problem} />
      <button type="submit" class="main" aria-disabled={isOffline.value}>
        {friendStrings.add}
      </button>
    </Form>
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
  return describeProblems({
    ...problems,
    ...(checked instanceof Problem && { name: [checked] }),
    ...(expires === undefined && { expires: [{ message: friendStrings.chooseDay }] }),
  })
}
