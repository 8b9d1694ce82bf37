import type { Level } from '../../../model/entity'
import type { system as table } from '../../../model/system'
import { requestOwn } from '../api'
import { BulkPrivacyCard } from '../components/bulkPrivacyCard'
import { LevelButton } from '../components/levelButton'
import { Page } from '../components/page'
import { ProblemText } from '../components/problemText'
import { PublicProfile } from '../components/publicProfile'
import { publicView } from '../publicView'
import { groups, isOffline, members, preferences, type System, switches, system } from '../store'
import { strings } from '../strings'
import { publicPageStrings } from '../strings/publicView'
import { useAction } from '../useAction'

/** Most frequently changed levels first. */
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

/**
 * Privacy of the system with a preview of its public page, and privacy of several members at once.
 */
export function Privacy() {
  const own = system.value
  if (!own) return null
  const { word } = preferences.value
  const view = publicView({
    system: own,
    members: members.value,
    groups: groups.value,
    switches: switches.value,
  })
  return (
    <Page title={strings.privacy}>
      <div class="two-sides">
        <Levels own={own} word={word} />
        <section class="card" aria-labelledby="eyes">
          <h2 id="eyes">{publicPageStrings.strangersEyes}</h2>
          <p class="quiet">{publicPageStrings.strangersMore}</p>
          <div class="glass">
            <PublicProfile view={view} word={word} isInside />
          </div>
          <a class="beside" href={`#/systems/${own.id}`}>
            {publicPageStrings.publicPage}
          </a>
        </section>
      </div>
      {members.value.length > 0 && <BulkPrivacyCard />}
    </Page>
  )
}

function Levels({ own, word }: { own: System; word: string }) {
  const { run, problem } = useAction({ canOverlap: true })
  const titles = publicPageStrings.levels(word)
  const changeLevel = (level: SystemLevel, to: Level) =>
    run(async () => {
      setLevel(level, to)
      try {
        const saved = await requestOwn<System>('v2/systems/@me', {
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
      <h2 id="everyone-sees">{publicPageStrings.whatEveryone}</h2>
      <ProblemText text={problem} />
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
                isOff={isOffline.value}
                onChange={(to) => changeLevel(level, to)}
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
