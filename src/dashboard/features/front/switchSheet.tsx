import { useState } from 'preact/hooks'
import type { Instant } from '../../../model/core/time'
import { deleteSwitch, editSwitch, logStint } from '../../actions/historyActions'
import { ApiError, errorMessage } from '../../api/client'
import { isArchived, isCustomFront, type Member } from '../../api/types'
import { logSwitch } from '../../core/actions'
import { formatter } from '../../core/appearance'
import { type SwitchDraft, switchDraft } from '../../core/drafts'
import { SAME_TIME } from '../../core/errorText'
import { exactFieldsOf, exactInstantOf } from '../../core/exactTime'
import {
  compareHistories,
  type Effect,
  mergeSwitches,
  type Switch,
  type Switches,
  switchAt,
} from '../../core/history'
import {
  canLog,
  customFronts,
  isOffline,
  members,
  nameOf,
  switches,
  switchQueue,
  zone,
} from '../../core/store'
import { now } from '../../lib/clock'
import { searchMembers } from '../../lib/search'
import { instantOf } from '../../lib/time'
import { historyStrings, listNames, strings } from '../../texts/texts'
import { useFormState } from '../../ui/form/formState'
import { Form } from '../../ui/form/textField'
import { TimeFields } from '../../ui/form/timeFields'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import { Search } from '../../ui/searchField'
import { Sheet } from '../../ui/sheet'
import { MemberGrids } from '../members/memberGrid'
import { listSections } from '../members/memberSections'
import { SwitchNotes } from './frontNoteRows'
import { loadStatusesAt } from './frontNotes'
import { listLikely } from './likely'

const NEW = 'new'
const NEW_END = 'new end'

/** Editor of a switch: time, members, and a preview of the effect on the history. */
export function SwitchSheet({ draft }: { draft: SwitchDraft }) {
  const isQueued = draft.id !== null && (switchQueue.value?.has(draft.id) ?? false)
  const isBlocked = isQueued ? !canLog.value : isOffline.value
  const entry = switches.value.find(({ id }) => id === draft.id)
  const at = exactInstantOf(draft)
  const until = draft.until && instantOf(draft.until.date, draft.until.time, zone.value)
  const end = endOf(at, until)
  const [opened] = useState(draft)
  const start = entry ? draftOf(entry) : opened
  const close = () => {
    switchDraft.value = null
  }
  const save = async () => {
    if (at === null) return
    if (entry) {
      const isSame = entry.members.join() === draft.members.join()
      await editSwitch(entry.id, {
        ...(at !== entry.timestamp && { at }),
        ...(!isSame && { members: draft.members }),
      })
    } else if (end) await logStint(draft.members, at, end)
    else await logSwitch(draft.members, at)
    close()
  }
  const form = useFormState({
    base: { timestamp: at },
    values: { timestamp: at, until, members: draft.members },
    put: (_, value) => {
      switchDraft.value = { ...draft, ...(value as Partial<SwitchDraft>) }
    },
    check: () => ({
      ...(at === null && { timestamp: strings.notATime }),
      ...(draft.until &&
        (until === null || until <= (at ?? until)) && { until: historyStrings.untilTooEarly }),
    }),
    save,
    locate: (cause) =>
      cause instanceof ApiError && cause.code === SAME_TIME
        ? { timestamp: errorMessage(cause) }
        : {},
    isSwitching: isQueued,
  })
  const remove = async ({ id, members, timestamp }: Switch) => {
    const statuses = isQueued
      ? (switchQueue.value?.statusesOf(id) ?? [])
      : await loadStatusesAt(timestamp)
    await deleteSwitch(id, members, timestamp, statuses)
    close()
  }
  const others = switches.value.filter(({ id }) => id !== draft.id)
  const saved =
    at === null
      ? switches.value
      : mergeSwitches(others, [
          { id: draft.id ?? NEW, timestamp: at, members: draft.members },
          ...(end?.timestamp !== undefined && end.isNeeded ? [{ id: NEW_END, ...end }] : []),
        ])
  return (
    <Sheet
      heading={entry ? historyStrings.editSwitch : historyStrings.addPast}
      isChanged={!isSameDraft(draft, start)}
      onClose={close}
    >
      <Form onSubmit={form.onSubmit}>
        <TimeFields
          date={draft.date}
          time={draft.time}
          problem={form.problems.timestamp ?? ''}
          onChange={(fields) => form.change('timestamp', fields)}
        />
        {!entry && (
          <UntilFields
            draft={draft}
            problem={form.problems.until ?? ''}
            onChange={(until) => form.change('until', { until })}
          />
        )}
        <Who ids={draft.members} onChange={(ids) => form.change('members', { members: ids })} />
        <div role="status" class="effects">
          <h3>{historyStrings.effects}</h3>
          <Effects after={saved} />
        </div>
        {entry && !isQueued && <SwitchNotes entry={entry} />}
        <ProblemText text={form.problem} />
        <button type="submit" class="main" aria-disabled={isBlocked}>
          {strings.save}
        </button>
        {entry && (
          <>
            <p class="quiet small">{describeDeletion(others)}</p>
            <button
              type="button"
              class="danger"
              aria-disabled={isBlocked}
              onClick={() => form.run(() => remove(entry))}
            >
              {strings.delete}
            </button>
          </>
        )}
      </Form>
    </Sheet>
  )
}

