import { useState } from 'preact/hooks'
import { errorMessage } from '../api'
import { changeMemberships } from '../groupActions'
import { deleteMembers } from '../memberActions'
import { changeLevels, findChanges, levelsOf, type Preset, presets } from '../privacyPresets'
import { groups, isOffline, type Member, nameOf, preferences } from '../store'
import { countOf, listNames, strings } from '../strings'
import { bulkStrings } from '../strings/bulk'
import { privacyStrings } from '../strings/privacy'
import { ConfirmDelete } from './confirmDelete'
import { Sheet } from './sheet'

export type BulkAction = 'privacy' | 'groups' | 'remove'

export interface BulkEditProps {
  act: BulkAction
  chosen: readonly Member[]
  onClose: () => void
  onDone: () => void
}

/** One change to many: their privacy, their groups, or none of them any more. */
export function BulkEditSheet({ act, chosen, onClose, onDone }: BulkEditProps) {
  // Whoever is changed is not chosen again by what changes: who they are is settled here.
  const [some] = useState(chosen)
  const [problem, setProblem] = useState('')
  const attempt = async (change: () => Promise<unknown>) => {
    setProblem('')
    if (isOffline.value) return setProblem(strings.notConnected)
    try {
      await change()
      onDone()
    } catch (cause) {
      setProblem(errorMessage(cause, strings.away))
    }
  }
  const titles = {
    privacy: bulkStrings.privacyOf(describeSelection(some)),
    groups: bulkStrings.groupsOf(describeSelection(some)),
    remove: bulkStrings.deleteAsk(describeSelection(some)),
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
function describeSelection(some: readonly Member[]): string {
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
        <legend>{privacyStrings.becomes}</legend>
        <div class="chips">
          {presets.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={preset === one}
              onClick={() => setPreset(one)}
            >
              {privacyStrings.presets[one]}
            </button>
          ))}
        </div>
      </fieldset>
      <p role="status">
        {privacyStrings.presetsMore[preset]}{' '}
        {changing === 0 ? privacyStrings.nothingChanges : privacyStrings.willChange(many, changing)}
      </p>
      <button
        type="button"
        class="main"
        aria-disabled={isOffline.value || changing === 0}
        onClick={() => changing > 0 && attempt(() => changeLevels(some, levelsOf(preset)))}
      >
        {privacyStrings.change(many)}
      </button>
    </>
  )
}

function GroupsOf({ some, attempt }: Props) {
  if (groups.value.length === 0)
    return (
      <p>
        {bulkStrings.noGroups} <a href="#/groups">{strings.groups}</a>
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
              <div class="quiet small">{bulkStrings.areIn(within.length, some.length)}</div>
            </div>
            {outside.length > 0 && (
              <button
                type="button"
                aria-label={bulkStrings.addTo(name)}
                aria-disabled={isOffline.value}
                onClick={() => attempt(() => changeMemberships(group, outside, []))}
              >
                {bulkStrings.add}
              </button>
            )}
            {within.length > 0 && (
              <button
                type="button"
                aria-label={bulkStrings.takeOutOf(name)}
                aria-disabled={isOffline.value}
                onClick={() => attempt(() => changeMemberships(group, [], within))}
              >
                {bulkStrings.takeOut}
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
      effect={bulkStrings.deleteEffect}
      label={one ? bulkStrings.typeName(expected) : bulkStrings.typeCount(expected)}
      expected={expected}
      onDelete={() => attempt(() => deleteMembers(some, setGone))}
    >
      {some.length > 1 && <p class="quiet">{listNames(some.map(({ id }) => nameOf(id)))}</p>}
      <p role="status">{gone > 0 && bulkStrings.gone(gone, some.length)}</p>
    </ConfirmDelete>
  )
}
