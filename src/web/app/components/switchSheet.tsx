import { useState } from 'preact/hooks'
import type { Instant } from '../../../model/time'
import { changeSwitch, deleteSwitch, logSwitch } from '../actions'
import { formatter } from '../appearance'
import { now } from '../clock'
import { type SwitchDraft, switchDraft } from '../drafts'
import {
  compareHistories,
  type Effect,
  mergeSwitches,
  type Switch,
  type Switches,
} from '../history'
import { searchMembers } from '../search'
import { isOffline, members, nameOf, switches, zone } from '../store'
import { listNames, strings } from '../strings'
import { fieldsOf, instantOf } from '../time'
import { useAction } from '../useAction'
import { Icon } from './icon'
import { MemberGrid } from './memberGrid'
import { Search } from './search'
import { Sheet } from './sheet'
import { TimeFields } from './timeFields'

const NEW = 'new'

/** Editor of a switch: time, members, and a preview of the effect on the history. */
export function SwitchSheet({ draft }: { draft: SwitchDraft }) {
  const { run, onSubmit, problem, setProblem } = useAction()
  const known = switches.value.find(({ id }) => id === draft.id)
  const at = momentOf(draft)
  const change = (patch: Partial<SwitchDraft>) => {
    setProblem('')
    switchDraft.value = { ...draft, ...patch }
  }
  const close = () => {
    switchDraft.value = null
  }
  const save = async () => {
    if (at === null) return setProblem(strings.notATime)
    if (known) {
      const isSame = known.members.join() === draft.members.join()
      await changeSwitch(known.id, {
        ...(at !== known.timestamp && { at }),
        ...(!isSame && { members: draft.members }),
      })
    } else await logSwitch(draft.members, at)
    close()
  }
  const remove = async ({ id, members, timestamp }: Switch) => {
    await deleteSwitch(id, members, timestamp)
    close()
  }
  const others = switches.value.filter(({ id }) => id !== draft.id)
  const saved =
    at === null
      ? switches.value
      : mergeSwitches(others, [{ id: draft.id ?? NEW, timestamp: at, members: draft.members }])
  return (
    <Sheet heading={known ? strings.aSwitch : strings.addPast} onClose={close}>
      <form onSubmit={onSubmit(save)} noValidate>
        <TimeFields date={draft.date} time={draft.time} problem={problem} onChange={change} />
        <Who ids={draft.members} onChange={(ids) => change({ members: ids })} />
        <div role="status" class="effects">
          <h3>{strings.effects}</h3>
          <Effects after={saved} />
        </div>
        <button type="submit" class="main" aria-disabled={isOffline.value}>
          {strings.save}
        </button>
        {known && (
          <>
            <p class="quiet small">{strings.deleteAlso(describeEffects(others).join(' '))}</p>
            <button
              type="button"
              class="danger"
              aria-disabled={isOffline.value}
              onClick={() => run(() => remove(known))}
            >
              {strings.remove}
            </button>
          </>
        )}
      </form>
    </Sheet>
  )
}

/** Fields have minutes only, so an unchanged time keeps its exact timestamp. */
function momentOf({ date, time, timestamp }: SwitchDraft): Instant | null {
  if (timestamp !== null) {
    const fields = fieldsOf(timestamp, zone.value)
    if (fields.date === date && fields.time === time) return timestamp
  }
  return instantOf(date, time, zone.value)
}

function Who({ ids, onChange }: { ids: readonly string[]; onChange: (ids: string[]) => void }) {
  const [isAdding, setAdding] = useState(ids.length === 0)
  const [typed, setTyped] = useState('')
  const toggle = (id: string) =>
    onChange(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id])
  return (
    <fieldset class="choice">
      <legend>{strings.who}</legend>
      <div class="chips">
        {ids.length === 0 && <p class="quiet">{strings.nobodyShort}</p>}
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-label={strings.takeOut(nameOf(id))}
            onClick={() => toggle(id)}
          >
            {nameOf(id)}
            <Icon name="close" />
          </button>
        ))}
        {!isAdding && (
          <button type="button" class="plain" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {strings.add}
          </button>
        )}
      </div>
      {isAdding && (
        <>
          <Search value={typed} onChange={setTyped} />
          <MemberGrid
            key={typed}
            members={searchMembers(members.value, typed).slice(0, 12)}
            chosen={ids}
            label={strings.who}
            onToggle={toggle}
          />
        </>
      )}
    </fieldset>
  )
}

function Effects({ after }: { after: Switches }) {
  const sentences = describeEffects(after)
  if (sentences.length === 0) return <p>{strings.noEffect}</p>
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function describeEffects(after: Switches): string[] {
  return compareHistories(switches.value, after).map(describeEffect)
}

function describeEffect({ from, to, before, after }: Effect): string {
  const name = (ids: readonly string[] | null) =>
    ids === null
      ? strings.nothingWas
      : ids.length === 0
        ? strings.nobodyWas
        : listNames(ids.map(nameOf))
  return strings.replaced(
    formatter.value.moment(from, now.value),
    to === null ? strings.untilNow : strings.until(formatter.value.moment(to, now.value)),
    name(before),
    name(after),
  )
}
