import { useState } from 'preact/hooks'
import type { Level } from '../../../model/entity'
import type { system as table } from '../../../model/system'
import { askOwn, explainRefusal } from '../client'
import { seeOutside } from '../outside'
import { ManyLevels } from '../parts/atOnce'
import { LevelButton } from '../parts/levelButton'
import { OutsideView } from '../parts/outsideView'
import { Page } from '../parts/page'
import { groups, isAway, members, preferences, type System, switches, system } from '../store'
import { words } from '../words'
import { openWords } from '../words/outside'

/** The ones that people ask about most come first. */
const order: readonly SystemLevel[] = [
  'front_privacy',
  'front_history_privacy',
  'member_list_privacy',
  'group_list_privacy',
  'name_privacy',
  'description_privacy',
  'pronoun_privacy',
  'avatar_privacy',
  'banner_privacy',
]
type SystemLevel = (typeof table)['levels'][number]

/** What everyone may see; what that looks like; and the levels of many at once. */
export function Privacy() {
  const own = system.value
  if (!own) return null
  const { word } = preferences.value
  const seen = seeOutside({
    system: own,
    members: members.value,
    groups: groups.value,
    switches: switches.value,
  })
  return (
    <Page place={words.privacy}>
      <div class="two-sides">
        <Levels own={own} word={word} />
        <section class="card" aria-labelledby="eyes">
          <h2 id="eyes">{openWords.strangersEyes}</h2>
          <p class="quiet">{openWords.strangersMore}</p>
          <div class="glass">
            <OutsideView seen={seen} word={word} isInside />
          </div>
          <a class="beside" href={`#/systems/${own.id}`}>
            {openWords.publicPage}
          </a>
        </section>
      </div>
      {members.value.length > 0 && <ManyLevels />}
    </Page>
  )
}

function Levels({ own, word }: { own: System; word: string }) {
  const [problem, setProblem] = useState('')
  const titles = openWords.levels(word)
  const turn = async (level: SystemLevel, to: Level) => {
    setProblem('')
    setLevel(level, to)
    try {
      const saved = await askOwn<System>('v2/systems/@me', {
        method: 'PATCH',
        body: { privacy: { [level]: to } },
      })
      setLevel(level, saved?.privacy?.[level] ?? to)
    } catch (cause) {
      setLevel(level, to === 'public' ? 'private' : 'public')
      setProblem(explainRefusal(cause, words.away))
    }
  }
  return (
    <section class="card" aria-labelledby="everyone-sees">
      <h2 id="everyone-sees">{openWords.whatEveryone}</h2>
      <p class="problem" role="alert">
        {problem}
      </p>
      <ul class="things">
        {order.map((level) => {
          const [title, more] = titles[level]
          return (
            <li key={level}>
              <div class="about">
                <span class="name">{title}</span>
                {more !== '' && <div class="quiet small">{more}</div>}
              </div>
              <LevelButton
                label={title}
                level={own.privacy?.[level] ?? 'private'}
                isOff={isAway.value}
                onChange={(to) => turn(level, to)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Shown at once, so that both sides change together. */
function setLevel(level: SystemLevel, to: Level): void {
  const now = system.value
  if (now?.privacy) system.value = { ...now, privacy: { ...now.privacy, [level]: to } }
}
