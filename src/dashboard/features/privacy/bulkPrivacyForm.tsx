import { useState } from 'preact/hooks'
import type { Level } from '../../../model/core/entity'
import { member as table } from '../../../model/members/member'
import {
  changeLevels,
  findChanges,
  levelsOf,
  type Preset,
  presets,
} from '../../actions/privacyPresets'
import type { Levels, Member, MemberLevel } from '../../api/types'
import { isOffline, memberWord } from '../../core/store'
import { useAction } from '../../core/useAction'
import { privacyStrings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { ProblemText } from '../../ui/problemText'
import { PublicListWarning } from './publicListWarning'

interface Props {
  selected: readonly Member[]
  onDone?: () => void
}

/**
 * Sets privacy levels of several members, with the number of changes shown beforehand and an undo.
 */
export function BulkPrivacyForm({ selected, onDone }: Props) {
  const [becomes, setBecomes] = useState<Preset | 'each'>('names')
  const [each, setEach] = useState<Levels>({})
  const { run, problem, isBusy } = useAction()
  const levels = becomes === 'each' ? each : levelsOf(becomes)
  const changing = findChanges(selected, levels).length
  const word = memberWord.value
  const apply = async () => {
    if (changing === 0) return
    await changeLevels(selected, levels)
    onDone?.()
  }
  return (
    <>
      <ChipGroup
        legend={privacyStrings.setTo}
        options={[
          ...presets.map((preset) => [preset, privacyStrings.presets[preset]] as const),
          ['each', privacyStrings.custom],
        ]}
        value={becomes}
        onChange={setBecomes}
      />
      {becomes === 'each' && <EachLevel levels={each} onChange={setEach} />}
      <p role="status">
        {becomes !== 'each' && privacyStrings.presetsMore[becomes]}{' '}
        {selected.length === 0
          ? privacyStrings.nobodySelected
          : changing === 0
            ? privacyStrings.nothingChanges
            : privacyStrings.willChange(changing, word)}
      </p>
      {hidesMembers(levels) && <PublicListWarning />}
      <ProblemText text={problem} />
      <button
        type="button"
        class="main"
        aria-disabled={isOffline.value || changing === 0}
        aria-busy={isBusy}
        onClick={() => run(apply)}
      >
        {privacyStrings.change(changing, word)}
      </button>
    </>
  )
}

/** A private name and a private member are still shown where the member fronts. */
function hidesMembers({ visibility, name_privacy }: Levels): boolean {
  return visibility === 'private' || name_privacy === 'private'
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
  const titles = privacyStrings.levels(memberWord.value)
  return (
    <div class="each">
      {table.levels.map((level) => (
        <ChipGroup<Level | undefined>
          key={level}
          legend={titles[level]}
          options={[
            [undefined, privacyStrings.keep],
            ['public', privacyStrings.public],
            ['private', privacyStrings.private],
          ]}
          value={levels[level]}
          onChange={(to) => set(level, to)}
        />
      ))}
    </div>
  )
}
