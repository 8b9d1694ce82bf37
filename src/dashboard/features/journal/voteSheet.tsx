import { useState } from 'preact/hooks'
import { vote as table } from '../../../model/journal/poll'
import { request } from '../../api/client'
import { votePath } from '../../api/resources'
import type { Poll } from '../../api/types'
import { showToast } from '../../core/actions'
import { displayName, isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { journalStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { MemberSelect } from '../members/memberSelect'
import { explain, findMember, findProblems, firstWriter } from './journal'

interface Props {
  poll: Poll
  onVoted: () => void
  onClose: () => void
}

/** Asks who votes and for what. A second vote of a member replaces the first one. */
export function VoteSheet({ poll, onVoted, onClose }: Props) {
  const voteOf = (uuid: string) => poll.votes?.find(({ member }) => member === uuid)
  const begin = (voter: string) => {
    const { option = '', comment = '' } = voteOf(voter) ?? {}
    return { voter, option, comment: comment ?? '' }
  }
  const [values, setValues] = useState(() => begin(firstWriter()))
  const [opened, setOpened] = useState(values)
  const { run, onSubmit, problem, setProblem, isBusy } = useAction({ explain })
  const { voter, option, comment } = values
  const options = poll.options ?? []
  const member = findMember(voter)
  const name = member ? displayName(member) : ''
  const earlier = options.find(({ id }) => id === voteOf(voter)?.option)
  const path = votePath(poll.id, voter)
  const change = (patch: Partial<typeof values>) => {
    setProblem('')
    setValues({ ...values, ...patch })
  }
  const choose = (uuid: string) => {
    setProblem('')
    setValues(begin(uuid))
    setOpened(begin(uuid))
  }
  const finish = (text: string) => {
    showToast({ text })
    onClose()
    onVoted()
  }
  const cast = async () => {
    if (voter === '') return setProblem(journalStrings.chooseVoter)
    if (option === '') return setProblem(journalStrings.chooseOption)
    const { comment: found } = findProblems(table, { comment })
    if (found !== undefined) return setProblem(found)
    const body = { option, comment: comment.trim() === '' ? null : comment }
    await request(path, { method: 'PUT', body })
    finish(journalStrings.hasVoted(name))
  }
  const withdraw = async () => {
    await request(path, { method: 'DELETE' })
    finish(journalStrings.isWithdrawn(name))
  }
  return (
    <Sheet
      heading={poll.name}
      isChanged={option !== opened.option || comment !== opened.comment}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(cast)} noValidate>
        <MemberSelect
          label={journalStrings.whoVotes}
          none={journalStrings.chooseVoter}
          value={voter}
          onChange={choose}
        />
        {earlier && <p class="quiet small">{journalStrings.replacesVote(name, earlier.name)}</p>}
        <ChipGroup
          legend={journalStrings.whichOption}
          options={options.map((one) => [
            one.id,
            one.veto ? `${one.name} · ${journalStrings.veto}` : one.name,
          ])}
          value={option}
          onChange={(id) => change({ option: id })}
        />
        <label class="field">
          {journalStrings.comment}
          <input
            value={comment}
            dir="auto"
            autocomplete="off"
            onInput={(event) => change({ comment: event.currentTarget.value })}
          />
        </label>
        <ProblemText text={problem} />
        <SubmitButton isBusy={isBusy}>{journalStrings.vote}</SubmitButton>
        {earlier && (
          <button
            type="button"
            class="danger"
            aria-disabled={isOffline.value}
            onClick={() => run(withdraw)}
          >
            {journalStrings.withdraw}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {strings.cancel}
        </button>
      </form>
    </Sheet>
  )
}
