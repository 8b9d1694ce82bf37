import { useState } from 'preact/hooks'
import { moveGroup } from '../../actions/groupActions'
import { nameOfGroup, possibleParents, subgroupsOf } from '../../actions/groupTree'
import { ApiError, errorMessage } from '../../api/client'
import type { Group } from '../../api/types'
import { announce } from '../../core/actions'
import { groups } from '../../core/store'
import { useAction } from '../../core/useAction'
import { groupTreeStrings, strings } from '../../texts/texts'
import { ChoiceField } from '../../ui/form/fields'
import { Form } from '../../ui/form/textField'
import { MoveButtons } from '../../ui/moveButtons'
import { ProblemText } from '../../ui/problemText'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'

/** Neighbours shown before and after the place. */
const NEIGHBOURS = 2

/** Moves a group into another group or to the top, and to a place among the groups there. */
export function MoveGroupSheet({ own, onClose }: { own: Group; onClose: () => void }) {
  const others = (parent: string | null) =>
    subgroupsOf(groups.value, parent).filter(({ uuid }) => uuid !== own.uuid)
  const [before] = useState(() => {
    const parent = own.parent ?? null
    const all = subgroupsOf(groups.value, parent).map(({ uuid }) => uuid)
    return { parent, place: all.indexOf(own.uuid) }
  })
  const [{ parent, place }, setTarget] = useState(before)
  const { onSubmit, problem, isBusy } = useAction({ explain })
  const order = others(parent).toSpliced(place, 0, own)
  const isChanged = parent !== before.parent || place !== before.place
  const chooseParent = (chosen: string | null) =>
    setTarget(chosen === before.parent ? before : { parent: chosen, place: others(chosen).length })
  const shift = (by: number) => {
    setTarget({ parent, place: place + by })
    announce(groupTreeStrings.movedTo(place + by + 1, order.length))
  }
  const save = async () => {
    if (isChanged) await moveGroup(own, parent, place)
    onClose()
  }
  const first = Math.max(0, place - NEIGHBOURS)
  return (
    <Sheet
      heading={groupTreeStrings.moveHeading(own.display_name || own.name)}
      isChanged={isChanged}
      onClose={onClose}
    >
      <Form onSubmit={onSubmit(save)}>
        <ChoiceField
          name="parent"
          label={groupTreeStrings.inside}
          value={parent ?? ''}
          options={[
            ['', groupTreeStrings.top],
            ...possibleParents(groups.value, own).map(
              ({ group, level }) =>
                [group.uuid, '\u2003'.repeat(level - 1) + nameOfGroup(group)] as const,
            ),
          ]}
          onChange={(value) => chooseParent(value || null)}
        />
        {order.length > 1 && (
          <section class="part" aria-label={groupTreeStrings.place}>
            <header class="heading">
              <p>
                <b>{groupTreeStrings.movedTo(place + 1, order.length)}</b>
              </p>
              <MoveButtons
                id={own.uuid}
                name={own.display_name || own.name}
                isFirst={place === 0}
                isLast={place === order.length - 1}
                onMove={shift}
              />
            </header>
            <ul class="things">
              {order.slice(first, place + NEIGHBOURS + 1).map((group) => (
                <li
                  key={group.uuid}
                  aria-current={group.uuid === own.uuid}
                  class={group.uuid === own.uuid ? 'label' : 'quiet'}
                >
                  <bdi>{nameOfGroup(group)}</bdi>
                </li>
              ))}
            </ul>
          </section>
        )}
        <ProblemText text={problem} />
        <SubmitButton isBusy={isBusy}>{strings.save}</SubmitButton>
      </Form>
    </Sheet>
  )
}

/** The server refuses a tree that does not fit to the groups as they are now. */
function explain(cause: unknown): string {
  return cause instanceof ApiError && cause.status === 400
    ? groupTreeStrings.changedMeanwhile
    : errorMessage(cause)
}
