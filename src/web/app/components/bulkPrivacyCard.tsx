import { useState } from 'preact/hooks'
import type { Level } from '../../../model/entity'
import { member as table } from '../../../model/member'
import {
  changeLevels,
  findChanges,
  type Levels,
  levelsOf,
  type Preset,
  presets,
} from '../privacyPresets'
import { groups, isOffline, members, preferences } from '../store'
import { countOf } from '../strings'
import { privacyStrings } from '../strings/privacy'
import { publicPageStrings } from '../strings/publicView'
import type { MemberLevel } from '../types'
import { useAction } from '../useAction'
import { MemberPicker } from './memberPicker'

/** All members, the selected ones, or those of a group (by UUID). */
type Who = 'everyone' | 'chosen' | { readonly group: string }
type Becomes = Preset | 'each'

/**
 * Sets privacy levels of several members, with the number of changes shown beforehand and an undo.
 */
export function BulkPrivacyCard() {
  const [who, setWho] = useState<Who>('everyone')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [becomes, setBecomes] = useState<Becomes>('names')
  const [each, setEach] = useState<Levels>({})
  const { run, problem, isBusy } = useAction()

  const inside = typeof who === 'object' ? membersOf(who.group) : chosen
  const selected =
    who === 'everyone' ? members.value : members.value.filter(({ uuid }) => inside.has(uuid))
  const levels = becomes === 'each' ? each : levelsOf(becomes)
  const changing = findChanges(selected, levels).length
  const count = countOf(changing, preferences.value.word)
  const apply = () => changing > 0 && run(() => changeLevels(selected, levels))

  return (
    <section class="card" aria-labelledby="many">
      <h2 id="many">{publicPageStrings.many}</h2>
      <WhoChips who={who} onChange={setWho} />
      {who === 'chosen' && (
        <div class="scrolling">
          <MemberPicker chosen={chosen} onChange={setChosen} />
        </div>
      )}
      <fieldset class="choice">
        <legend>{privacyStrings.becomes}</legend>
        <div class="chips">
          {[...presets, 'each' as const].map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={becomes === one}
              onClick={() => setBecomes(one)}
            >
              {one === 'each' ? publicPageStrings.each : privacyStrings.presets[one]}
            </button>
          ))}
        </div>
      </fieldset>
      {becomes === 'each' && <EachLevel levels={each} onChange={setEach} />}
      <p role="status">
        {becomes !== 'each' && privacyStrings.presetsMore[becomes]}{' '}
        {selected.length === 0
          ? publicPageStrings.nobodyChosen
          : changing === 0
            ? privacyStrings.nothingChanges
            : privacyStrings.willChange(count, changing)}
      </p>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div>
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value || changing === 0}
          aria-busy={isBusy}
          onClick={apply}
        >
          {privacyStrings.change(count)}
        </button>
      </div>
    </section>
  )
}

/** Number of groups shown until the list is expanded. */
const FIRST_GROUPS = 10

function WhoChips({ who, onChange }: { who: Who; onChange: (who: Who) => void }) {
  const [isExpanded, setExpanded] = useState(false)
  const group = typeof who === 'object' ? who.group : null
  const shown = groups.value.filter(
    ({ uuid }, at) => isExpanded || at < FIRST_GROUPS || uuid === group,
  )
  return (
    <fieldset class="choice">
      <legend>{publicPageStrings.who}</legend>
      <div class="chips">
        <Chip
          text={publicPageStrings.everyone}
          isPressed={who === 'everyone'}
          onPress={() => onChange('everyone')}
        />
        {shown.map((one) => (
          <Chip
            key={one.uuid}
            text={one.display_name || one.name}
            isPressed={one.uuid === group}
            onPress={() => onChange({ group: one.uuid })}
          />
        ))}
        {shown.length < groups.value.length && (
          <button type="button" class="plain" onClick={() => setExpanded(true)}>
            {publicPageStrings.moreGroups}
          </button>
        )}
        <Chip
          text={publicPageStrings.chosen}
          isPressed={who === 'chosen'}
          onPress={() => onChange('chosen')}
        />
      </div>
    </fieldset>
  )
}

interface ChipProps {
  text: string
  isPressed: boolean
  onPress: () => void
}

function Chip({ text, isPressed, onPress }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isPressed} onClick={onPress}>
      <bdi>{text}</bdi>
    </button>
  )
}

interface EachProps {
  levels: Levels
  onChange: (levels: Levels) => void
}

/** Sets each level to public or private, or leaves it unchanged. */
function EachLevel({ levels, onChange }: EachProps) {
  const set = (level: MemberLevel, to: Level | undefined) => {
    const { [level]: _, ...others } = levels
    onChange(to === undefined ? others : { ...others, [level]: to })
  }
  return (
    <div class="each">
      {table.levels.map((level) => (
        <fieldset key={level} class="choice">
          <legend>{privacyStrings.levels[level]}</legend>
          <div class="chips">
            {([undefined, 'public', 'private'] as const).map((to) => (
              <Chip
                key={to}
                text={to ? privacyStrings[to] : publicPageStrings.asItIs}
                isPressed={levels[level] === to}
                onPress={() => set(level, to)}
              />
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  )
}

function membersOf(group: string): ReadonlySet<string> {
  return new Set(groups.value.find(({ uuid }) => uuid === group)?.members)
}
