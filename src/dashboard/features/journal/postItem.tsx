import { useEffect, useRef, useState } from 'preact/hooks'
import type { Post } from '../../api/types'
import { isOffline } from '../../core/store'
import { whenVisible } from '../../lib/whenVisible'
import { journalStrings, memberStrings, strings } from '../../texts/texts'
import { Avatar } from '../../ui/avatar'
import { Markdown } from '../../ui/markdown'
import { describeTime, excerptOf, findMember, nameOfAuthor } from './journal'

interface Props {
  post: Post
  /** Post that this one replies to; null if it is deleted, undefined if it is not loaded. */
  original: Post | null | undefined
  onSeen: (id: string) => void
  onReply: () => void
  onEdit: () => void
  onDelete: () => void
}

export function PostItem({ post, original, onSeen, onReply, onEdit, onDelete }: Props) {
  const head = useRef<HTMLElement>(null)
  // A post stays marked as new while it is shown, also after it was marked as seen on the server.
  const [isNew] = useState(post.read === false)
  useEffect(() => {
    if (post.read !== false || !head.current) return
    return whenVisible(head.current, () => onSeen(post.id), { threshold: 1 })
  }, [post.id, post.read])
  const name = authorOf(post)
  const author = findMember(post.by)
  return (
    <li>
      <article class="about part">
        <header class="someone" ref={head}>
          <Avatar of={author} size="s" />
          <div class="about">
            <bdi class="name">{name}</bdi>
            <div class="quiet small">
              {describeTime(post.written)}
              {post.edited && ` · ${journalStrings.edited(describeTime(post.edited))}`}
            </div>
          </div>
          {isNew && <span class="pill">{journalStrings.isNew}</span>}
        </header>
        {post.reply_to !== null && <Original post={original} />}
        {post.title !== null && (
          <b>
            <bdi>{post.title}</bdi>
          </b>
        )}
        <div dir="auto">
          <Markdown text={post.text} />
        </div>
        <div class="row">
          <button
            type="button"
            class="plain"
            aria-label={journalStrings.replyToNamed(name)}
            onClick={onReply}
          >
            {journalStrings.reply}
          </button>
          <button
            type="button"
            class="plain"
            aria-label={journalStrings.editPostOf(name)}
            onClick={onEdit}
          >
            {memberStrings.edit}
          </button>
          <button
            type="button"
            class="plain"
            aria-label={journalStrings.deletePostOf(name)}
            aria-disabled={isOffline.value}
            onClick={() => isOffline.value || onDelete()}
          >
            {strings.delete}
          </button>
        </div>
      </article>
    </li>
  )
}

export function authorOf({ by, author_name }: Post): string {
  return nameOfAuthor(by, author_name, journalStrings.unknownAuthor)
}

/** Beginning of the post that is replied to. */
function Original({ post }: { post: Post | null | undefined }) {
  if (!post)
    return (
      <p class="note small">
        {post === null ? journalStrings.replyToDeleted : journalStrings.replyToEarlier}
      </p>
    )
  return (
    <p class="note small">
      <b>{journalStrings.replyingTo(authorOf(post))}</b> <bdi>{excerptOf(post.text, 100)}</bdi>
    </p>
  )
}
