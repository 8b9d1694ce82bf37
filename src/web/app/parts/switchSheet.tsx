import { useState } from 'preact/hooks'
import type { Instant } from '../../../model/time'
import { changeSwitch, deleteSwitch, logSwitch } from '../acts'
import { explainRefusal } from '../client'
import { type SwitchDraft, switchDraft } from '../drafts'
import { compareHistories, type Effect, mergeSwitches, type Switches } from '../history'
import { spell } from '../look'
import { searchMembers } from '../search'
import { isAway, members, nameOf, switches, zone } from '../store'
import { now } from '../ticking'
import { fieldsOf, instantOf } from '../time'
import { listNames, words } from '../words'
import { Icon } from './icon'
import { Search } from './search'
import { Sheet } from './sheet'
import { Tiles } from './tiles'
import { TimeFields } from './timeFields'

const NEW = 'new'

/** A switch: its time, who is in it, and what changing it does to its neighbours. */
export function SwitchSheet({ draft }: { draft: SwitchDraft }) {
  const [problem, setProblem] = useState('')
  const known = switches.value.find(({ id }) => id === draft.id)
  const at = momentOf(draft)
  const change = (patch: Partial<SwitchDraft>) => {
    setProblem('')
    switchDraft.value = { ...draft, ...patch }
  }
  const close = () => {
    switchDraft.value = null
  }
  const attempt = async (act: () => Promise<void>) => {
    if (isAway.value) return setProblem(words.notConnected)
    try {
      await act()
      close()
    } catch (cause) {
      setProblem(explainRefusal(cause, words.away))
    }
  }
  const save = (event: Event) => {
    event.preventDefault()
    if (at === null) return setProblem(words.notATime)
    attempt(async () => {
      if (!known) return await logSwitch(draft.members, at)
      const isSame = known.members.join() === draft.members.join()
      await changeSwitch(known.id, {
        ...(at !== known.timestamp && { at }),
        ...(!isSame && { members: draft.members }),
      })
    })
  }
  const others = switches.value.filter(({ id }) => id !== draft.id)
  const saved =
    at === null
      ? switches.value
      : mergeSwitches(others, [{ id: draft.id ?? NEW, timestamp: at, members: draft.members }])
  return (
    <Sheet heading={known ? words.aSwitch : words.addPast} onClose={close}>
      <form onSubmit={save} noValidate>
        <TimeFields date={draft.date} time={draft.time} problem={problem} onChange={change} />
        <Who ids={draft.members} onChange={(ids) => change({ members: ids })} />
        <div role="status" class="effects">
          <h3>{words.effects}</h3>
          <Effects after={saved} />
        </div>
        <button type="submit" class="main" aria-disabled={isAway.value}>
          {words.save}
        </button>
        {known && (
          <>
            <p class="quiet small">{words.deleteAlso(tellEffects(others).join(' '))}</p>
            <button
              type="button"
              class="danger"
              aria-disabled={isAway.value}
              onClick={() => attempt(() => deleteSwitch(known.id, known.members, known.timestamp))}
            >
              {words.remove}
            </button>
          </>
        )}
      </form>
    </Sheet>
  )
}

/** Fields know minutes only: what was not touched keeps its seconds. */
function momentOf({ date, time, timestamp }: SwitchDraft): Instant | null {
  if (timestamp !== null) {
    const was = fieldsOf(timestamp, zone.value)
    if (was.date === date && was.time === time) return timestamp
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
      <legend>{words.who}</legend>
      <div class="chips">
        {ids.length === 0 && <p class="quiet">{words.nobodyShort}</p>}
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-label={words.takeOut(nameOf(id))}
            onClick={() => toggle(id)}
          >
            {nameOf(id)}
            <Icon name="close" />
          </button>
        ))}
        {!isAdding && (
          <button type="button" class="plain" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {words.add}
          </button>
        )}
      </div>
      {isAdding && (
        <>
          <Search value={typed} onChange={setTyped} />
          <Tiles
            key={typed}
            members={searchMembers(members.value, typed).slice(0, 12)}
            chosen={ids}
            label={words.who}
            onToggle={toggle}
          />
        </>
      )}
    </fieldset>
  )
}

function Effects({ after }: { after: Switches }) {
  const told = tellEffects(after)
  if (told.length === 0) return <p>{words.noEffect}</p>
  return (
    <ul>
      {told.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

function tellEffects(after: Switches): string[] {
  return compareHistories(switches.value, after).map(tellEffect)
}

function tellEffect({ from, to, before, after }: Effect): string {
  const name = (ids: readonly string[] | null) =>
    ids === null
      ? words.nothingWas
      : ids.length === 0
        ? words.nobodyWas
        : listNames(ids.map(nameOf))
  return words.replaced(
    spell.value.moment(from, now.value),
    to === null ? words.untilNow : words.until(spell.value.moment(to, now.value)),
    name(before),
    name(after),
  )
}
