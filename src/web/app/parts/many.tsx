import { useState } from 'preact/hooks'
import { explainRefusal } from '../client'
import { changeMemberships } from '../groups'
import { deleteMembers } from '../people'
import { changeLevels, findChanges, levelsOf, type Preset, presets } from '../presets'
import { groups, isAway, type Member, nameOf, preferences } from '../store'
import { countOf, listNames, words } from '../words'
import { manyWords } from '../words/many'
import { privacyWords } from '../words/privacy'
import { ConfirmDelete } from './confirmDelete'
import { Sheet } from './sheet'

export type ManyAct = 'privacy' | 'groups' | 'remove'

export interface ManyProps {
  act: ManyAct
  chosen: readonly Member[]
  onClose: () => void
  onDone: () => void
}

/** One change to many: their privacy, their groups, or none of them any more. */
export function ManySheet({ act, chosen, onClose, onDone }: ManyProps) {
  // Whoever is changed is not chosen again by what changes: who they are is settled here.
  const [some] = useState(chosen)
  const [problem, setProblem] = useState('')
  const attempt = async (change: () => Promise<unknown>) => {
    setProblem('')
    if (isAway.value) return setProblem(words.notConnected)
    try {
      await change()
      onDone()
    } catch (cause) {
      setProblem(explainRefusal(cause, words.away))
    }
  }
  const titles = {
    privacy: manyWords.privacyOf(tellWho(some)),
    groups: manyWords.groupsOf(tellWho(some)),
    remove: manyWords.deleteAsk(tellWho(some)),
  }
  return (
    <Sheet heading={titles[act]} onClose={onClose}>
      <p class="problem" role="alert">
        {problem}
      </p>
      {act === 'privacy' && <PrivacyOf some={some} attempt={attempt} />}
      {act === 'groups' && <GroupsOf some={some} attempt={attempt} />}
      {act === 'remove' && <DeleteAll some={some} attempt={attempt} />}
    </Sheet>
  )
}

interface Props {
  some: readonly Member[]
  attempt: (change: () => Promise<unknown>) => Promise<void>
}

/** Names, as long as they are read at a glance. */
function tellWho(some: readonly Member[]): string {
  return some.length > 3
    ? countOf(some.length, preferences.value.word)
    : listNames(some.map(({ id }) => nameOf(id)))
}

function PrivacyOf({ some, attempt }: Props) {
  const [preset, setPreset] = useState<Preset>('names')
  const changing = findChanges(some, levelsOf(preset)).length
  const many = countOf(changing, preferences.value.word)
  return (
    <>
      <fieldset class="choice">
        <legend>{privacyWords.becomes}</legend>
        <div class="chips">
          {presets.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={preset === one}
              onClick={() => setPreset(one)}
            >
              {privacyWords.presets[one]}
            </button>
          ))}
        </div>
      </fieldset>
      <p role="status">
        {privacyWords.presetsMore[preset]}{' '}
        {changing === 0 ? privacyWords.nothingChanges : privacyWords.willChange(many, changing)}
      </p>
      <button
        type="button"
        class="main"
        aria-disabled={isAway.value || changing === 0}
        onClick={() => changing > 0 && attempt(() => changeLevels(some, levelsOf(preset)))}
      >
        {privacyWords.change(many)}
      </button>
    </>
  )
}

function GroupsOf({ some, attempt }: Props) {
  if (groups.value.length === 0)
    return (
      <p>
        {manyWords.noGroups} <a href="#/groups">{words.groups}</a>
      </p>
    )
  return (
    <ul class="things">
      {groups.value.map((group) => {
        const inside = new Set(group.members)
        const within = some.filter(({ uuid }) => inside.has(uuid))
        const outside = some.filter(({ uuid }) => !inside.has(uuid))
        const name = group.display_name || group.name
        return (
          <li key={group.uuid}>
            <div class="about">
              <span class="name">{name}</span>
              <div class="quiet small">{manyWords.areIn(within.length, some.length)}</div>
            </div>
            {outside.length > 0 && (
              <button
                type="button"
                aria-label={manyWords.addTo(name)}
                aria-disabled={isAway.value}
                onClick={() => attempt(() => changeMemberships(group, outside, []))}
              >
                {manyWords.add}
              </button>
            )}
            {within.length > 0 && (
              <button
                type="button"
                aria-label={manyWords.takeOutOf(name)}
                aria-disabled={isAway.value}
                onClick={() => attempt(() => changeMemberships(group, [], within))}
              >
                {manyWords.takeOut}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function DeleteAll({ some, attempt }: Props) {
  const [gone, setGone] = useState(0)
  const one = some.length === 1 ? some[0] : undefined
  const expected = one ? one.name : String(some.length)
  return (
    <ConfirmDelete
      effect={manyWords.deleteEffect}
      label={one ? manyWords.typeName(expected) : manyWords.typeCount(expected)}
      expected={expected}
      onDelete={() => attempt(() => deleteMembers(some, setGone))}
    >
      {some.length > 1 && <p class="quiet">{listNames(some.map(({ id }) => nameOf(id)))}</p>}
      <p role="status">{gone > 0 && manyWords.gone(gone, some.length)}</p>
    </ConfirmDelete>
  )
}
