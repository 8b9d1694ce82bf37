import { useRef, useState } from 'preact/hooks'
import type { SharedKind } from '../../model/friends/bucket'
import { api } from '../api/resources'
import type { Group } from '../api/types'
import { showToast } from '../core/actions'
import { memberWord, putGroup, putMembers, readGroup, readMember } from '../core/store'
import { VisibleTo } from '../features/friends/bucketChecks'
import { describeBuckets, useBuckets } from '../features/friends/friends'
import { createMember, NameForm } from '../features/members/createMember'
import { listStrings, memberStrings, sharingStrings, strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { Sheet } from '../ui/sheet'

interface Props {
  onClose: () => void
}

/** Asks for the name of a member and who sees it; the rest is edited on the member's page. */
export function CreateMemberSheet({ onClose }: Props) {
  const create = async (name: string, buckets: readonly string[] | undefined) => {
    if (buckets) {
      const body = { member: { name }, buckets }
      const created = await api.members.create(body)
      if (created) putMembers([readMember(created)])
      showToast({ text: strings.isAdded(name) })
    } else await createMember(name)
    onClose()
  }
  return (
    <CreateSheet
      heading={listStrings.addMember(memberWord.value)}
      kind="members"
      onCreate={create}
      onClose={onClose}
    />
  )
}

/** Asks for the name of a group and who sees it. */
export function CreateGroupSheet({ onClose, onDone }: Props & { onDone: () => void }) {
  /** Group whose buckets could not be saved at first. */
  const unfinished = useRef<Group | null>(null)
  const create = async (name: string, buckets: readonly string[] | undefined) => {
    const created = unfinished.current ?? (await api.v2Groups.create({ name }))
    if (!created) return
    putGroup(created)
    if (buckets) {
      unfinished.current = created
      const shared = await api.groups.patch(created.uuid, { buckets })
      if (shared) putGroup(readGroup(shared))
    }
    showToast({ text: memberStrings.groupIsAdded })
    onDone()
  }
  return (
    <CreateSheet
      heading={memberStrings.addGroup}
      kind="groups"
      onCreate={create}
      onClose={onClose}
    />
  )
}

interface SheetProps extends Props {
  heading: string
  kind: SharedKind
  /** Buckets are absent if they are those that the server chooses. */
  onCreate: (name: string, buckets: readonly string[] | undefined) => Promise<void>
}

function CreateSheet({ heading, kind, onCreate, onClose }: SheetProps) {
  const query = useBuckets()
  const { data } = query
  const [typed, setTyped] = useState('')
  const [buckets, setBuckets] = useState<readonly string[] | undefined>()
  const defaults = data?.filter((bucket) => bucket.default_for.includes(kind)).map(({ id }) => id)
  const chosen = buckets ?? defaults ?? []
  return (
    <Sheet
      heading={heading}
      isChanged={typed.trim() !== '' || buckets !== undefined}
      onClose={onClose}
    >
      <NameForm
        label={listStrings.add}
        onName={(name) => onCreate(name, buckets)}
        onTyped={setTyped}
      >
        {data && data.length > 0 && (
          <details class="fold">
            <summary>
              {sharingStrings.visibleToNow(describeBuckets(data, chosen))}
              <Icon name="forth" />
            </summary>
            <VisibleTo buckets={query} chosen={chosen} onChange={setBuckets} />
          </details>
        )}
      </NameForm>
    </Sheet>
  )
}
