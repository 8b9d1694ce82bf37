import { useState } from 'preact/hooks'
import { vote as table } from '../../../model/journal/poll'
import { request } from '../../api/client'
import { votePath } from '../../api/resources'
import type { Poll } from '../../api/types'
import { showToast } from '../../core/actions'
import { problemsOf } from '../../core/form'
import { displayName, isOffline } from '../../core/store'
import { journalStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { useFormState } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { MemberSelect } from '../members/memberSelect'
import { explain, findMember, firstWriter } from './journal'

interface Props {
  poll: Poll
  onVoted: () => void
  onClose: () => void
}

/** Asks who votes and for what. A second vote of a member replaces the first one. */
export function VoteSheet({ poll, onVoted, onClose }: Props) {
  const voteOf = (uuid: string) => poll.votes?.find(({ member }) => member === uuid)
  const begin = (voter: string) => {
    const { option = '', comment } = voteOf(voter) ?? {}
    return { voter, option, comment: comment ?? '' }
  }
  const [values, setValues] = useState(() => begin(firstWriter()))
  const [opened, setOpened] = useState(values)
  const { voter, option, comment } = values
  const options = poll.options ?? []
  const member = findMember(voter)
  const name = member ? displayName(member) : ''
  const earlier = options.find(({ id }) => id === voteOf(voter)?.option)
  const path = votePath(poll.id, voter)
  const choose = (uuid: string) => {
    setValues(begin(uuid))
    setOpened(begin(uuid))
  }
  const finish = (text: string) => {
    showToast({ text })
    onClose()
    onVoted()
  }
  const form = useFormState({
    id: 'vote',
    base: opened,
    values,
    put: (key, value) => setValues((before) => ({ ...before, [key]: value })),
    check: () => ({
      ...problemsOf(table, { values: { comment } }),
      ...(option === '' && { option: journalStrings.chooseOption }),
      ...(voter === '' && { voter: journalStrings.chooseVoter }),
    }),
    async save() {
      const body = { option, comment: comment.trim() === '' ? null : comment }
      await request(path, { method: 'PUT', body })
      finish(journalStrings.hasVoted(name))
    },
    explain,
  })
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
      <Form onSubmit={form.onSubmit}>
        <MemberSelect
          label={journalStrings.whoVotes}
          none={journalStrings.chooseVoter}
          value={voter}
          onChange={choose}
        />
        <ProblemText text={form.problems.voter ?? ''} />
        {earlier && <p class="quiet small">{journalStrings.replacesVote(name, earlier.name)}</p>}
        <ChipGroup
          legend={journalStrings.whichOption}
          options={options.map((choice) => [
            choice.id,
            choice.veto ? `${choice.name} · ${journalStrings.veto}` : choice.name,
          ])}
          value={option}
          onChange={(id) => form.change('option', id)}
        >
          <ProblemText text={form.problems.option ?? ''} />
        </ChipGroup>
        <TextField {...form.field('comment')} label={journalStrings.comment} />
        <ProblemText text={form.problem} />
        <SubmitButton isBusy={form.isBusy}>{journalStrings.vote}</SubmitButton>
        {earlier && (
          <button
            type="button"
            class="danger"
            aria-disabled={isOffline.value}
            onClick={() => form.run(withdraw)}
          >
            {journalStrings.withdraw}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {strings.cancel}
        </button>
      </Form>
    </Sheet>
  )
}
