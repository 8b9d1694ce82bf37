import { useState } from 'preact/hooks'
import { api } from '../../api/resources'
import type { Friend } from '../../api/types'
import { showToast } from '../../core/actions'
import { useAction } from '../../core/useAction'
import { sharingStrings, strings } from '../../texts/texts'
import { SaveButtons } from '../../ui/saveButtons'
import { Sheet } from '../../ui/sheet'
import { nameOfFriend, useBuckets } from './friends'
import { FriendNameField } from './nameField'
import { ShareFields } from './shareFields'

interface Props {
  friend: Friend
  onClose: () => void
  onDone: () => void
}

/** Edits what a friend sees, and the own name for the friend. */
export function ShareSheet({ friend, onClose, onDone }: Props) {
  const buckets = useBuckets()
  const [before] = useState({ name: friend.name ?? '', share: friend.share })
  const [draft, setDraft] = useState(before)
  const { onSubmit, problem, isBusy } = useAction()
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  const save = async () => {
    if (!isChanged) return onClose()
    const name = draft.name.trim() || null
    const body = { name, share: draft.share }
    await api.friends.patch(friend.id, body)
    showToast({ text: strings.isSaved })
    onDone()
  }
  return (
    <Sheet
      heading={sharingStrings.whatTheySeeNamed(nameOfFriend(friend))}
      isChanged={isChanged}
      onClose={onClose}
    >
      <form onSubmit={onSubmit(save)} noValidate>
        <ShareFields
          buckets={buckets}
          share={draft.share}
          onChange={(patch) => setDraft({ ...draft, share: { ...draft.share, ...patch } })}
        />
        <FriendNameField
          hint={sharingStrings.ownNameMore}
          value={draft.name}
          placeholder={friend.system?.name ?? ''}
          onChange={(name) => setDraft({ ...draft, name })}
        />
        <SaveButtons isNew={false} isBusy={isBusy} problem={problem} />
      </form>
    </Sheet>
  )
}
