import { useEffect, useState } from 'preact/hooks'
import type { Level } from '../../model/core/entity'
import type { system as table } from '../../model/systems/system'
import { request } from '../api/client'
import { systemPath } from '../api/paths'
import { extSettingsPath } from '../api/resources'
import type { System } from '../api/types'
import {
  frontStatuses,
  groups,
  isOffline,
  members,
  memberWord,
  switches,
  system,
} from '../core/store'
import { useAction } from '../core/useAction'
import { useQuery } from '../core/useQuery'
import { useFields } from '../features/members/useMemberData'
import { BulkPrivacyCard } from '../features/privacy/bulkPrivacyCard'
import { PublicProfile } from '../features/privacy/publicProfile'
import { publicView } from '../features/privacy/publicView'
import { privacyStrings, strings, type Word } from '../texts/texts'
import { LoadProblem } from '../ui/loadProblem'
import { Page } from '../ui/page'
import { LevelButton } from '../ui/privacySwitch'
import { ProblemText } from '../ui/problemText'

/** Most frequently changed levels first. */
const order: readonly (SystemLevel | typeof STATUS_LEVEL)[] = [
  'front_privacy',
  'front_status_privacy',
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

/**
 * Privacy of the system with a preview of its public page, and privacy of several members at once.
 */
export function Privacy() {
  const ownSystem = system.value
  const status = useStatusLevel()
  const fields = useFields()
  if (!ownSystem) return null
  const word = memberWord.value
  const view = publicView({
    system: ownSystem,
    members: members.value,
    fields: fields.data ?? [],
    groups: groups.value,
    switches: switches.value,
    ...(status.level === 'public' && { statuses: frontStatuses.value }),
  })
  return (
    <Page title={strings.privacy}>
      <div class="two-sides">
        <Levels own={ownSystem} word={word} status={status} />
        <section class="card" aria-labelledby="eyes">
          <h2 id="eyes">{privacyStrings.strangersEyes}</h2>
          <p class="quiet">{privacyStrings.strangersMore}</p>
          <div class="glass">
            <PublicProfile view={view} word={word} isInside />
          </div>
          <a class="beside" href={`#/systems/${ownSystem.id}`}>
            {privacyStrings.publicPage}
          </a>
        </section>
      </div>
      {members.value.length > 0 && <BulkPrivacyCard />}
    </Page>
  )
}

const STATUS_LEVEL = 'front_status_privacy'

interface StatusLevel {
  /** Null until it is known. */
  readonly level: Level | null
  readonly problem: string
  readonly reload: () => void
  readonly change: (to: Level) => Promise<void>
}

/** Privacy of status texts, which is not part of the system in version 2. */
function useStatusLevel(): StatusLevel {
  const { data, problem, reload } = useQuery(extSettingsPath, 'frontNotes')
  const [chosen, setChosen] = useState<Level | null>(null)
  useEffect(() => setChosen(null), [data])
  const level = chosen ?? data?.[STATUS_LEVEL] ?? null
  const change = async (to: Level) => {
    setChosen(to)
    try {
      await request(extSettingsPath, { method: 'PATCH', body: { [STATUS_LEVEL]: to } })
    } catch (cause) {
      setChosen(null)
      throw cause
    }
  }
  return { level, problem, reload, change }
}

interface LevelsProps {
  own: System
  word: Word
  status: StatusLevel
}

function Levels({ own, word, status }: LevelsProps) {
  const { run, problem } = useAction({ canOverlap: true })
  const titles = privacyStrings.systemLevels(word)
  const changeLevel = (level: SystemLevel, to: Level) =>
    run(async () => {
      setLevel(level, to)
      try {
        const saved = await request(systemPath, {
          method: 'PATCH',
          body: { privacy: { [level]: to } },
        })
        setLevel(level, saved?.privacy?.[level] ?? to)
      } catch (cause) {
        setLevel(level, to === 'public' ? 'private' : 'public')
        throw cause
      }
    })
  return (
    <section class="card" aria-labelledby="everyone-sees">
      <h2 id="everyone-sees">{privacyStrings.whatOthersSee}</h2>
      <ProblemText text={problem} />
      {status.problem !== '' && <LoadProblem text={status.problem} onRetry={status.reload} />}
      <ul class="things">
        {order.map((level) => {
          const { title, hint } = titles[level]
          const current = level === STATUS_LEVEL ? status.level : own.privacy?.[level]
          if (current === null) return null
          return (
            <li key={level}>
              <div class="about">
                <span class="name">{title}</span>
                {hint !== '' && <div class="quiet small">{hint}</div>}
              </div>
              <LevelButton
                label={title}
                level={current ?? 'private'}
                isOff={isOffline.value}
                onChange={(to) =>
                  level === STATUS_LEVEL ? run(() => status.change(to)) : changeLevel(level, to)
                }
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Updates the store before the response, so that levels and preview change together. */
function setLevel(level: SystemLevel, to: Level): void {
  const now = system.value
  if (now?.privacy) system.value = { ...now, privacy: { ...now.privacy, [level]: to } }
}
