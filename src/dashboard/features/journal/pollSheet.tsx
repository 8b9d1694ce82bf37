import { useState } from 'preact/hooks'
import type { Option } from '../../../model/core/field'
import { DAY, formatInstant, parseInstant } from '../../../model/core/time'
import { MAX_OPTIONS, poll as table } from '../../../model/journal/poll'
import { api } from '../../api/resources'
import type { Poll } from '../../api/types'
import { showToast } from '../../core/actions'
import { zone } from '../../core/store'
import { useAction } from '../../core/useAction'
import { fieldsOf, instantOf, nowInstant } from '../../lib/time'
import { journalStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { TimeFields } from '../../ui/timeFields'
import { explain, findProblems } from './journal'

interface Props {
  /** Null for a new one. */
  poll: Poll | null
  onSaved: () => void
  onClose: () => void
}

/** The key identifies an option while the sheet is open; a new one has no ID yet. */
type OptionDraft = Option & { readonly key: number }

interface Values {
  readonly name: string
  readonly about: string
  readonly options: readonly OptionDraft[]
  /** Local time; null if voting does not end. */
  readonly ends: { readonly date: string; readonly time: string } | null
}

function createOption(key: number): OptionDraft {
  return { key, id: '', name: '', color: null, veto: false }
}

function valuesOf(poll: Poll | null): Values {
  const end = parseInstant(poll?.ends ?? '')
  return {
    name: poll?.name ?? '',
    about: poll?.about ?? '',
    options: poll?.options?.map((one, key) => ({ ...one, key })) ?? [0, 1].map(createOption),
    ends: end === null ? null : fieldsOf(end, zone.value),
  }
}

/** Creates or edits a poll. */
export function PollSheet({ poll, onSaved, onClose }: Props) {
  const [opened] = useState(() => valuesOf(poll))
  const [values, setValues] = useState(opened)
  const { onSubmit, problem, setProblem, isBusy } = useAction({ explain })
  const { name, about, options, ends } = values
  const change = (patch: Partial<Values>) => {
    setProblem('')
    setValues({ ...values, ...patch })
  }
  const changeOption = (at: number, patch: Partial<Option>) =>
    change({ options: options.map((one, place) => (place === at ? { ...one, ...patch } : one)) })
  const end = ends && instantOf(ends.date, ends.time, zone.value)
  const findProblem = () => {
    if (name.trim() === '') return journalStrings.enterQuestion
    if (options.length === 0) return journalStrings.needsOption
    if (options.some((one) => one.name.trim() === '')) return journalStrings.enterOptions
    if (ends !== null && end === null) return strings.notATime
    return Object.values(findProblems(table, { name, about, options }))[0]
  }
  const save = async () => {
    const found = findProblem()
    if (found !== undefined) return setProblem(found)
    const body = {
      name: name.trim(),
      about: about.trim() === '' ? null : about,
      options: options.map(({ id, key: _, ...one }) => ({ ...(id !== '' && { id }), ...one })),
      ends: end === null ? null : formatInstant(end),
    }
    if (poll) await api.polls.patch(poll.id, body)
    else await api.polls.create(body)
    showToast({ text: poll ? strings.isSaved : strings.isAdded(body.name) })
    onClose()
    onSaved()
  }
  const isRemoving = opened.options.some(
    ({ id }) => id !== '' && !options.some((one) => one.id === id) && (poll?.counts[id] ?? 0) > 0,
  )
  return (
    <Sheet
      heading={poll ? journalStrings.editPoll : journalStrings.addPoll}
      isChanged={JSON.stringify(values) !== JSON.stringify(opened)}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        <label class="field">
          {journalStrings.question}
          <input
            value={name}
            dir="auto"
            autocomplete="off"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          {journalStrings.pollAbout}
          <textarea
            rows={2}
            value={about}
            dir="auto"
            onInput={(event) => change({ about: event.currentTarget.value })}
          />
        </label>
        <fieldset class="choice">
          <legend>{journalStrings.options}</legend>
          <ul class="things">
            {options.map((option, at) => (
              <OptionFields
                key={option.key}
                option={option}
                at={at + 1}
                onChange={(patch) => changeOption(at, patch)}
                onRemove={() => change({ options: options.filter((one) => one !== option) })}
              />
            ))}
          </ul>
          {options.length < MAX_OPTIONS && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                const key = Math.max(-1, ...options.map((one) => one.key)) + 1
                change({ options: [...options, createOption(key)] })
              }}
            >
              <Icon name="plus" />
              {journalStrings.addOption}
            </button>
          )}
        </fieldset>
        <div role="status">
          {isRemoving && <p class="note">{journalStrings.removeOptionEffect}</p>}
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={ends !== null}
            onChange={(event) =>
              change({
                ends: event.currentTarget.checked
                  ? fieldsOf(nowInstant() + 7 * DAY, zone.value)
                  : null,
              })
            }
          />
          {journalStrings.endsAt}
        </label>
        {ends && <TimeFields {...ends} problem="" onChange={(at) => change({ ends: at })} />}
        <SaveButtons isNew={!poll} isBusy={isBusy} problem={problem} />
      </form>
    </Sheet>
  )
}

interface OptionProps {
  option: Option
  /** From 1. */
  at: number
  onChange: (patch: Partial<Option>) => void
  onRemove: () => void
}

/** Colour of the input while an option has none. */
const NO_COLOR = '#888888'

function OptionFields({ option: { name, color, veto }, at, onChange, onRemove }: OptionProps) {
  return (
    <li>
      <div class="about">
        <div class="color-field">
          <input
            type="color"
            aria-label={journalStrings.colourOf(at)}
            value={color === null ? NO_COLOR : `#${color}`}
            onInput={(event) => onChange({ color: event.currentTarget.value.slice(1) })}
          />
          <input
            value={name}
            dir="auto"
            autocomplete="off"
            aria-label={journalStrings.option(at)}
            placeholder={journalStrings.option(at)}
            onInput={(event) => onChange({ name: event.currentTarget.value })}
          />
        </div>
        <div class="heading">
          <label class="check">
            <input
              type="checkbox"
              aria-label={journalStrings.isVetoOf(at)}
              checked={veto === true}
              onChange={(event) => onChange({ veto: event.currentTarget.checked })}
            />
            {journalStrings.isVeto}
          </label>
          <div class="row">
            {color !== null && (
              <button type="button" class="plain" onClick={() => onChange({ color: null })}>
                {journalStrings.noColour}
              </button>
            )}
            <button
              type="button"
              class="round"
              aria-label={journalStrings.removeOption(at)}
              onClick={onRemove}
            >
              <Icon name="close" />
            </button>
          </div>
        </div>
      </div>
    </li>
  )
}
