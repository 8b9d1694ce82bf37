import { useEffect, useRef } from 'preact/hooks'
import { post as table } from '../../../model/journal/post'
import { api } from '../../api/resources'
import type { Post } from '../../api/types'
import { announce } from '../../core/actions'
import { createStoredDrafts } from '../../core/storedDrafts'
import { useAction } from '../../core/useAction'
import { journalStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import { SubmitButton } from '../../ui/submitButton'
import { MemberSelect } from '../members/memberSelect'
import type { Place } from './board'
import { excerptOf, explain, findProblems, firstWriter } from './journal'
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

/** By place. Leaving keeps them without a question, as people expect of a chat. */
const drafts = createStoredDrafts<PostDraft>('multitude-posts')

/** Makes the next post of a place a reply. */
export function startReply({ query }: Place, id: string): void {
  drafts.put(query, { ...(drafts.find(query) ?? emptyDraft), replyTo: id })
}

interface Props {
  place: Place
  posts: readonly Post[]
  onPosted: () => void
}

/** Writes a post as a member. */
export function Composer({ place, posts, onPosted }: Props) {
  const draft = drafts.find(place.query) ?? emptyDraft
  const { onSubmit, problem, setProblem, isBusy } = useAction({ explain })
  const field = useRef<HTMLTextAreaElement>(null)
  const { title, text, replyTo } = draft
  const by = draft.by ?? firstWriter()
  const original = posts.find(({ id }) => id === replyTo)
  const wasReply = useRef(replyTo)
  useEffect(() => {
    if (replyTo !== null && replyTo !== wasReply.current) field.current?.focus()
    wasReply.current = replyTo
  }, [replyTo])
  const change = (patch: Partial<PostDraft>) => {
    setProblem('')
    drafts.put(place.query, { ...draft, ...patch })
  }
  const send = async () => {
    if (text.trim() === '') return setProblem(journalStrings.writeSomething)
    const [found] = Object.values(findProblems(table, { title, text }))
    if (found !== undefined) return setProblem(found)
    const body = {
      ...place.target,
      by: by === '' ? null : by,
      ...(title.trim() !== '' && { title }),
      text,
      ...(original && { reply_to: original.id }),
    }
    await api.posts.create(body)
    // What was typed while the post was sent stays.
    const { text: typed } = drafts.find(place.query) ?? emptyDraft
    const rest = typed.startsWith(text) ? typed.slice(text.length).trimStart() : typed
    drafts.put(place.query, { ...emptyDraft, by: draft.by, text: rest })
    announce(journalStrings.isPosted)
    onPosted()
  }
  return (
    <form class="card" onSubmit={onSubmit(send)} noValidate>
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
            onClick={() => change({ replyTo: null })}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {place.isBoard && (
        <label class="field">
          {journalStrings.optionalTitle}
          <input
            value={title}
            dir="auto"
            autocomplete="off"
            onInput={(event) => change({ title: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="field">
        {journalStrings.labels.text}
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          value={text}
          aria-invalid={problem !== ''}
          aria-describedby="post-problem"
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
      </label>
      <ProblemText id="post-problem" text={problem} />
      <div class="heading">
        <MemberSelect
          label={journalStrings.writeAs}
          none={strings.nobodyOrUnsure}
          value={by}
          onChange={(uuid) => change({ by: uuid })}
          isInline
        />
        <SubmitButton isBusy={isBusy}>{journalStrings.post}</SubmitButton>
      </div>
    </form>
  )
}
