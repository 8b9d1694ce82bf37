import { group as table } from '../../../../model/group'
import { showToast } from '../../actions'
import { requestOwn } from '../../api'
import { ConfirmDelete } from '../../components/confirmDelete'
import { useForm } from '../../components/form/form'
import {
  ColorLine,
  DescriptionLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../components/form/lines'
import { DeleteButton, Fold, FormPage } from '../../components/form/page'
import { NotFound } from '../../components/notFound'
import { Sheet } from '../../components/sheet'
import { formDraft } from '../../drafts'
import { goTo, route } from '../../route'
import { type Group, groups, loadGroup, putGroup } from '../../store'
import { bulkStrings } from '../../strings/bulk'
import { editStrings } from '../../strings/edit'
import { memberStrings } from '../../strings/member'

export function GroupEdit() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = groups.value.find((one) => one.id === id || one.uuid === id)
  if (!own)
    return (
      <NotFound
        message={memberStrings.noGroupByThatId}
        href="#/groups"
        linkText={memberStrings.toGroups}
      />
    )
  return <Editing key={own.uuid} own={own} />
}

const basics = ['name', 'display_name', 'color', 'description']
const pictures = ['icon', 'banner']

function Editing({ own }: { own: Group }) {
  const back = `#/groups/${own.id}`
  const form = useForm<Group>(table, own, {
    path: `v2/groups/${own.uuid}`,
    onSaved(saved) {
      putGroup(saved)
      goTo(back)
    },
  })
  const below = <DeleteButton confirm={(onClose) => <DeleteGroup own={own} onClose={onClose} />} />
  return (
    <FormPage form={form} name={own.display_name || own.name} back={back} below={below}>
      <Fold title={editStrings.who} form={form} keys={basics} isFirst>
        <TextLine form={form} name="name" />
        <TextLine form={form} name="display_name" />
        <ColorLine form={form} name="color" />
        <DescriptionLine form={form} name="description" />
        <LevelLine form={form} level="visibility" />
        <LevelLine form={form} level="list_privacy" />
        <LevelLine form={form} level="metadata_privacy" />
      </Fold>
      <Fold title={editStrings.pictures} form={form} keys={pictures}>
        <PictureLine form={form} name="icon" />
        <PictureLine form={form} name="banner" isWide />
      </Fold>
    </FormPage>
  )
}

function DeleteGroup({ own, onClose }: { own: Group; onClose: () => void }) {
  const name = own.display_name || own.name
  const remove = async () => {
    await requestOwn(`v2/groups/${own.uuid}`, { method: 'DELETE' })
    formDraft.value = null
    goTo('#/groups')
    await loadGroup(own.uuid)
    showToast({ text: memberStrings.groupIsGone(name) })
  }
  return (
    <Sheet heading={bulkStrings.deleteAsk(name)} onClose={onClose}>
      <ConfirmDelete
        effect={editStrings.deleteGroupEffect}
        label={bulkStrings.typeName(own.name)}
        expected={own.name}
        onDelete={remove}
      />
    </Sheet>
  )
}
