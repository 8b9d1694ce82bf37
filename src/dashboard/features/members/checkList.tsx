import { Avatar, type AvatarSubject } from '../../ui/avatar'
import { useIncrementalList } from './memberGrid'

/** Something that can be chosen. */
export interface Choosable {
  /** UUID. */
  readonly uuid: string
  readonly name: string
  /** Absent for things without a picture. */
  readonly avatar?: AvatarSubject
}

interface Props {
  all: readonly Choosable[]
  /** Identifies the list; when it changes, rendering starts again with the first part. */
  listKey: string
  /** UUIDs. */
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

export function CheckList({ all, listKey, chosen, onChange }: Props) {
  const { shown, moreButton } = useIncrementalList(all, { listKey })
  const toggle = (uuid: string) => {
    const others = new Set(chosen)
    if (!others.delete(uuid)) others.add(uuid)
    onChange(others)
  }
  return (
    <>
      <ul class="members choosing">
        {shown.map(({ uuid, name, avatar }, index) => (
          <li key={uuid} aria-setsize={all.length} aria-posinset={index + 1}>
            <label class="someone">
              <input type="checkbox" checked={chosen.has(uuid)} onChange={() => toggle(uuid)} />
              {avatar && <Avatar of={avatar} size="s" />}
              <span class="about">
                <span class="name">
                  <bdi>{name}</bdi>
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {moreButton}
    </>
  )
}
