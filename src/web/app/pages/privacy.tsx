import type { Level } from '../../../model/entity'
import type { system as table } from '../../../model/system'
import { requestOwn } from '../api'
import { BulkPrivacyCard } from '../components/bulkPrivacyCard'
import { LevelButton } from '../components/levelButton'
import { Page } from '../components/page'
import { ProblemText } from '../components/problemText'
import { PublicProfile } from '../components/publicProfile'
import { publicView } from '../publicView'
import { groups, isOffline, members, memberWord, type System, switches, system } from '../store'
import { privacyStrings, strings, type Word } from '../strings'
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
  const word = memberWord.value
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
          <h2 id="eyes">{privacyStrings.strangersEyes}</h2>
          <p class="quiet">{privacyStrings.strangersMore}</p>
          <div class="glass">
            <PublicProfile view={view} word={word} isInside />
          </div>
          <a class="beside" href={`#/systems/${own.id}`}>
            {privacyStrings.publicPage}
          </a>
        </section>
      </div>
      {members.value.length > 0 && <BulkPrivacyCard />}
    </Page>
  )
}

function Levels({ own, word }: { own: System; word: Word }) {
  const { run, problem } = useAction({ canOverlap: true })
  const titles = privacyStrings.systemLevels(word)
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
      <h2 id="everyone-sees">{privacyStrings.whatOthersSee}</h2>
      <ProblemText text={problem} />
      <ul class="things">
        {order.map((level) => {
          const { title, hint } = titles[level]
          return (
            <li key={level}>
              <div class="about">
                <span class="name">{title}</span>
                {hint !== '' && <div class="quiet small">{hint}</div>}
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
