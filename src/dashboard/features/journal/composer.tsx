import { useEffect, useRef } from 'preact/hooks'
import { post as table } from '../../../model/journal/post'
import { api } from '../../api/resources'
import type { Post } from '../../api/types'
import { announce } from '../../core/actions'
import { problemsOf } from '../../core/form'
import { createStoredDrafts } from '../../core/storedDrafts'
import { journalStrings, strings } from '../../texts/texts'
import { AreaField } from '../../ui/form/fields'
import { type FieldTexts, useFormState } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import { SubmitButton } from '../../ui/submitButton'
import { MemberSelect } from '../members/memberSelect'
import type { Board } from './board'
import { excerptOf, explain, firstWriter } from './journal'
import { authorOf } from './postItem'

interface PostDraft {
  /** UUID of the author; null for the first fronter. */
  readonly by: string | null
  readonly title: string
  readonly text: string
  /** ID of the post that is replied to. */
  readonly replyTo: string | null
}

const emptyDraft: PostDraft = { by: null, title: '', text: '', replyTo: null }

/** By board. Leaving keeps them without a question, as people expect of a chat. */
const drafts = createStoredDrafts<PostDraft>('multitude-posts')

/** Makes the next post of a board a reply. */
export function startReply({ query }: Board, id: string): void {
  drafts.put(query, { ...(drafts.find(query) ?? emptyDraft), replyTo: id })
}

/** Finds problems of what is typed as a post. */
export function findPostProblems(values: { title: string; text: string }): FieldTexts {
  return {
    ...problemsOf(table, { values }),
    ...(values.text.trim() === '' && { text: journalStrings.writeSomething }),
  }
}

interface Props {
  board: Board
  posts: readonly Post[]
  onPosted: () => void
}

/** Writes a post as a member. */
export function Composer({ board, posts, onPosted }: Props) {
  const draft = drafts.find(board.query) ?? emptyDraft
  const field = useRef<HTMLTextAreaElement>(null)
  const { title, text, replyTo } = draft
  const by = draft.by ?? firstWriter()
  const original = posts.find(({ id }) => id === replyTo)
  const wasReply = useRef(replyTo)
  useEffect(() => {
    if (replyTo !== null && replyTo !== wasReply.current) field.current?.focus()
    wasReply.current = replyTo
  }, [replyTo])
  const change = (key: string, value: unknown) =>
    drafts.put(board.query, { ...(drafts.find(board.query) ?? draft), [key]: value })
  const send = async () => {
    const body = {
      ...board.target,
      by: by === '' ? null : by,
      ...(title.trim() !== '' && { title }),
      text,
      ...(original && { reply_to: original.id }),
    }
    await api.posts.create(body)
    // What was typed while the post was sent stays.
    const { text: typed } = drafts.find(board.query) ?? emptyDraft
    const rest = typed.startsWith(text) ? typed.slice(text.length).trimStart() : typed
    drafts.put(board.query, { ...emptyDraft, by: draft.by, text: rest })
    announce(journalStrings.isPosted)
    onPosted()
  }
  const form = useFormState({
    id: 'new-post',
    base: { title: '', text: '' },
    values: { title, text },
    put: change,
    check: () => findPostProblems({ title, text }),
    save: send,
    explain,
  })
  return (
    <Form class="card" onSubmit={form.onSubmit}>
      {original && (
        <div class="note someone">
          <p class="about small">
            <b>{journalStrings.replyingTo(authorOf(original))}</b>{' '}
            <bdi>{excerptOf(original.text, 100)}</bdi>
          </p>
          <button
            type="button"
            class="round"
            aria-label={journalStrings.cancelReply}
            onClick={() => change('replyTo', null)}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {board.isBoard && <TextField {...form.field('title')} label={journalStrings.optionalTitle} />}
      <AreaField
        {...form.field('text')}
        label={journalStrings.labels.text}
        rows={2}
        field={field}
      />
      <ProblemText text={form.problem} />
      <div class="heading">
        <MemberSelect
          label={journalStrings.writeAs}
          none={strings.nobodyOrUnsure}
          value={by}
          onChange={(uuid) => change('by', uuid)}
          isInline
        />
        <SubmitButton isBusy={form.isBusy}>{journalStrings.post}</SubmitButton>
      </div>
    </Form>
  )
}
