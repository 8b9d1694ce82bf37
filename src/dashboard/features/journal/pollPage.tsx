import { useState } from 'preact/hooks'
import { api } from '../../api/resources'
import type { Poll, Vote } from '../../api/types'
import { showToast } from '../../core/actions'
import { goTo } from '../../core/route'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { useQuery } from '../../core/useQuery'
import { journalStrings, memberStrings, strings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Page, Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { DeleteButton } from '../form/formPage'
import { BackToChat } from './boardPage'
import { explain, nameOfAuthor } from './journal'
import { countVotes, describePoll, hasEnded } from './poll'
import { PollSheet } from './pollSheet'
import { VoteSheet } from './voteSheet'

export function PollPage({ id }: { id: string }) {
  const { data: poll, problem, reload } = useQuery(api.polls.at(id), 'polls')
  const [sheet, setSheet] = useState<'vote' | 'edit' | null>(null)
  if (!poll)
    return (
      <Page title={journalStrings.polls} actions={<BackToChat />}>
        {problem === '' ? (
          <Skeleton blocks={['card']} />
        ) : (
          <LoadProblem text={problem} onRetry={reload} />
        )}
      </Page>
    )
  const close = () => setSheet(null)
  return (
    <Page title={poll.name} actions={<BackToChat />}>
      <p class="quiet">{describePoll(poll)}</p>
      {poll.about !== null && (
        <div dir="auto">
          <Markdown text={poll.about} />
        </div>
      )}
      <Results poll={poll} />
      {!hasEnded(poll) && (
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value}
          onClick={() => isOffline.value || setSheet('vote')}
        >
          <Icon name="check" />
          {journalStrings.vote}
        </button>
      )}
      <div class="row">
        <button type="button" onClick={() => setSheet('edit')}>
          <Icon name="edit" />
          {memberStrings.edit}
        </button>
        <DeletePoll poll={poll} />
      </div>
      {sheet === 'vote' && <VoteSheet poll={poll} onVoted={reload} onClose={close} />}
      {sheet === 'edit' && <PollSheet poll={poll} onSaved={reload} onClose={close} />}
    </Page>
  )
}

export function voterOf({ member, author_name }: Vote): string {
  return nameOfAuthor(member, author_name, journalStrings.unknownAuthor)
}

/** Bars with numbers and names. A veto is said in words above them. */
function Results({ poll }: { poll: Poll }) {
  const votes = poll.votes ?? []
  const options = poll.options ?? []
  const total = countVotes(poll)
  const vetoes = new Set(options.flatMap(({ id, veto }) => (veto ? [id] : [])))
  const vetoers = votes.filter(({ option }) => vetoes.has(option)).map(voterOf)
  return (
    <section class="card" aria-labelledby="results">
      <h2 id="results">{journalStrings.results}</h2>
      {vetoers.length > 0 && <p class="problem">{journalStrings.vetoedBy(vetoers)}</p>}
      {total === 0 && <p class="quiet">{journalStrings.noVotes}</p>}
      <ul class="things">
        {options.map(({ id, name, color, veto }) => {
          const count = poll.counts[id] ?? 0
          return (
            <li key={id}>
              <div class="about">
                <div class="heading">
                  <span>
                    <bdi class="name">{name}</bdi>
                    {veto && <span class="quiet small"> · {journalStrings.veto}</span>}
                  </span>
                  <b>{strings.number(count)}</b>
                </div>
                {count > 0 && (
                  <span
                    class="fill tinted"
                    aria-hidden="true"
                    style={{ ...tint(color), width: `${(count / total) * 100}%` }}
                  />
                )}
                {votes
                  .filter(({ option }) => option === id)
                  .map((vote) => (
                    <div key={vote.member ?? vote.created} class="small">
                      <bdi>{voterOf(vote)}</bdi>
                      {vote.comment !== null && (
                        <span class="quiet">
                          : <bdi>{vote.comment}</bdi>
                        </span>
                      )}
                    </div>
                  ))}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function DeletePoll({ poll }: { poll: Poll }) {
  const { run, problem } = useAction({ explain })
  const remove = async () => {
    await api.polls.remove(poll.id)
    showToast({ text: journalStrings.pollIsDeleted })
    goTo('#/chat')
  }
  return (
    <>
      <DeleteButton
        confirm={(onClose) => (
          <ConfirmSheet
            heading={journalStrings.deletePollAsk(poll.name)}
            effect={journalStrings.deletePollEffect(countVotes(poll))}
            action={strings.delete}
            onConfirm={() => run(remove)}
            onClose={onClose}
          />
        )}
      />
      <ProblemText text={problem} />
    </>
  )
}