/** Switch at the end of a stint: those who were here before are here again. */
interface StintEnd {
  readonly timestamp: Instant
  readonly members: readonly string[]
  /** False if another switch follows before the end, and so ends the stint itself. */
  readonly isNeeded: boolean
}

function endOf(at: Instant | null, until: Instant | null): StintEnd | null {
  if (at === null || until === null) return null
  const isNeeded = !switches.value.some(({ timestamp }) => timestamp > at && timestamp <= until)
  return { timestamp: until, members: switchAt(switches.value, at)?.members ?? [], isNeeded }
}

interface UntilProps {
  draft: SwitchDraft
  problem: string
  onChange: (until: SwitchDraft['until']) => void
}

/** End of a stint, so that it is one entry. */
function UntilFields({ draft: { date, time, until }, problem, onChange }: UntilProps) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={until !== null}
          onChange={(event) => onChange(event.currentTarget.checked ? { date, time } : null)}
        />
        {historyStrings.addUntil}
      </label>
      {until && (
        <TimeFields
          {...until}
          name="until"
          problem={problem}
          labels={{ time: historyStrings.untilTime, date: historyStrings.untilDate }}
          onChange={onChange}
        />
      )}
    </>
  )
}

export function draftOf({ id, timestamp, members }: Switch): SwitchDraft {
  return { id, ...exactFieldsOf(timestamp), members, until: null }
}

function isSameDraft(draft: SwitchDraft, other: SwitchDraft): boolean {
  const key = ({ date, time, until, members }: SwitchDraft) =>
    [date, time, until?.date, until?.time, ...members].join()
  return key(draft) === key(other)
}

function Who({ ids, onChange }: { ids: readonly string[]; onChange: (ids: string[]) => void }) {
  const [isAdding, setAdding] = useState(ids.length === 0)
  const [typed, setTyped] = useState('')
  const toggle = (id: string) =>
    onChange(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id])
  return (
    <fieldset class="choice">
      <legend>{historyStrings.who}</legend>
      <div class="chips">
        {ids.length === 0 && <p class="quiet">{strings.nobodyShort}</p>}
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-label={historyStrings.remove(nameOf(id))}
            onClick={() => toggle(id)}
          >
            <bdi>{nameOf(id)}</bdi>
            <Icon name="close" />
          </button>
        ))}
        {!isAdding && (
          <button type="button" class="plain" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {historyStrings.addSomeone}
          </button>
        )}
      </div>
      {isAdding && (
        <>
          <Search value={typed} onChange={setTyped} />
          <MemberGrids
            key={typed}
            sections={listSections(suggest(typed))}
            chosen={ids}
            label={historyStrings.who}
            onToggle={toggle}
          />
        </>
      )}
    </fieldset>
  )
}

const SUGGESTED = 12

/** Returns the members that match, or the likely ones and custom fronts while nothing is typed. */
function suggest(typed: string): Member[] {
  if (typed.trim() !== '') return searchMembers(members.value, typed)
  const likely = listLikely([], SUGGESTED)
  const others = members.value.filter(
    (member) => !likely.includes(member) && !isArchived(member) && !isCustomFront(member),
  )
  return [...[...likely, ...others].slice(0, SUGGESTED), ...customFronts.value]
}

function Effects({ after }: { after: Switches }) {
  const sentences = describeEffects(after)
  if (sentences.length === 0) return <p>{historyStrings.noEffect}</p>
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function describeDeletion(after: Switches): string {
  const effects = describeEffects(after)
  return effects.length === 0
    ? historyStrings.ifDeletedNothing
    : historyStrings.ifDeleted(effects.join(' '))
}

function describeEffects(after: Switches): string[] {
  return compareHistories(switches.value, after).map(describeEffect)
}

function describeEffect({ from, to, before, after }: Effect): string {
  const name = (ids: readonly string[] | null) =>
    ids === null
      ? historyStrings.noRecord
      : ids.length === 0
        ? historyStrings.nobody
        : listNames(ids.map(nameOf))
  const moment = (at: Instant) => formatter.value.moment(at, now.value)
  return to === null
    ? historyStrings.changesUntilNow(moment(from), name(before), name(after))
    : historyStrings.changes(moment(from), moment(to), name(before), name(after))
}
