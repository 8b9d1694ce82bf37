import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, request } from '../../api/client'
import { api, readPostsPath } from '../../api/resources'
import type { Post } from '../../api/types'
import { runWithToast, showToast } from '../../core/actions'
import { usePages } from '../../core/useQuery'
import { journalStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { AreaField } from '../../ui/form/fields'
import { useLocalForm } from '../../ui/form/formState'
import { Form, TextField } from '../../ui/form/textField'
import { PagedList } from '../../ui/pagedList'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import type { Board } from './board'
import { Composer, findPostProblems, startReply } from './composer'
import { explain } from './journal'
import { PostItem } from './postItem'

/**
 * Posts of a board or room, newest first: the page begins with what is new, and nothing moves when
 * older posts are loaded or a phone shows its keyboard.
 */
export function Posts({ board }: { board: Board }) {
  const pages = usePages<Post>(`${api.posts.list}?${board.query}`, 'posts')
  const [editing, setEditing] = useState<Post | null>(null)
  const [deleting, setDeleting] = useState<Post | null>(null)
  const markRead = useReadMarks()
  const posts = pages.items ?? []
  const findOriginal = useOriginals(board, posts, pages.hasMore)
  const remove = async ({ id }: Post) => {
    await api.posts.remove(id)
    showToast({ text: journalStrings.postIsDeleted })
    pages.reload()
  }
  return (
    <>
      <Composer board={board} posts={posts} onPosted={pages.reload} />
      <PagedList pages={pages} empty={journalStrings.noPosts}>
        {(shown) => (
          <ul class="card things">
            {shown.map((post) => (
              <PostItem
                key={post.id}
                post={post}
                original={findOriginal(post)}
                onSeen={markRead}
                onReply={() => startReply(board, post.id)}
                onEdit={() => setEditing(post)}
                onDelete={() => setDeleting(post)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {editing && (
        <EditPost
          post={editing}
          hasTitle={board.isBoard || editing.title !== null}
          onSaved={pages.reload}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <ConfirmSheet
          heading={journalStrings.deletePostAsk}
          effect={journalStrings.deletePostEffect}
          action={strings.delete}
          onConfirm={() => runWithToast(() => remove(deleting))}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  )
}

/** Posts that are seen within this time are marked together. */
const MARK_DELAY_MS = 400

/** Returns a function that marks a post as read. */
function useReadMarks(): (id: string) => void {
  const seen = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const send = () => {
    const ids = [...seen.current]
    seen.current.clear()
    if (ids.length === 0) return
    const body = { ids }
    // Whatever fails stays unread, and is marked when it is seen again.
    request(readPostsPath, { method: 'POST', body }).catch(() => {})
  }
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      send()
    },
    [],
  )
  return (id) => {
    seen.current.add(id)
    clearTimeout(timer.current)
    timer.current = setTimeout(send, MARK_DELAY_MS)
  }
}

/**
 * Returns a function that finds the post that another one replies to. Where it is on an older page,
 * the server is asked whether it still exists, because posts cannot be requested one by one.
 */
function useOriginals(board: Board, posts: readonly Post[], hasMore: boolean) {
  const [exists, setExists] = useState<ReadonlyMap<string, boolean>>(new Map())
  const byId = new Map(posts.map((post) => [post.id, post]))
  const unknown = hasMore
    ? posts.flatMap(({ reply_to }) => reply_to ?? []).find((id) => !byId.has(id) && !exists.has(id))
    : undefined
  useEffect(() => {
    if (unknown === undefined) return
    const stop = new AbortController()
    const path = `${api.posts.list}?${board.query}&limit=1&before=${unknown}`
    request(path, { signal: stop.signal }).then(
      () => setExists((previous) => new Map(previous).set(unknown, true)),
      (cause) => {
        if (cause instanceof ApiError && cause.status === 404)
          setExists((previous) => new Map(previous).set(unknown, false))
      },
    )
    return () => stop.abort()
  }, [unknown])
  return ({ reply_to }: Post): Post | null | undefined => {
    const original = byId.get(reply_to ?? '')
    if (original) return original
    return hasMore && exists.get(reply_to ?? '') !== false ? undefined : null
  }
}

interface EditProps {
  post: Post
  hasTitle: boolean
  onSaved: () => void
  onClose: () => void
}

function EditPost({ post, hasTitle, onSaved, onClose }: EditProps) {
  const form = useLocalForm({
    id: 'post',
    values: { title: post.title ?? '', text: post.text },
    check: findPostProblems,
    async save({ title, text }) {
      await api.posts.patch(post.id, { title: title.trim() === '' ? null : title, text })
      showToast({ text: strings.isSaved })
      onClose()
      onSaved()
    },
    explain,
  })
  return (
    <Sheet heading={journalStrings.editPost} isChanged={form.isChanged} onClose={onClose}>
      <Form onSubmit={form.onSubmit}>
        {hasTitle && <TextField {...form.field('title')} label={journalStrings.optionalTitle} />}
        <AreaField {...form.field('text')} label={journalStrings.labels.text} rows={5} />
        <ProblemText text={form.problem} />
        <SubmitButton isBusy={form.isBusy}>{strings.save}</SubmitButton>
      </Form>
    </Sheet>
  )
}
