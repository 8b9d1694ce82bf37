import { useState } from 'preact/hooks'
import { group as table } from '../../../../model/group'
import { tell } from '../../acts'
import { askOwn, explainRefusal } from '../../client'
import { formDraft } from '../../drafts'
import { ConfirmDelete } from '../../parts/confirmDelete'
import { useForm } from '../../parts/form/form'
import {
  ColorLine,
  DescriptionLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../parts/form/lines'
import { Fold, FormPage, Removing } from '../../parts/form/page'
import { NotThere } from '../../parts/notThere'
import { Sheet } from '../../parts/sheet'
import { goTo, route } from '../../route'
import { type Group, groups, keepGroup, loadGroup } from '../../store'
import { words } from '../../words'
import { editWords } from '../../words/edit'
import { manyWords } from '../../words/many'
import { peopleWords } from '../../words/people'

/** The page of a group, with fields in place. */
export function GroupEdit() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = groups.value.find((one) => one.id === id || one.uuid === id)
  if (!own)
    return (
      <NotThere told={peopleWords.noGroupByThatId} href="#/groups" onward={peopleWords.toGroups} />
    )
  return <Editing key={own.uuid} own={own} />
}

const who = ['name', 'display_name', 'color', 'description']
const pictures = ['icon', 'banner']

function Editing({ own }: { own: Group }) {
  const back = `#/groups/${own.id}`
  const form = useForm<Group>(table, own, {
    path: `v2/groups/${own.uuid}`,
    onSaved(saved) {
      keepGroup(saved)
      goTo(back)
    },
  })
  const below = <Removing ask={(onClose) => <DeleteGroup own={own} onClose={onClose} />} />
  return (
    <FormPage form={form} name={own.display_name || own.name} back={back} below={below}>
      <Fold title={editWords.who} form={form} keys={who} isFirst>
        <TextLine form={form} name="name" />
        <TextLine form={form} name="display_name" />
        <ColorLine form={form} name="color" />
        <DescriptionLine form={form} name="description" />
        <LevelLine form={form} level="visibility" />
        <LevelLine form={form} level="list_privacy" />
        <LevelLine form={form} level="metadata_privacy" />
      </Fold>
      <Fold title={editWords.pictures} form={form} keys={pictures}>
        <PictureLine form={form} name="icon" />
        <PictureLine form={form} name="banner" isWide />
      </Fold>
    </FormPage>
  )
}

function DeleteGroup({ own, onClose }: { own: Group; onClose: () => void }) {
  const [problem, setProblem] = useState('')
  const name = own.display_name || own.name
  const remove = async () => {
    try {
      await askOwn(`v2/groups/${own.uuid}`, { method: 'DELETE' })
      formDraft.value = null
      goTo('#/groups')
      await loadGroup(own.uuid)
      tell({ text: peopleWords.groupIsGone(name) })
    } catch (cause) {
      setProblem(explainRefusal(cause, words.away))
    }
  }
  return (
    <Sheet heading={manyWords.deleteAsk(name)} onClose={onClose}>
      <ConfirmDelete
        effect={editWords.deleteGroupEffect}
        label={manyWords.typeName(own.name)}
        expected={own.name}
        onDelete={remove}
      >
        <p class="problem" role="alert">
          {problem}
        </p>
      </ConfirmDelete>
    </Sheet>
  )
}
